"""Plan: where every pending pod goes, which nodes to make for the rest, and why some stay behind."""

from collections.abc import Mapping

import msgspec

from nodewright.model.instance import NanoUSD
from nodewright.model.quantity import Resources
from nodewright.model.requirements import Requirements


class ChosenOffering(msgspec.Struct, frozen=True):
    """The cheapest way to buy a planned node."""

    instance_type: str
    zone: str
    capacity_type: str
    price: NanoUSD
    price_is_estimate: bool = False


class PlannedNode(msgspec.Struct, frozen=True):
    """A node to be made: its pool, its pods, and every type that it may be launched as."""

    node_pool: str
    pods: tuple[str, ...]
    instance_types: tuple[str, ...]
    offering: ChosenOffering
    requirements: Requirements
    requests: Resources
    min_values_relaxed: bool = False


class FilledNode(msgspec.Struct, frozen=True):
    """An existing or in-flight node that takes pending pods."""

    name: str
    pods: tuple[str, ...]


class PoolRefusal(msgspec.Struct, frozen=True):
    """Why one pool cannot make a node for a pod."""

    name: str
    code: str
    reason: str
    detail: Mapping[str, object] = {}


class Unplaced(msgspec.Struct, frozen=True):
    """Why a pod stays behind: the sentence that helps most, its code, and each pool's own reason."""

    summary: str
    code: str
    deferred: bool = False
    node_pools: tuple[PoolRefusal, ...] = ()


class Plan(msgspec.Struct, frozen=True):
    """The answer to a World: every pod that is to be placed stands in exactly one of the three."""

    new_nodes: tuple[PlannedNode, ...] = ()
    existing_nodes: tuple[FilledNode, ...] = ()
    unschedulable: Mapping[str, Unplaced] = {}
    price: NanoUSD = NanoUSD(0)
    lower_bound: NanoUSD | None = None
    cut: bool = False
