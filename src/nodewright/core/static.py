"""Static pools: a fixed number of nodes, whatever the pods need.

Nodes that are being disrupted still count when a pool grows, and those that are going count against
its limit, so that a replacement never makes it larger than it may be. When it shrinks, those go first
that cost least: claims without a machine, empty nodes, then the ones whose pods are easiest to move,
and last those with a pod that asks to be left alone. Disruption budgets are not asked.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from nodewright.core.claims import Draft, name_claim, resolve_labels, write_claim
from nodewright.core.lifecycle_conditions import READY, is_true
from nodewright.core.moving_cost import moves, moving_cost
from nodewright.core.scheduling.selection import is_protected
from nodewright.model.command import COMMAND, DISRUPTION_REASON
from nodewright.model.decision import Decision, Delete, Keep, Launch, digest, rest_on
from nodewright.model.labels import DO_NOT_DISRUPT, NODEPOOL
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import find_kind
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Pod
from nodewright.model.quantity import MILLI, BadQuantity, parse_resources
from nodewright.model.requirements import BadRequirement, Requirements
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, Ref, refer
from nodewright.model.world import World

GATE: Final = "StaticCapacity"
LIMITED_LOOK_MS: Final = 30_000


def keep_replicas(world: World) -> Iterator[Decision]:
    """Give the claims that static pools are to get or to lose."""
    if not world.options.feature_gates.get(GATE, True):
        return
    claims: dict[str, list[NodeClaim]] = {}
    for claim in world.node_claims:
        claims.setdefault(claim.metadata.labels.get(NODEPOOL, ""), []).append(claim)
    cost: _Cost | None = None
    for pool in world.node_pools:
        wanted = pool.spec.replicas
        if wanted is None or pool.metadata.deletion_timestamp is not None or not _is_ours(pool):
            continue
        own = claims.get(pool.metadata.name, [])
        live = [one for one in own if one.metadata.deletion_timestamp is None]
        settled = [one for one in live if not _is_being_replaced(one)]
        if len(live) < wanted and is_true(pool, READY):
            yield from _grow(pool, own, wanted - len(live))
        elif len(settled) > wanted:
            cost = cost or _Cost(world)
            yield from _shrink(pool, settled, len(settled) - wanted, cost)


def _is_being_replaced(claim: NodeClaim) -> bool:
    """Tell whether a claim goes in a command; its record comes first, its condition a moment later."""
    return COMMAND in claim.metadata.annotations or is_true(claim, DISRUPTION_REASON)


def _is_ours(pool: NodePool) -> bool:
    return find_kind(pool.spec.template.spec.node_class_ref) is not None


def _grow(pool: NodePool, own: Sequence[NodeClaim], count: int) -> Iterator[Decision]:
    room = _room(pool, len(own))
    if room is not None and room < count:
        yield Keep(
            subject=refer(NODE_POOLS, pool),
            reason="NodeLimitReached",
            note=f"{count - room} more nodes are wanted than limits.nodes allows",
            basis=rest_on((NODE_POOLS, pool)),
            look_again_ms=LIMITED_LOOK_MS,
        )
        count = room
    # What is there is part of the name, so that another life that sees the same makes the same.
    seen = sorted(one.metadata.name for one in own)
    decision = f"D-{digest('Static', pool.metadata.uid, *seen)}"
    for index in range(count):
        claim = draft_static(pool, f"{decision}/{index}")
        yield Launch(
            subject=Ref(NODE_CLAIMS, claim.metadata.name),
            reason="Provisioned",
            note=f"NodePool {pool.metadata.name} keeps {pool.spec.replicas} nodes",
            basis=rest_on((NODE_POOLS, pool)),
            claim=claim,
        )


def _room(pool: NodePool, count: int) -> int | None:
    """Tell how many nodes a pool may still get, where it has a limit; none of an unreadable one."""
    try:
        most = parse_resources(pool.spec.limits or {}).get("nodes")
    except BadQuantity:
        return 0
    return None if most is None else max(0, most // MILLI - count)


def draft_static(pool: NodePool, decision: str) -> NodeClaim:
    """Write a claim of a static pool: what the template requires as it is written, and no more."""
    written: tuple[NodeSelectorRequirement, ...] = pool.spec.template.spec.requirements
    name = name_claim(pool, decision)
    try:
        labels = resolve_labels(Requirements.from_expressions(written), name)
    except BadRequirement:
        labels = {}
    return write_claim(pool, Draft(name, written, labels=labels))


def _shrink(
    pool: NodePool, claims: Sequence[NodeClaim], count: int, cost: "_Cost"
) -> Iterator[Decision]:
    for claim in sorted(claims, key=cost.of)[:count]:
        yield Delete(
            subject=refer(NODE_CLAIMS, claim),
            reason="ScaledDown",
            note=f"NodePool {pool.metadata.name} keeps {pool.spec.replicas} nodes",
            basis=rest_on((NODE_CLAIMS, claim), (NODE_POOLS, pool)),
        )


class _Cost:
    """How dear it is to lose each claim."""

    def __init__(self, world: World) -> None:
        self._now_ms = world.now_ms
        self._nodes = {node.spec.provider_id: node for node in world.nodes if node.spec.provider_id}
        self._pods: dict[str, list[Pod]] = {}
        for pod in world.pods:
            if pod.spec.node_name and moves(pod):
                self._pods.setdefault(pod.spec.node_name, []).append(pod)

    def of(self, claim: NodeClaim) -> tuple[int, Fraction, str]:
        """Rank a claim; the smallest goes first."""
        name = claim.metadata.name
        if not claim.status.provider_id:
            return (0, Fraction(0), name)
        node = self._nodes.get(claim.status.provider_id)
        pods = self._pods.get(node.metadata.name, []) if node is not None else []
        protected = self._is_protected(node, pods)
        if not pods and not protected:
            return (1, Fraction(0), name)
        return (3 if protected else 2, moving_cost(claim, pods, self._now_ms), name)

    def _is_protected(self, node: Node | None, pods: Sequence[Pod]) -> bool:
        marked = node is not None and node.metadata.annotations.get(DO_NOT_DISRUPT) == "true"
        return marked or any(is_protected(pod, self._now_ms) for pod in pods)
