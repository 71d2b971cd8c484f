"""Instance types as a snapshot writes them, read into what the solver works with.

Thousands of types repeat the same few expressions (`kubernetes.io/arch In [amd64]`), so each
distinct expression, and each distinct list of them, becomes one shared value.
"""

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec

from nodewright.model.instance import NANO, InstanceType, NanoUSD, Offering, Overhead
from nodewright.model.metadata import NodeSelectorRequirement, Struct
from nodewright.model.pod import Amounts
from nodewright.model.quantity import parse_resources, print_resources
from nodewright.model.requirements import Requirement, Requirements, read_requirement


class WrittenOverhead(Struct, frozen=True):
    """Overhead as written."""

    kube_reserved: Amounts = {}
    system_reserved: Amounts = {}
    eviction_threshold: Amounts = {}


_PRICE_MAX: Final = 1e9
"""Dollars per hour. Larger ones, which stand for "no price known", are cut to it."""


class WrittenOffering(Struct, frozen=True):
    """An offering as written."""

    price: Annotated[float, msgspec.Meta(ge=0)]
    requirements: tuple[NodeSelectorRequirement, ...] = ()
    available: bool = True
    reservation_capacity: int | None = None
    price_is_estimate: bool = False


class WrittenType(Struct, frozen=True):
    """An instance type as written."""

    name: str
    capacity: Amounts
    requirements: tuple[NodeSelectorRequirement, ...] = ()
    overhead: WrittenOverhead = WrittenOverhead()
    offerings: tuple[WrittenOffering, ...] = ()


type _Expression = tuple[str, str, tuple[str, ...], int | None]


class CatalogReader:
    """Reads written types, sharing what they repeat."""

    def __init__(self) -> None:
        self._single: dict[_Expression, Requirement] = {}
        self._sets: dict[tuple[_Expression, ...], Requirements] = {}

    def read(self, written: Sequence[WrittenType]) -> tuple[InstanceType, ...]:
        """Read one catalog; the first bad amount or operator is raised as it is."""
        return tuple(self._read_type(one) for one in written)

    def _read_type(self, written: WrittenType) -> InstanceType:
        overhead = written.overhead
        return InstanceType(
            name=written.name,
            requirements=self._requirements(written.requirements),
            capacity=parse_resources(written.capacity),
            overhead=Overhead(
                parse_resources(overhead.kube_reserved),
                parse_resources(overhead.system_reserved),
                parse_resources(overhead.eviction_threshold),
            ),
            offerings=tuple(
                Offering(
                    self._requirements(offering.requirements),
                    NanoUSD(round(min(offering.price, _PRICE_MAX) * NANO)),
                    offering.available,
                    offering.reservation_capacity,
                    offering.price_is_estimate,
                )
                for offering in written.offerings
            ),
        )

    def _requirements(self, expressions: tuple[NodeSelectorRequirement, ...]) -> Requirements:
        key = tuple((e.key, e.operator, e.values, e.min_values) for e in expressions)
        known = self._sets.get(key)
        if known is None:
            singles = []
            for one, expression in zip(key, expressions, strict=True):
                requirement = self._single.get(one)
                if requirement is None:
                    requirement = self._single[one] = read_requirement(expression)
                singles.append(requirement)
            known = self._sets[key] = Requirements(singles)
        return known


def write_type(instance_type: InstanceType) -> dict[str, object]:
    """Write an instance type the way a snapshot holds it."""
    overhead = instance_type.overhead
    return {
        "name": instance_type.name,
        "requirements": _write(instance_type.requirements),
        "capacity": print_resources(instance_type.capacity),
        "overhead": {
            "kubeReserved": print_resources(overhead.kube_reserved),
            "systemReserved": print_resources(overhead.system_reserved),
            "evictionThreshold": print_resources(overhead.eviction_threshold),
        },
        "offerings": [_write_offering(offering) for offering in instance_type.offerings],
    }


def _write_offering(offering: Offering) -> dict[str, object]:
    written: dict[str, object] = {
        "requirements": _write(offering.requirements),
        "price": offering.price / NANO,
        "available": offering.available,
    }
    if offering.reservation_capacity is not None:
        written["reservationCapacity"] = offering.reservation_capacity
    if offering.price_is_estimate:
        written["priceIsEstimate"] = True
    return written


def _write(requirements: Requirements) -> object:
    return msgspec.to_builtins(requirements.expressions())
