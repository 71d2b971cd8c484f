"""Which offering a machine is bought as: reserved, then spot, then on demand; cheapest first."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from nodewright.kwok.wishes import OfferingKey
from nodewright.model.instance import InstanceType, Offering
from nodewright.model.labels import ON_DEMAND, RESERVED, SPOT
from nodewright.ports.cloud import LaunchRequest

_ORDER: Final = {RESERVED: 0, SPOT: 1, ON_DEMAND: 2}


class Choice(msgspec.Struct, frozen=True):
    """A type and the way in which it is bought."""

    type: InstanceType
    offering: Offering

    @property
    def key(self) -> OfferingKey:
        """Instance type, zone and capacity type."""
        return key_of(self.type, self.offering)

    @property
    def labels(self) -> dict[str, str]:
        """The labels of such a machine."""
        return {**self.type.requirements.labels(), **self.offering.requirements.labels()}


def key_of(kind: InstanceType, offering: Offering) -> OfferingKey:
    """Name an offering."""
    return (kind.name, offering.zone, offering.capacity_type)


def rank(request: LaunchRequest, types: Iterable[InstanceType]) -> list[Choice]:
    """Give everything that a request could be met with, the best first.

    A request that names no types takes any that fits.
    """
    names = set(request.instance_types)
    found = [
        choice
        for kind in types
        if (not names or kind.name in names) and _is_large_enough(kind, request)
        for choice in _offerings(kind, request)
    ]
    return sorted(found, key=lambda one: (_ORDER.get(one.key[2], 3), one.offering.price, one.key))


def without(types: tuple[InstanceType, ...], gone: set[OfferingKey]) -> tuple[InstanceType, ...]:
    """Give the types with some offerings marked as not to be had."""
    if not gone:
        return types
    names = {key[0] for key in gone}
    return tuple(_marked(one, gone) if one.name in names else one for one in types)


def _marked(kind: InstanceType, gone: set[OfferingKey]) -> InstanceType:
    offerings = tuple(
        msgspec.structs.replace(one, available=False) if key_of(kind, one) in gone else one
        for one in kind.offerings
    )
    return msgspec.structs.replace(kind, offerings=offerings)


def _is_large_enough(kind: InstanceType, request: LaunchRequest) -> bool:
    room = kind.allocatable
    return all(amount <= room.get(name, 0) for name, amount in request.requests.items())


def _offerings(kind: InstanceType, request: LaunchRequest) -> Iterator[Choice]:
    wanted = request.requirements
    if kind.requirements.conflict(wanted) is not None:
        return
    for offering in kind.offerings:
        if offering.available and offering.requirements.conflict(wanted) is None:
            yield Choice(kind, offering)
