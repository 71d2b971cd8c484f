"""What a NodePool can make, as bits.

Every way to buy a machine (a type's offering) is one bit, in order of price: reserved capacity
first, then cheapest first. A set of them is one integer, so "what can this node still be" is an AND
of a few integers, and the cheapest of a set is its lowest bit. For each resource, sorted amounts
with suffix masks answer "all with at least x" by bisection; for each label, distinct requirements
with their masks answer "all that can be y".
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Final

import msgspec
import numpy as np

from nodewright.core.scheduling.duals import Matrix, Vector
from nodewright.core.scheduling.masks import unpack
from nodewright.core.scheduling.rules.ports import HostPort
from nodewright.model.instance import InstanceType, Offering
from nodewright.model.nodepool import NodePool
from nodewright.model.quantity import Milli, Resources
from nodewright.model.requirements import Requirement, Requirements

type Bits = int


class Way(msgspec.Struct, frozen=True):
    """One way to buy a machine: a type and one of its offerings."""

    type_index: int
    offering: Offering
    is_reserved: bool = False
    reservation: str = ""


class DaemonLoad(msgspec.Struct, frozen=True):
    """What the daemon pods of a type take: their requests and their host ports."""

    requests: Resources = {}
    ports: tuple[HostPort, ...] = ()


class Thresholds:
    """Sorted amounts of one resource, each with the mask of all ways that have at least it."""

    __slots__ = ("amounts", "at_least", "at_most", "top")

    def __init__(self, amounts: Mapping[Milli, Bits]) -> None:
        self.amounts = sorted(amounts)
        self.top: Milli = self.amounts[-1] if self.amounts else 0
        self.at_least: list[Bits] = [0] * (len(self.amounts) + 1)
        self.at_most: list[Bits] = [0] * (len(self.amounts) + 1)
        for index in range(len(self.amounts) - 1, -1, -1):
            self.at_least[index] = self.at_least[index + 1] | amounts[self.amounts[index]]
        for index, amount in enumerate(self.amounts):
            self.at_most[index + 1] = self.at_most[index] | amounts[amount]

    def having(self, amount: Milli) -> Bits:
        """Give all ways with at least this amount."""
        return self.at_least[bisect_left(self.amounts, amount)]

    def largest(self, bits: Bits) -> Milli:
        """Give the largest amount that any of these ways has."""
        low, high = 0, len(self.amounts)
        while high - low > 1:
            middle = (low + high) // 2
            if self.at_least[middle] & bits:
                low = middle
            else:
                high = middle
        return self.amounts[low] if self.amounts else 0

    def within(self, amount: Milli) -> Bits:
        """Give all ways with at most this amount."""
        return self.at_most[bisect_right(self.amounts, amount)]


type _LabelBits = list[tuple[Requirement | None, Bits]]
"""What is said of a label, or nothing, and the ways of which it is said."""

_REQUIREMENTS_MAX: Final = 20_000
_LABELS_MAX: Final = 500
"""How much an index remembers of what pods asked for; more is worked out each time."""


class Supply:
    """A NodePool with everything that it can make, indexed."""

    def __init__(
        self,
        pool: NodePool,
        types: Sequence[InstanceType],
        requirements: Requirements,
        daemons: Sequence[DaemonLoad],
        settings: "SupplySettings",
    ) -> None:
        self.pool = pool
        self.name = pool.metadata.name
        self.types = types
        self.requirements = requirements
        self.taints = pool.spec.template.spec.taints
        self.daemons = daemons
        self.settings = settings
        self.ways = _sorted_ways(types, requirements, settings)
        self._type_of_way = np.array([way.type_index for way in self.ways], dtype=np.int64)
        self.type_bits: list[Bits] = [0] * len(types)
        for bit, way in enumerate(self.ways):
            self.type_bits[way.type_index] |= 1 << bit
        self.everything: Bits = (1 << len(self.ways)) - 1
        self.reserved: Bits = _mask(bit for bit, way in enumerate(self.ways) if way.is_reserved)
        self._available = [_free(one, load) for one, load in zip(types, daemons, strict=True)]
        self._overfull: Bits = _mask_types(
            self.type_bits,
            (
                index
                for index, free in enumerate(self._available)
                if min(free.values(), default=0) < 0
            ),
        )
        self.full: Bits = _mask(
            bit
            for bit, way in enumerate(self.ways)
            if way.is_reserved and not way.offering.reservation_capacity
        )
        self.everything &= ~(self._overfull | self.full)
        self.columns: dict[tuple[str, ...], tuple[Matrix, Vector]] = {}
        """What ways have free and cost, by the resources that were asked for; markets fill it."""
        self._room: dict[str, Thresholds] = {}
        self._capacity: dict[str, Thresholds] = {}
        self._labels: dict[str, tuple[_LabelBits, _LabelBits]] = {}
        self._meeting: dict[Requirement, Bits] = {}
        self._surely: dict[Requirement, Bits] = {}
        self._alive: dict[Bits, tuple[int, ...]] = {}
        self._names: dict[Bits, tuple[str, ...]] = {}
        self._least: dict[Bits, Resources] = {}
        self._port_bits: list[tuple[tuple[HostPort, ...], Bits]] = _port_groups(
            daemons, self.type_bits
        )

    def twin(self, pool: NodePool, requirements: Requirements) -> "Supply":
        """Give the supply of a pool that differs in name and taints only; it shares this index.

        What is remembered of sets of ways is not shared: there are many of them, and an index lives long.
        """
        other = copy(self)
        other.forget_sets()
        other.pool = pool
        other.name = pool.metadata.name
        other.requirements = requirements
        other.taints = pool.spec.template.spec.taints
        return other

    def forget_sets(self) -> None:
        """Forget what was worked out for sets of ways."""
        self._alive, self._names, self._least = {}, {}, {}

    def room(self, resource: str) -> Thresholds:
        """Give the thresholds of what is free for pods, daemon pods already taken off."""
        known = self._room.get(resource)
        if known is None:
            known = self._room[resource] = self._thresholds(
                resource, (free.get(resource, 0) for free in self._available)
            )
        return known

    def capacity(self, resource: str) -> Thresholds:
        """Give the thresholds of what a limit counts: whole machines."""
        known = self._capacity.get(resource)
        if known is None:
            known = self._capacity[resource] = self._thresholds(
                resource, (one.capacity.get(resource, 0) for one in self.types)
            )
        return known

    def _thresholds(self, resource: str, amounts: Iterable[Milli]) -> Thresholds:
        del resource
        by_amount: dict[Milli, Bits] = {}
        for index, amount in enumerate(amounts):
            by_amount[amount] = by_amount.get(amount, 0) | self.type_bits[index]
        return Thresholds(by_amount)

    def free(self, type_index: int) -> Resources:
        """Give what pods can use of a type after its daemon pods."""
        return self._available[type_index]

    def meeting(self, requirement: Requirement) -> Bits:
        """Give all ways whose labels can satisfy one requirement."""
        bare = requirement.without_min_values()
        known = self._meeting.get(bare)
        if known is None:
            known = self._meet(bare)
            if len(self._meeting) < _REQUIREMENTS_MAX:
                self._meeting[bare] = known
        return known

    def _meet(self, wanted: Requirement) -> Bits:
        by_type, by_way = self._label_index(wanted.key)
        types = _or(bits for have, bits in by_type if have is None or _can_be(have, wanted))
        ways = _or(bits for have, bits in by_way if have is None or _can_be(have, wanted))
        return types & ways

    def surely(self, requirement: Requirement) -> Bits:
        """Give all ways whose labels satisfy one requirement whatever their values turn out to be."""
        bare = requirement.without_min_values()
        known = self._surely.get(bare)
        if known is None:
            known = self._satisfy(bare)
            if len(self._surely) < _REQUIREMENTS_MAX:
                self._surely[bare] = known
        return known

    def _satisfy(self, wanted: Requirement) -> Bits:
        labelled = self.labelled(wanted.key)
        met = _or(
            bits
            for side in self._label_index(wanted.key)
            for have, bits in side
            if have is not None and have.is_within(wanted)
        )
        return met | (self.everything & ~labelled if wanted.is_negative else 0)

    def has_label(self, key: str) -> bool:
        """Tell whether nodes of the pool may have a label, whatever their pods ask for."""
        return key in self.requirements or key in self.settings.well_known

    def labelled(self, key: str) -> Bits:
        """Give all ways whose type or offering says something of a label."""
        sides = self._label_index(key)
        return _or(bits for side in sides for have, bits in side if have is not None)

    def _label_index(self, key: str) -> tuple[_LabelBits, _LabelBits]:
        """Give what types, and what ways, say of a label, with the ways that say each of it."""
        known = self._labels.get(key)
        if known is None:
            known = self._index_label(key)
            if len(self._labels) < _LABELS_MAX:
                self._labels[key] = known
        return known

    def _index_label(self, key: str) -> tuple[_LabelBits, _LabelBits]:
        by_type: dict[Requirement | None, Bits] = {}
        for index, one in enumerate(self.types):
            have = one.requirements.get(key)
            by_type[have] = by_type.get(have, 0) | self.type_bits[index]
        by_way: dict[Requirement | None, Bits] = {}
        for bit, way in enumerate(self.ways):
            have = way.offering.requirements.get(key)
            by_way[have] = by_way.get(have, 0) | (1 << bit)
        return list(by_type.items()), list(by_way.items())

    def port_blocked(self, ports: Iterable[HostPort]) -> Bits:
        """Give all ways on which a daemon pod already holds one of these host ports."""
        wanted = tuple(ports)
        return _or(
            bits
            for held, bits in self._port_bits
            if any(port.clashes(other) for port in wanted for other in held)
        )

    def alive_types(self, bits: Bits) -> tuple[int, ...]:
        """Give the types of a set of ways, cheapest first."""
        known = self._alive.get(bits)
        if known is None:
            kinds = self._type_of_way[unpack(bits, len(self.ways))]
            _, first = np.unique(kinds, return_index=True)
            known = self._alive[bits] = tuple(kinds[np.sort(first)].tolist())
        return known

    def alive_names(self, bits: Bits) -> tuple[str, ...]:
        """Give the names of the types of a set of ways, cheapest first."""
        known = self._names.get(bits)
        if known is None:
            known = self._names[bits] = tuple(
                self.types[index].name for index in self.alive_types(bits)
            )
        return known

    def least_daemons(self, bits: Bits) -> Resources:
        """Give, per resource, the least that daemon pods take on any type of a set of ways."""
        known = self._least.get(bits)
        if known is None:
            loads = {id(one): one for one in map(self.daemons.__getitem__, self.alive_types(bits))}
            known = self._least[bits] = _least([one.requests for one in loads.values()])
        return known


class SupplySettings(msgspec.Struct, frozen=True):
    """What decides which offerings of a type count."""

    well_known: frozenset[str]
    reservation_key: str
    use_reserved: bool = True


def _sorted_ways(
    types: Sequence[InstanceType], requirements: Requirements, settings: SupplySettings
) -> list[Way]:
    # Offerings share their requirements by the thousand: each distinct set is looked at once.
    known: dict[int, _Terms | None] = {}
    found: list[tuple[tuple[object, ...], Way]] = []
    for index, one in enumerate(types):
        for offering in one.offerings:
            if not offering.available:
                continue
            key = id(offering.requirements)
            if key not in known:
                known[key] = _terms(offering, requirements, settings)
            terms = known[key]
            if terms is None:
                continue
            is_reserved, zone, capacity_type, reservation = terms
            way = Way(index, offering, is_reserved, reservation)
            order = (not is_reserved, offering.price, one.name, zone, capacity_type, reservation)
            found.append((order, way))
    found.sort(key=lambda one: one[0])
    return [way for _, way in found]


type _Terms = tuple[bool, str, str, str]
"""Whether an offering is reserved, its zone, its capacity type, its reservation."""


def _terms(
    offering: Offering, requirements: Requirements, settings: SupplySettings
) -> _Terms | None:
    """Read the terms of an offering; nothing for one that this pool can never use."""
    is_reserved = offering.is_reserved
    if is_reserved and not settings.use_reserved:
        return None
    for key, requirement in offering.requirements.items():
        known = key in settings.well_known or key in requirements
        if not known and not requirement.is_negative:
            return None
    named = offering.requirements.get(settings.reservation_key) if is_reserved else None
    reservation = min(named.values, default="") if named else ""
    return is_reserved, offering.zone, offering.capacity_type, reservation


def _least(loads: Sequence[Resources]) -> Resources:
    if not loads:
        return {}
    shared = set(loads[0]).intersection(*loads[1:])
    return {name: min(load[name] for load in loads) for name in sorted(shared)}


def _free(one: InstanceType, load: DaemonLoad) -> dict[str, Milli]:
    rest = dict(one.allocatable)
    for name, amount in load.requests.items():
        rest[name] = rest.get(name, 0) - amount
    return rest


def _can_be(have: Requirement, wanted: Requirement) -> bool:
    return have.intersects(wanted) or (have.is_negative and wanted.is_negative)


def _port_groups(
    daemons: Sequence[DaemonLoad], type_bits: Sequence[Bits]
) -> list[tuple[tuple[HostPort, ...], Bits]]:
    groups: dict[tuple[HostPort, ...], Bits] = {}
    for load, bits in zip(daemons, type_bits, strict=True):
        if load.ports:
            groups[load.ports] = groups.get(load.ports, 0) | bits
    return list(groups.items())


def _mask(bits: Iterable[int]) -> Bits:
    total = 0
    for bit in bits:
        total |= 1 << bit
    return total


def _mask_types(type_bits: Sequence[Bits], indexes: Iterable[int]) -> Bits:
    return _or(type_bits[index] for index in indexes)


def _or(masks: Iterable[Bits]) -> Bits:
    total = 0
    for mask in masks:
        total |= mask
    return total
