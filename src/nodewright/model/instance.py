"""Machines that can be had: instance types and their offerings.

An offering is one way to buy a type: a zone, a capacity type, a price, and whether it is to be had
right now. `allocatable` is what pods can use: capacity less what the system keeps for itself.
"""

from functools import cached_property
from typing import NewType

import msgspec

from nodewright.model.labels import CAPACITY_TYPE, RESERVED, ZONE
from nodewright.model.quantity import Milli, Resources, add
from nodewright.model.requirements import Requirement, Requirements

NanoUSD = NewType("NanoUSD", int)
"""Price in thousand-millionths of the price list's currency, per hour."""

NANO = 1_000_000_000


class Overhead(msgspec.Struct, frozen=True):
    """What a machine keeps from its pods."""

    kube_reserved: Resources = {}
    system_reserved: Resources = {}
    eviction_threshold: Resources = {}

    def total(self) -> dict[str, Milli]:
        """Sum the three parts."""
        return add(self.kube_reserved, self.system_reserved, self.eviction_threshold)


class Offering(msgspec.Struct, frozen=True):
    """One way to buy an instance type."""

    requirements: Requirements
    price: NanoUSD
    available: bool = True
    reservation_capacity: int | None = None
    price_is_estimate: bool = False

    @property
    def zone(self) -> str:
        """The zone, or nothing where the offering does not say."""
        return _single(self.requirements.get(ZONE))

    @property
    def capacity_type(self) -> str:
        """`on-demand`, `spot` or `reserved`."""
        return _single(self.requirements.get(CAPACITY_TYPE))

    @property
    def is_reserved(self) -> bool:
        """Whether it draws on a capacity reservation."""
        return self.capacity_type == RESERVED


class InstanceType(msgspec.Struct, frozen=True, dict=True):
    """A kind of machine: its labels, what it has, and how it can be bought."""

    name: str
    requirements: Requirements
    capacity: Resources
    overhead: Overhead = Overhead()
    offerings: tuple[Offering, ...] = ()

    @cached_property
    def allocatable(self) -> Resources:
        """Capacity less overhead; huge pages are taken from memory, which never falls below 0."""
        overhead = self.overhead.total()
        rest = {name: amount - overhead.get(name, 0) for name, amount in self.capacity.items()}
        pages = sum(amount for name, amount in rest.items() if name.startswith("hugepages-"))
        if pages:
            rest["memory"] = max(0, rest.get("memory", 0) - pages)
        return rest

    @cached_property
    def capacity_types(self) -> frozenset[str]:
        """The capacity types that some offering which can be had is of."""
        return frozenset(one.capacity_type for one in self.offerings if one.available)


def _single(requirement: Requirement | None) -> str:
    if requirement is None or requirement.complement or len(requirement.values) != 1:
        return ""
    return next(iter(requirement.values))
