"""NodeOverlays: the catalog as its owner has corrected it, worked out before anything is judged.

Heavier overlays come first, names from z to a among equals; the first to speak of a price or of a
resource has its way. One that says the same as another of equal weight is left out whole.
"""

from fractions import Fraction

import msgspec

from nodewright.model.instance import NANO, InstanceType, NanoUSD, Offering
from nodewright.model.overlay import NodeOverlay
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirement, read_requirement
from nodewright.model.world import World
from referee.labels import accepts_missing, can_meet

type Spoken = tuple[str, str, object]


def corrected(world: World) -> World:
    """The world with every overlay worked into its instance types."""
    if not world.node_overlays or not world.options.feature_gates.get("NodeOverlay", True):
        return world
    overlays = sorted(
        world.node_overlays,
        key=lambda one: (one.spec.weight or 0, one.metadata.name),
        reverse=True,
    )
    types = {pool: _correct(catalog, overlays) for pool, catalog in world.instance_types.items()}
    return msgspec.structs.replace(world, instance_types=types)


def _correct(
    catalog: tuple[InstanceType, ...], overlays: list[NodeOverlay]
) -> tuple[InstanceType, ...]:
    said: dict[Spoken, tuple[int, NodeOverlay]] = {}
    for overlay in overlays:
        weight = overlay.spec.weight or 0
        speaks = _topics(overlay, catalog)
        if any(topic in said and said[topic][0] == weight for topic in speaks):
            continue
        for topic in speaks:
            said.setdefault(topic, (weight, overlay))
    return tuple(_apply(kind, said) for kind in catalog)


def _topics(overlay: NodeOverlay, catalog: tuple[InstanceType, ...]) -> list[Spoken]:
    spec = overlay.spec
    wanted = [read_requirement(one) for one in spec.requirements]
    topics: list[Spoken] = []
    for kind in catalog:
        fitting = [one for one in kind.offerings if _matches(wanted, kind, one)]
        if fitting and (spec.price is not None or spec.price_adjustment is not None):
            topics += [("price", kind.name, one.requirements) for one in fitting]
        if fitting:
            topics += [("capacity", kind.name, name) for name in spec.capacity]
    return topics


def _matches(wanted: list[Requirement], kind: InstanceType, offering: Offering) -> bool:
    for want in wanted:
        sides = [
            source[want.key]
            for source in (kind.requirements, offering.requirements)
            if want.key in source
        ]
        if not sides and not accepts_missing(want):
            return False
        if not all(can_meet(want, side) for side in sides):
            return False
    return True


def _apply(kind: InstanceType, said: dict[Spoken, tuple[int, NodeOverlay]]) -> InstanceType:
    offerings = tuple(
        msgspec.structs.replace(
            one, price=_price(one, said["price", kind.name, one.requirements][1])
        )
        if ("price", kind.name, one.requirements) in said
        else one
        for one in kind.offerings
    )
    extra = {
        str(topic[2]): parse_resources(overlay.spec.capacity)[str(topic[2])]
        for topic, (_, overlay) in said.items()
        if topic[:2] == ("capacity", kind.name)
    }
    return InstanceType(
        kind.name, kind.requirements, {**kind.capacity, **extra}, kind.overhead, offerings
    )


def _price(offering: Offering, overlay: NodeOverlay) -> NanoUSD:
    spec = overlay.spec
    if spec.price is not None:
        return NanoUSD(round(Fraction(spec.price) * NANO))
    change = spec.price_adjustment or "0"
    if change.endswith("%"):
        price = offering.price * (1 + Fraction(change[:-1]) / 100)
    else:
        price = offering.price + Fraction(change) * NANO
    return NanoUSD(max(0, round(price)))
