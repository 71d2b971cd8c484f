"""Plan: where every pending pod goes, which nodes to make for the rest, and why some stay behind."""

from collections.abc import Mapping

import msgspec

from nodewright.model.cause import Cause
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
    cause: Cause | None = None


class Unplaced(msgspec.Struct, frozen=True):
    """Why a pod stays behind: the sentence that helps most, its code, and each pool's own reason."""

    summary: str
    code: str
    deferred: bool = False
    node_pools: tuple[PoolRefusal, ...] = ()
    nearest: PoolRefusal | None = None
    cause: Cause | None = None

    @property
    def grouping(self) -> tuple[str, ...]:
        """What pods that stay behind for the same cause have in common."""
        cause = self.cause or (self.nearest.cause if self.nearest else None)
        if cause is None:
            return (self.code, self.summary)
        return (self.code, self.nearest.name if self.nearest else "", cause.kind, cause.subject)


def group_causes(unplaced: Mapping[str, Unplaced]) -> list[tuple[str, ...]]:
    """Group pods that stay behind for the same cause, the largest group first."""
    causes: dict[tuple[bool, *tuple[str, ...]], list[str]] = {}
    for key, one in unplaced.items():
        causes.setdefault((one.deferred, *one.grouping), []).append(key)
    return sorted(map(tuple, causes.values()), key=lambda keys: (-len(keys), keys[0]))


class Plan(msgspec.Struct, frozen=True):
    """The answer to a World: every pod that is to be placed stands in exactly one of the three."""

    new_nodes: tuple[PlannedNode, ...] = ()
    existing_nodes: tuple[FilledNode, ...] = ()
    unschedulable: Mapping[str, Unplaced] = {}
    price: NanoUSD = NanoUSD(0)
    lower_bound: NanoUSD | None = None
    idle_pools: tuple[PoolRefusal, ...] = ()
    """Pools whose own requirements leave nothing that can be had, whether or not pods need them."""
    cut: bool = False
