"""NodeOverlays: corrections of prices and extended resources, heaviest first.

The first overlay that touches an offering's price, or a resource of a type, wins. Two of equal
weight that touch the same thing contradict each other: the later one is not used at all.
"""

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

import msgspec

from nodewright.model.instance import NANO, InstanceType, NanoUSD, Offering
from nodewright.model.overlay import NodeOverlay
from nodewright.model.quantity import BadQuantity, Milli, parse_resources
from nodewright.model.requirements import BadRequirement, Requirements
from nodewright.model.world import World


class _Read(msgspec.Struct, frozen=True):
    overlay: NodeOverlay
    requirements: Requirements
    capacity: Mapping[str, Milli]

    @property
    def weight(self) -> int:
        return self.overlay.spec.weight or 0


def apply_overlays(world: World) -> Mapping[str, tuple[InstanceType, ...]]:
    """Give every pool's types with the overlays applied."""
    overlays = _usable(world)
    applied: dict[int, tuple[InstanceType, ...]] = {}
    result = {}
    for pool, types in world.instance_types.items():
        if id(types) not in applied:
            applied[id(types)] = tuple(_apply(one, overlays) for one in types)
        result[pool] = applied[id(types)]
    return result


def find_contradictions(world: World) -> tuple[tuple[str, str], ...]:
    """Give the overlays that are not used, each with the one of equal weight that it contradicts."""
    found: list[tuple[str, str]] = []
    _usable(world, found)
    return tuple(found)


def _usable(world: World, contradictions: list[tuple[str, str]] | None = None) -> list[_Read]:
    overlays = []
    for overlay in world.node_overlays:
        try:
            overlays.append(
                _Read(
                    overlay,
                    Requirements.from_expressions(overlay.spec.requirements),
                    parse_resources(overlay.spec.capacity),
                )
            )
        except (BadRequirement, BadQuantity):
            continue
    overlays.sort(key=lambda one: one.overlay.metadata.name, reverse=True)
    overlays.sort(key=lambda one: -one.weight)
    types = list({id(one): one for many in world.instance_types.values() for one in many}.values())
    kept: list[_Read] = []
    for one in overlays:
        rivals = (other for other in kept if other.weight == one.weight)
        rival = next((other for other in rivals if _contradict(one, other, types)), None)
        if rival is None:
            kept.append(one)
        elif contradictions is not None:
            names = (one.overlay.metadata.name, rival.overlay.metadata.name)
            contradictions.append(names)
    return kept


def _contradict(left: _Read, right: _Read, types: list[InstanceType]) -> bool:
    resources = left.capacity.keys() & right.capacity.keys()
    prices = _has_price(left.overlay) and _has_price(right.overlay)
    for one in types:
        if resources and _matches_type(left, one) and _matches_type(right, one):
            return True
        if prices and any(
            _matches_offering(left, one, offering) and _matches_offering(right, one, offering)
            for offering in one.offerings
        ):
            return True
    return False


def _has_price(overlay: NodeOverlay) -> bool:
    return overlay.spec.price is not None or overlay.spec.price_adjustment is not None


def _matches_type(read: _Read, one: InstanceType) -> bool:
    return one.requirements.conflict(read.requirements) is None


def _matches_offering(read: _Read, one: InstanceType, offering: Offering) -> bool:
    return _matches_type(read, one) and offering.requirements.conflict(read.requirements) is None


def _apply(one: InstanceType, overlays: list[_Read]) -> InstanceType:
    more: dict[str, Milli] = {}
    for read in overlays:
        if read.capacity and _matches_type(read, one):
            for name, amount in read.capacity.items():
                more.setdefault(name, amount)
    offerings = tuple(_priced(one, offering, overlays) for offering in one.offerings)
    if not more and offerings == one.offerings:
        return one
    return InstanceType(
        one.name, one.requirements, {**one.capacity, **more}, one.overhead, offerings
    )


def _priced(one: InstanceType, offering: Offering, overlays: list[_Read]) -> Offering:
    for read in overlays:
        if _has_price(read.overlay) and _matches_offering(read, one, offering):
            price = _price(read.overlay, offering.price)
            return offering if price is None else msgspec.structs.replace(offering, price=price)
    return offering


def _price(overlay: NodeOverlay, price: NanoUSD) -> NanoUSD | None:
    """Work out an overlay's price; nothing when it is not written as a number."""
    try:
        if overlay.spec.price is not None:
            changed = Decimal(overlay.spec.price) * NANO
        else:
            written = overlay.spec.price_adjustment or "0"
            if written.endswith("%"):
                changed = price * (1 + Decimal(written[:-1]) / 100)
            else:
                changed = price + Decimal(written) * NANO
    except InvalidOperation:
        return None
    return NanoUSD(max(0, int(changed.to_integral_value(ROUND_HALF_UP))))
