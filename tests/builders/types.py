"""Instance types and their offerings."""

from collections.abc import Mapping, Sequence

from builders.labels import Amount
from nodewright.model.instance import NANO, InstanceType, NanoUSD, Offering, Overhead
from nodewright.model.labels import (
    ARCH,
    CAPACITY_TYPE,
    INSTANCE_TYPE,
    ON_DEMAND,
    OS,
    RESERVATION_ID,
    RESERVED,
    ZONE,
)
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirement, Requirements

ZONES = ("zone-a", "zone-b", "zone-c")


def an_offering(
    zone: str = ZONES[0],
    capacity_type: str = ON_DEMAND,
    price: float = 1.0,
    *,
    available: bool = True,
    reservation: str = "",
    left: int | None = None,
) -> Offering:
    """One way to buy a type; `reservation` makes it a reserved one with `left` slots."""
    labels = {ZONE: zone, CAPACITY_TYPE: RESERVED if reservation else capacity_type}
    if reservation:
        labels[RESERVATION_ID] = reservation
    return Offering(
        requirements=Requirements.from_labels(labels),
        price=NanoUSD(round(price * NANO)),
        available=available,
        reservation_capacity=left,
    )


def a_type(
    name: str = "m",
    *,
    cpu: Amount = 4,
    memory: Amount = "16Gi",
    pods: int = 110,
    more: Mapping[str, Amount] | None = None,
    overhead: Mapping[str, Amount] | None = None,
    labels: Mapping[str, str | Sequence[str]] | None = None,
    zones: Sequence[str] = ZONES,
    capacity_types: Sequence[str] = (ON_DEMAND,),
    price: float | None = None,
    offerings: Sequence[Offering] = (),
) -> InstanceType:
    """An instance type, amd64 linux, on offer in every zone for 0.05 a cpu unless told."""
    capacity = parse_resources({"cpu": cpu, "memory": memory, "pods": pods, **(more or {})})
    cost = capacity["cpu"] / 1000 * 0.05 if price is None else price
    offered = tuple(offerings) or tuple(
        an_offering(zone, kind, cost * (0.4 if kind == "spot" else 1))
        for zone in zones
        for kind in capacity_types
    )
    values: dict[str, frozenset[str]] = {
        ARCH: frozenset({"amd64"}),
        OS: frozenset({"linux"}),
        INSTANCE_TYPE: frozenset({name}),
        ZONE: frozenset(one.zone for one in offered),
        CAPACITY_TYPE: frozenset(one.capacity_type for one in offered),
    }
    for key, value in (labels or {}).items():
        values[key] = frozenset({value} if isinstance(value, str) else value)
    return InstanceType(
        name=name,
        requirements=Requirements(Requirement(key, False, held) for key, held in values.items()),
        capacity=capacity,
        overhead=Overhead(kube_reserved=parse_resources(overhead or {})),
        offerings=offered,
    )
