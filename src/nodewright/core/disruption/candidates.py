"""Candidates: the nodes that may be asked to go, and why each of the others is not even asked.

The checks are made in a fixed order and the first that fails is the answer. What pods say against their
node's going is kept apart: drift of a claim with a termination grace period passes over it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.disruption.cost import Prices, node_cost
from nodewright.core.disruption.loads import NO_LOAD, Load, load_of
from nodewright.core.disruption.policies import PoolPolicy, read_policies
from nodewright.core.disruption.protection import (
    TERMINAL,
    Guards,
    is_active,
    is_mirror,
    protected_until,
    shrugs_at_drain,
)
from nodewright.core.lifecycle_conditions import INITIALIZED, find
from nodewright.core.scheduling.hosts import Joined, join
from nodewright.model import labels as names
from nodewright.model.disruption import Kept, Memory
from nodewright.model.instance import NanoUSD
from nodewright.model.instant import read_instant
from nodewright.model.keeping import Keeping
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Pod
from nodewright.model.world import World

BLOCKERS_MAX: Final = 5
"""How many pods or budgets are named as standing in the way."""


class Candidate(msgspec.Struct, frozen=True, eq=False):
    """A node that may be asked to go.

    `pods` are those that would have to move, `cost` what moving them costs. `price` is None where
    nobody can tell. `blocked` is what pods say against it; graceful methods heed that.
    """

    name: str
    node: Node
    claim: NodeClaim
    pool: NodePool
    policy: PoolPolicy
    price: NanoUSD | None
    pods: tuple[Pod, ...]
    cost: int
    made_ms: int
    quiet_since_ms: int
    blocked: Kept | None = None

    @property
    def pool_name(self) -> str:
        """The name of its pool."""
        return self.pool.metadata.name

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels of the node."""
        return self.node.metadata.labels

    @property
    def capacity_type(self) -> str:
        """How it was bought."""
        return self.labels.get(names.CAPACITY_TYPE, "")

    @property
    def has_grace(self) -> bool:
        """Whether its drain ends by force in the end."""
        return self.claim.spec.termination_grace_period is not None

    @property
    def is_static(self) -> bool:
        """Whether its pool keeps a fixed number of nodes."""
        return self.pool.spec.replicas is not None

    @property
    def is_empty(self) -> bool:
        """Whether nobody would miss it: no pod to move, or only pods that are glad to go."""
        return self.cost <= node_cost(())


class Census:
    """A World looked over once: its nodes with their claims and pods, pools, policies and prices."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.now_ms = world.now_ms
        self.joined: Sequence[Joined] = join(world)
        self.prices = Prices(world)
        self.guards = Guards(world.disruption_budgets)
        self.pools = {pool.metadata.name: pool for pool in world.node_pools}
        self.policies = read_policies(world.node_pools, world.node_policies)
        self.pods_of: dict[str, list[Pod]] = {}
        self.expected: set[str] = set()
        waiting: dict[str, str] = {}
        for pod in world.pods:
            if pod.spec.node_name:
                self.pods_of.setdefault(pod.spec.node_name, []).append(pod)
            elif pod.status.phase not in TERMINAL:
                waiting[pod.metadata.uid] = pod.status.nominated_node_name
        self.loads: dict[str, Load] = {name: load_of(pods) for name, pods in self.pods_of.items()}
        self.expected.update(name for name in waiting.values() if name)
        self.expected.update(
            host for uid, host in world.beside.expected.items() if uid in waiting and host
        )

    def price_of(self, one: Joined) -> NanoUSD:
        """Give what a node of ours costs, nothing where that is unknown or it is not ours."""
        if one.claim is None:
            return NanoUSD(0)
        return self.prices.of(one.labels()) or NanoUSD(0)


def find_candidates(census: Census, memory: Memory) -> tuple[list[Candidate], dict[str, Kept]]:
    """Give the nodes that may be asked, in order of their names, and why the others may not."""
    running = {name: one.id for one in memory.running for name in one.nodes}
    found: list[Candidate] = []
    kept: dict[str, Kept] = {}
    for one in sorted(census.joined, key=name_of):
        name = name_of(one)
        judged = _judge(census, one, memory, running)
        if isinstance(judged, Kept):
            kept[name] = judged
        else:
            found.append(judged)
    return found, kept


def name_of(one: Joined) -> str:
    """Name a node, or a claim that has none."""
    thing = one.node if one.node is not None else one.claim
    assert thing is not None
    return thing.metadata.name


def _judge(
    census: Census, one: Joined, memory: Memory, running: Mapping[str, str]
) -> Candidate | Kept:
    name = name_of(one)
    if name in running:
        return Kept(name, Keeping.IN_COMMAND, {"command": running[name]})
    if one.claim is None:
        return Kept(name, Keeping.NOT_OURS)
    if one.node is None:
        return Kept(name, Keeping.NO_NODE)
    if one.node.metadata.labels.get(names.INITIALIZED) != "true":
        return Kept(name, Keeping.NOT_INITIALIZED)
    if one.is_deleting:
        return Kept(name, Keeping.GOING)
    until_ms = memory.nominated.get(name)
    if until_ms is not None and census.now_ms < until_ms:
        return Kept(name, Keeping.NOMINATED, until_ms=until_ms)
    if name in census.expected or one.claim.metadata.name in census.expected:
        return Kept(name, Keeping.NOMINATED)
    if one.node.metadata.annotations.get(names.DO_NOT_DISRUPT) == "true":
        return Kept(name, Keeping.NODE_PROTECTED)
    pool_name = one.node.metadata.labels.get(names.NODEPOOL, "")
    pool = census.pools.get(pool_name)
    if pool is None or not census.prices.types.get(pool_name):
        return Kept(name, Keeping.POOL_UNKNOWN, {"pool": pool_name})
    return _candidate(census, one.node, one.claim, pool)


def _candidate(census: Census, node: Node, claim: NodeClaim, pool: NodePool) -> Candidate:
    name = node.metadata.name
    pods = census.pods_of.get(name, [])
    load = census.loads.get(name, NO_LOAD)
    made_ms = read_instant(claim.metadata.creation_timestamp) or 0
    return Candidate(
        name=name,
        node=node,
        claim=claim,
        pool=pool,
        policy=census.policies[pool.metadata.name],
        price=census.prices.of(node.metadata.labels),
        pods=load.moving,
        cost=load.cost,
        made_ms=made_ms,
        quiet_since_ms=_quiet_since(census, claim, name, made_ms),
        blocked=what_pods_say(census, name, pods),
    )


def _quiet_since(census: Census, claim: NodeClaim, name: str, made_ms: int) -> int:
    """Tell since when no pod has come or gone, or since when the node works."""
    initialized = find(claim.status.conditions, INITIALIZED)
    times = [
        read_instant(claim.status.last_pod_event_time),
        census.world.beside.pod_events_ms.get(name),
    ]
    known = [one for one in times if one is not None]
    if known:
        return max(known)
    since_ms = read_instant(initialized.last_transition_time) if initialized is not None else None
    return made_ms if since_ms is None else since_ms


def what_pods_say(census: Census, name: str, pods: Sequence[Pod]) -> Kept | None:
    """Tell what pods say against their node's going: annotations first, then their budgets."""
    protected: list[tuple[Pod, int]] = []
    guarded: list[tuple[Pod, str]] = []
    has_guards = bool(census.world.disruption_budgets)
    for pod in pods:
        annotations = pod.metadata.annotations
        if not annotations and not has_guards:
            continue
        if not is_active(pod):
            continue
        until_ms = protected_until(pod, census.now_ms) if annotations else None
        if until_ms is not None:
            protected.append((pod, until_ms))
            continue
        blocking = census.guards.blocking(pod)
        if blocking and not is_mirror(pod) and not shrugs_at_drain(pod):
            guarded += [(pod, one.metadata.name) for one in blocking]
    if protected:
        ends = [until_ms for _, until_ms in protected]
        return Kept(
            name,
            Keeping.POD_PROTECTED,
            _counted(pod for pod, _ in protected),
            _keys(pod for pod, _ in protected),
            None if -1 in ends else max(ends),
        )
    if guarded:
        budgets = tuple(
            sorted({f"{pod.metadata.namespace or 'default'}/{budget}" for pod, budget in guarded})
        )
        values = {**_counted(pod for pod, _ in guarded), "budget": budgets[0]}
        blockers = (*_keys(pod for pod, _ in guarded), *(f"pdb/{one}" for one in budgets))
        return Kept(name, Keeping.PDB_BLOCKS, values, blockers)
    return None


def _counted(pods: Iterable[Pod]) -> dict[str, str | int]:
    keys = sorted({pod.key for pod in pods})
    return {"pod": keys[0], "others": len(keys) - 1}


def _keys(pods: Iterable[Pod]) -> tuple[str, ...]:
    return tuple(sorted({pod.key for pod in pods})[:BLOCKERS_MAX])
