"""What moving costs, in whole units, and what nodes cost.

A pod costs one, more or less by its priority and its own deletion cost, within ten either way. Costs are
counted in parts of 2^27, in which both are whole numbers. A node costs one more than its pods: draining
is work, even when there is little to drain. Prices are those of the node's own zone and capacity type,
whether or not it could be bought there now.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Final

from nodewright.core.moving_cost import DELETION_COST
from nodewright.core.scheduling.overlays import apply_overlays
from nodewright.model.instance import InstanceType, NanoUSD
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.pod import Pod
from nodewright.model.world import World

ONE: Final = 1 << 27
"""The cost of an ordinary pod."""

_MOST: Final = 10 * ONE
_PRIORITY_UNITS: Final = 4


def pod_cost(pod: Pod) -> int:
    """Give the cost of driving one pod out, in parts of ONE, between -10 and 10."""
    priority = pod.spec.priority
    annotations = pod.metadata.annotations
    own = annotations.get(DELETION_COST) if annotations else None
    if own is None and not priority:
        return ONE
    cost = ONE + (_number(own) if own is not None else 0) + (priority or 0) * _PRIORITY_UNITS
    return max(-_MOST, min(_MOST, cost))


def node_cost(pods: Iterable[Pod]) -> int:
    """Give the cost of emptying a node: one, and the cost of each pod that is not glad to go."""
    return ONE + pods_cost(pods)


def pods_cost(pods: Iterable[Pod]) -> int:
    """Sum the cost of pods, those that are glad to go counting nothing."""
    return sum(max(0, pod_cost(pod)) for pod in pods)


def thousandths(cost: int) -> int:
    """Give a cost in thousandths of an ordinary pod."""
    return cost * 1000 // ONE


def _number(text: str) -> int:
    try:
        value = float(text)
    except ValueError:
        return 0
    return round(value) if math.isfinite(value) else 0


class Prices:
    """What nodes cost, looked up by their labels in their pool's price list."""

    def __init__(self, world: World) -> None:
        types = world.instance_types
        if world.node_overlays and world.options.feature_gates.get("NodeOverlay", True):
            types = apply_overlays(world)
        self.types: Mapping[str, tuple[InstanceType, ...]] = types
        self._by_name: dict[int, dict[str, InstanceType]] = {}
        self._known: dict[tuple[int, str, str, str], NanoUSD | None] = {}

    def type_of(self, pool: str, name: str) -> InstanceType | None:
        """Give a type of a pool by its name."""
        many = self.types.get(pool, ())
        index = self._by_name.get(id(many))
        if index is None:
            index = self._by_name[id(many)] = {one.name: one for one in many}
        return index.get(name)

    def of(self, labels: Mapping[str, str]) -> NanoUSD | None:
        """Give the price of a node with these labels; nothing where the list does not have it."""
        pool, name = labels.get(NODEPOOL, ""), labels.get(INSTANCE_TYPE, "")
        zone, capacity = labels.get(ZONE, ""), labels.get(CAPACITY_TYPE, "")
        key = (id(self.types.get(pool)), name, zone, capacity)
        if key not in self._known:
            self._known[key] = self._look_up(pool, name, zone, capacity)
        return self._known[key]

    def _look_up(self, pool: str, name: str, zone: str, capacity: str) -> NanoUSD | None:
        found = self.type_of(pool, name)
        if found is None:
            return None
        prices = [
            offering.price
            for offering in found.offerings
            if offering.zone == zone and offering.capacity_type == capacity
        ]
        return min(prices, default=None)
