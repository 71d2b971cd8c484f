"""NodePools made ready for planning: which are used, in which order, and what each can make."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from nodewright.core.recall import Recall
from nodewright.core.scheduling.daemons import Daemon, daemon_loads
from nodewright.core.scheduling.faults import fault_cause
from nodewright.core.scheduling.overlays import apply_overlays
from nodewright.core.scheduling.rules.min_values import distinct_values, min_values_of
from nodewright.core.scheduling.supply import Supply, SupplySettings
from nodewright.model.cause import Cause
from nodewright.model.instance import InstanceType
from nodewright.model.labels import NODEPOOL
from nodewright.model.metadata import Condition, Taint
from nodewright.model.nodepool import NodePool
from nodewright.model.quantity import BadQuantity, parse_resources
from nodewright.model.reason import Reason
from nodewright.model.requirements import BadRequirement, Requirement, Requirements
from nodewright.model.world import World


class SkippedPool(msgspec.Struct, frozen=True):
    """A pool that cannot make nodes now, and why; what takes work to say is said when asked."""

    name: str
    reason: Reason
    cause: Cause | None = None


class Pools(msgspec.Struct, frozen=True):
    """The pools of a World: usable ones in order of preference, and the others with reasons."""

    supplies: tuple[Supply, ...]
    skipped: tuple[SkippedPool, ...]
    ranges: tuple["PoolRange", ...]


class PoolRange(msgspec.Struct, frozen=True):
    """What nodes of a ready pool could be labelled, before its requirements pick among types."""

    requirements: Requirements
    taints: tuple[Taint, ...]
    types: tuple[InstanceType, ...]


def read_pools(world: World, daemons: Sequence[Daemon]) -> Pools:
    """Prepare every pool: heaviest first, equal weights by name from z to a."""
    options = world.options
    settings = SupplySettings(
        well_known=options.well_known_labels,
        reservation_key=options.reservation_id_label,
        use_reserved=options.feature_gates.get("ReservedCapacity", True),
    )
    types_by_pool = world.instance_types
    if world.node_overlays and options.feature_gates.get("NodeOverlay", True):
        types_by_pool = apply_overlays(world)
    ordered = sorted(world.node_pools, key=lambda pool: pool.metadata.name, reverse=True)
    ordered.sort(key=lambda pool: -(pool.spec.weight or 0))
    supplies: list[Supply] = []
    skipped: list[SkippedPool] = []
    ranges: list[PoolRange] = []
    maker = _SupplyMaker(daemons, settings)
    for pool in ordered:
        requirements = _unready(pool, types_by_pool) or _requirements(pool)
        if isinstance(requirements, SkippedPool):
            skipped.append(requirements)
            continue
        types = types_by_pool[pool.metadata.name]
        ranges.append(PoolRange(requirements, pool.spec.template.spec.taints, types))
        supply = _supply(pool, ranges[-1], maker, world)
        if isinstance(supply, SkippedPool):
            skipped.append(supply)
        else:
            supplies.append(supply)
    return Pools(tuple(supplies), tuple(skipped), tuple(ranges))


def pool_requirements(pool: NodePool) -> Requirements:
    """Give what every node of a pool has: its requirements, labels, pool and class."""
    template = pool.spec.template
    reference = template.spec.node_class_ref
    own = {**template.metadata.labels, NODEPOOL: pool.metadata.name}
    if reference.kind:
        own[f"{reference.group}/{reference.kind.lower()}"] = reference.name
    return Requirements.from_expressions(template.spec.requirements).with_all(
        Requirements.from_labels(own).values()
    )


def _unready(pool: NodePool, types: Mapping[str, tuple[InstanceType, ...]]) -> SkippedPool | None:
    name = pool.metadata.name
    if pool.metadata.deletion_timestamp is not None:
        return _not_ready(name, "pool-deleting")
    if pool.spec.replicas is not None:
        return _not_ready(name, "pool-static", count=pool.spec.replicas)
    problem = _why_unready(pool.status.conditions)
    if problem:
        return _not_ready(name, "pool-unready", why=problem)
    if name not in types:
        kind = pool.spec.template.spec.node_class_ref.kind
        return _not_ready(name, "pool-foreign", kind=kind)
    return None


def _why_unready(conditions: Sequence[Condition]) -> str:
    """Say what keeps a pool from being ready: what its class or its check found comes first."""
    wrong = {one.type: one for one in conditions if one.status == "False"}
    if "Ready" not in wrong:
        return ""
    for name in ("ValidationSucceeded", "NodeClassReady", "Ready"):
        one = wrong.get(name)
        if one is not None and (one.message or one.reason):
            return ": ".join(part for part in (one.reason, one.message) if part)
    return "Ready=False"


def _not_ready(name: str, kind: str, /, **values: str | int) -> SkippedPool:
    reason = Reason.POOL_NOT_READY
    return SkippedPool(name, reason, Cause(reason, kind, name, values))


def _requirements(pool: NodePool) -> Requirements | SkippedPool:
    try:
        parse_resources(pool.spec.limits or {})
        return pool_requirements(pool)
    except (BadRequirement, BadQuantity) as error:
        reason = Reason.POOL_NOT_READY
        return SkippedPool(pool.metadata.name, reason, fault_cause(error, reason, "pool"))


def _supply(
    pool: NodePool, reach: PoolRange, maker: "_SupplyMaker", world: World
) -> Supply | SkippedPool:
    name = pool.metadata.name
    requirements = reach.requirements
    supply = maker.make(pool, reach)
    if not supply.types:
        return SkippedPool(name, Reason.POOL_EMPTY)
    if world.options.min_values_policy == "Strict":
        for key, least in min_values_of(requirements).items():
            have = distinct_values(supply, (1 << len(supply.ways)) - 1, key)
            if have < least:
                return SkippedPool(name, Reason.TOO_FEW_CHOICES)
    return supply


_SUPPLIES_KEPT: Final = 16
_supplies: Final = Recall[Supply](_SUPPLIES_KEPT)


@lru_cache(maxsize=1024)
def _the_same[T](value: T) -> T:
    """Give one and the same object for equal values."""
    return value


class _SupplyMaker:
    """Makes supplies; pools that differ in name and taints only share one index.

    An index is kept from look to look as long as the types on sale and the daemon sets are the same objects.
    """

    def __init__(self, daemons: Sequence[Daemon], settings: SupplySettings) -> None:
        self._daemons = daemons
        self._settings = settings
        self._made: dict[tuple[int, frozenset[Requirement]], Supply] = {}

    def make(self, pool: NodePool, reach: PoolRange) -> Supply:
        """Give the supply of a pool."""
        own = frozenset(one for one in reach.requirements.values() if one.key != NODEPOOL)
        parts = (own, reach.taints, self._settings)
        indexed = _supplies.of(
            (reach.types, *map(_the_same, parts), *self._daemons),
            lambda: self._index(pool, reach, own),
        )
        return indexed.twin(pool, reach.requirements)

    def _index(self, pool: NodePool, reach: PoolRange, own: frozenset[Requirement]) -> Supply:
        requirements, settings = reach.requirements, self._settings
        known = self._made.get((id(reach.types), own))
        if known is not None:
            types = known.types
        else:
            sieve = _Sieve(requirements, settings)
            types = [one for one in reach.types if sieve.lets_through(one)]
        loads = daemon_loads(self._daemons, requirements, reach.taints, types, settings.well_known)
        if known is not None and loads == known.daemons:
            return known.twin(pool, requirements)
        supply = Supply(pool, types, requirements, loads, settings)
        self._made[(id(reach.types), own)] = supply
        return supply


class _Sieve:
    """Keeps the types that a pool's own requirements allow and that can be had.

    Types and offerings share their requirements by the thousand, so each set is judged once.
    """

    def __init__(self, requirements: Requirements, settings: SupplySettings) -> None:
        self._requirements = requirements
        self._well_known = settings.well_known
        self._types: dict[int, bool] = {}
        self._offerings: dict[int, bool] = {}

    def lets_through(self, one: InstanceType) -> bool:
        """Tell whether a type is one that the pool can make now."""
        key = id(one.requirements)
        if key not in self._types:
            self._types[key] = one.requirements.conflict(self._requirements) is None
        return self._types[key] and any(
            offering.available and self._meets(offering.requirements) for offering in one.offerings
        )

    def _meets(self, terms: Requirements) -> bool:
        key = id(terms)
        if key not in self._offerings:
            self._offerings[key] = self._requirements.clash(terms, self._well_known) is None
        return self._offerings[key]
