"""What a machine may be bought as: offerings that fit a launch, narrowed to what a fleet is asked for.

Reserved capacity comes before spot, and spot before on demand. Machines with accelerators and bare metal
are left out while anything else remains, and spot that is dearer than on demand is never bought. Who
asks for a least number of different values gets them, so both rules are silent then. Of the rest
the cheapest sixty types are asked for.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from nodewright.aws.fleet import TYPES_MAX
from nodewright.aws.template import Reservation
from nodewright.model.instance import InstanceType, Offering
from nodewright.model.labels import (
    CAPACITY_TYPE,
    ON_DEMAND,
    RESERVATION_ID,
    RESERVATION_INTERRUPTIBLE,
    RESERVATION_TYPE,
    RESERVED,
    SPOT,
)
from nodewright.model.requirements import Requirements
from nodewright.ports.cloud import LaunchRequest

FLEXIBLE_TYPES_MIN: Final = 5
_SIZE: Final = "karpenter.k8s.aws/instance-size"
_ACCELERATORS: Final = (
    "nvidia.com/gpu",
    "amd.com/gpu",
    "habana.ai/gaudi",
    "aws.amazon.com/neuron",
    "aws.amazon.com/neuroncore",
)
_ORDER: Final = (RESERVED, SPOT, ON_DEMAND)
_KINDS: Final = ("default", "capacity-block", "interruptible")


class Candidate(msgspec.Struct, frozen=True):
    """One way to buy a machine that would do."""

    type: InstanceType
    offering: Offering

    @property
    def reservation(self) -> Reservation | None:
        """The reservation that it draws on, if any."""
        if not self.offering.is_reserved:
            return None
        labels = self.offering.requirements.labels()
        return Reservation(
            labels.get(RESERVATION_ID, ""),
            labels.get(RESERVATION_TYPE, "default"),
            labels.get(RESERVATION_INTERRUPTIBLE) == "true",
        )


class Choice(msgspec.Struct, frozen=True):
    """What a fleet is asked for: one capacity type, cheapest first."""

    capacity_type: str
    candidates: tuple[Candidate, ...]


def is_narrow(request: LaunchRequest, choice: Choice) -> bool:
    """Tell whether on demand is bought though spot would do, out of so few types that spot is rare."""
    if choice.capacity_type != ON_DEMAND:
        return False
    wanted = request.requirements.get(CAPACITY_TYPE)
    types = {one.type.name for one in choice.candidates}
    return len(types) < FLEXIBLE_TYPES_MIN and (wanted is None or wanted.has(SPOT))


def choose(request: LaunchRequest, types: Iterable[InstanceType]) -> tuple[Choice, ...]:
    """Give what to ask for, in order: the second only where the first cannot be had."""
    least = _least(request.requirements)
    found = tuple(_fitting(request, types))
    if not least:
        found = _plain(found)
        found = _not_too_dear(found)
    choices = []
    for kind in _ORDER:
        of_kind = tuple(one for one in found if one.offering.capacity_type == kind)
        if kind == RESERVED:
            of_kind = _one_reservation(of_kind)
        if of_kind:
            choices.append(Choice(kind, _cheapest(of_kind, least)))
    return tuple(choices)


def _fitting(request: LaunchRequest, types: Iterable[InstanceType]) -> Iterator[Candidate]:
    names, wanted = set(request.instance_types), request.requirements
    for kind in types:
        if names and kind.name not in names:
            continue
        room = kind.allocatable
        if any(amount > room.get(name, 0) for name, amount in request.requests.items()):
            continue
        if kind.requirements.conflict(wanted) is not None:
            continue
        for one in kind.offerings:
            if one.available and one.requirements.conflict(wanted) is None:
                yield Candidate(kind, one)


def _plain(found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    plain = tuple(one for one in found if not _is_exotic(one.type))
    return plain or found


def _is_exotic(kind: InstanceType) -> bool:
    size = kind.requirements.get(_SIZE)
    is_metal = size is not None and any(one.startswith("metal") for one in size.values)
    return is_metal or any(kind.capacity.get(name, 0) for name in _ACCELERATORS)


def _not_too_dear(found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    prices = [one.offering.price for one in found if one.offering.capacity_type == ON_DEMAND]
    if not prices:
        return found
    cheapest = min(prices)
    return tuple(
        one for one in found if one.offering.capacity_type != SPOT or one.offering.price <= cheapest
    )


def _one_reservation(found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Keep one sort of reservation, one block, and in each zone the one with most room."""
    if not found:
        return ()
    sorts: dict[str, list[Candidate]] = {}
    for one in found:
        sorts.setdefault(_sort(one), []).append(one)
    best = min(
        sorts,
        key=lambda sort: (min(one.offering.price for one in sorts[sort]), _KINDS.index(sort)),
    )
    zones: dict[str, Candidate] = {}
    for one in sorted(sorts[best], key=_by_room):
        zones.setdefault(one.offering.zone, one)
    kept = sorted(zones.values(), key=_by_price)
    return tuple(kept[:1] if best == "capacity-block" else kept)


def _sort(one: Candidate) -> str:
    reservation = one.reservation
    assert reservation is not None
    if reservation.kind == "capacity-block":
        return reservation.kind
    return "interruptible" if reservation.is_interruptible else "default"


def _by_room(one: Candidate) -> tuple[int, int, str, str]:
    reservation = one.reservation
    return (
        -(one.offering.reservation_capacity or 0),
        one.offering.price,
        one.type.name,
        reservation.reservation_id if reservation is not None else "",
    )


def _by_price(one: Candidate) -> tuple[int, str, str]:
    return (one.offering.price, one.type.name, one.offering.zone)


def _least(wanted: Requirements) -> Mapping[str, int]:
    return {key: one.min_values for key, one in wanted.items() if one.min_values is not None}


def _cheapest(found: tuple[Candidate, ...], least: Mapping[str, int]) -> tuple[Candidate, ...]:
    """Keep the cheapest types, those first that bring a value of which too few are there."""
    ordered = sorted(found, key=_by_price)
    types = {one.type.name: one.type for one in ordered}
    if len(types) > TYPES_MAX:
        first = _bringing(types, least)
        rest = [name for name in types if name not in first]
        kept = set([*first, *rest][:TYPES_MAX])
        ordered = [one for one in ordered if one.type.name in kept]
    return tuple(ordered)


def _bringing(types: Mapping[str, InstanceType], least: Mapping[str, int]) -> list[str]:
    seen: dict[str, set[str]] = {key: set() for key in least}
    first = []
    for name, kind in types.items():
        is_needed = False
        for key, number in least.items():
            requirement = kind.requirements.get(key)
            values = set() if requirement is None else requirement.values - seen[key]
            if values and len(seen[key]) < number:
                is_needed = True
                seen[key] |= values
        if is_needed:
            first.append(name)
    return first
