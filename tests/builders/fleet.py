"""Fleets: pools, nodes with a price, and the pods on them, for tests of disruption."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from builders.labels import a_selector
from builders.nodes import a_managed_node, a_pool
from builders.pods import a_budget, a_pod
from builders.types import ZONES, a_type
from builders.world import NOW_MS, a_world
from nodewright.core.disruption.decide import decide
from nodewright.model.disruption import Decided, Memory, Settings
from nodewright.model.instance import InstanceType
from nodewright.model.instant import print_instant
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, ON_DEMAND
from nodewright.model.metadata import ObjectMeta
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepolicy import NodePolicy, NodePolicySpec
from nodewright.model.nodepool import Budget, Disruption, NodePool
from nodewright.model.pdb import PodDisruptionBudget, PodDisruptionBudgetStatus
from nodewright.model.pod import Pod

HOUR_MS = 3_600_000
_CPUS = (1, 2, 4, 8, 16)
SIZES = tuple(a_type(f"m.{cpu}", cpu=cpu, memory=f"{4 * cpu}Gi") for cpu in _CPUS)
"""Types at one price a cpu, on demand."""

BOTH_SIZES = tuple(
    a_type(f"m.{cpu}", cpu=cpu, memory=f"{4 * cpu}Gi", capacity_types=("on-demand", "spot"))
    for cpu in _CPUS
)
"""The same, as spot for two fifths of the price too."""


def a_fleet_pool(
    name: str = "default",
    *,
    after: str = "0s",
    policy: str = "WhenEmptyOrUnderutilized",
    budgets: Sequence[Budget] = (Budget(nodes="100%"),),
    **traits: object,
) -> NodePool:
    """A pool whose nodes may go all at once unless told."""
    pool = a_pool(name, **traits)
    disruption = Disruption(
        consolidate_after=after, consolidation_policy=policy, budgets=tuple(budgets)
    )
    return replace(pool, spec=replace(pool.spec, disruption=disruption))


def a_fleet_node(
    name: str,
    cpu: int = 4,
    *,
    kind: InstanceType | None = None,
    capacity_type: str = ON_DEMAND,
    age_ms: int = 24 * HOUR_MS,
    quiet_ms: int | None = None,
    annotations: Mapping[str, str] | None = None,
    grace: str | None = None,
    expire_after: str = "Never",
    **traits: object,
) -> tuple[Node, NodeClaim]:
    """A node of one of the sizes with its claim, a day old unless told."""
    bought = kind.name if kind is not None else f"m.{cpu}"
    labels = {INSTANCE_TYPE: bought, CAPACITY_TYPE: capacity_type}
    labels |= dict(traits.pop("labels", {}) or {})
    traits.setdefault("zone", ZONES[0])
    node, claim = a_managed_node(name, cpu=cpu, memory=f"{4 * cpu}Gi", labels=labels, **traits)
    node = replace(node, metadata=replace(node.metadata, annotations=dict(annotations or {})))
    made = print_instant(NOW_MS - age_ms)
    quiet = None if quiet_ms is None else print_instant(NOW_MS - quiet_ms)
    claim = replace(
        claim,
        metadata=replace(claim.metadata, creation_timestamp=made),
        spec=replace(claim.spec, expire_after=expire_after, termination_grace_period=grace),
        status=replace(claim.status, last_pod_event_time=quiet),
    )
    return node, claim


def on(node: tuple[Node, NodeClaim], *cpus: str, app: str = "", **traits: object) -> list[Pod]:
    """Pods of these sizes on a node, of one workload where it is named."""
    name = node[0].metadata.name
    owner = ("ReplicaSet", app) if app else None
    return [
        a_pod(
            f"{app or 'pod'}-{name}-{index}",
            cpu=cpu,
            node=name,
            owner=owner,
            labels={"app": app} if app else None,
            **traits,
        )
        for index, cpu in enumerate(cpus)
    ]


def a_guard(name: str, allowed: int, app: str = "web") -> PodDisruptionBudget:
    """A PodDisruptionBudget of an app that allows so many evictions now."""
    budget = a_budget(name, selector=a_selector(app=app))
    return replace(budget, status=PodDisruptionBudgetStatus(disruptions_allowed=allowed))


def a_policy(name: str = "policy", **spec: object) -> NodePolicy:
    """A NodePolicy for all pools."""
    return NodePolicy(metadata=ObjectMeta(name=name), spec=NodePolicySpec(**spec))


def decided(
    *things: object, settings: Settings | None = None, memory: Memory | None = None, **options
) -> Decided:
    """Decide on a World of these things, with every size on sale unless types are among them."""
    world = fleet_world(*things, **options)
    return decide(world, world.now_ms, settings or Settings(), memory or Memory())


def fleet_world(*things: object, **options: object):
    """A World of these things in which all sizes are on sale, and a pool where none is given."""
    flat: list[object] = []
    rest = list(things)
    while rest:
        thing = rest.pop(0)
        if isinstance(thing, tuple | list):
            rest[:0] = thing
        else:
            flat.append(thing)
    if not any(isinstance(one, NodePool) for one in flat):
        flat.append(a_fleet_pool())
    if not any(isinstance(one, InstanceType) for one in flat):
        flat += SIZES
    return a_world(*flat, **options)


def gone(answer: Decided) -> set[str]:
    """The nodes that go."""
    return {one.node for command in answer.commands for one in command.nodes}
