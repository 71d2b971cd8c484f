"""How nodes and claims end: tainted, drained, detached, their machine given back, then released.

Deleting either of the two ends both. A claim whose node has registered waits for the node; the node
is drained before its machine goes, and our finalizers come off last. A claim whose node never
registered gives its machine back at once. Every look gives the next step from what the cluster and
the cloud show.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final

import msgspec

from nodewright.core.lifecycle import write_findings
from nodewright.core.lifecycle_conditions import REGISTERED, Finding, is_true, says
from nodewright.core.lifecycle_node import is_ready
from nodewright.core.termination_drain import DEADLINE, Drain
from nodewright.model import labels
from nodewright.model.cloudview import CloudView
from nodewright.model.decision import Change, Decision, Delete, End, Release, Tell, rest_on
from nodewright.model.duration import BadDuration, parse_duration
from nodewright.model.instant import parse_instant, print_instant
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import CLASS_LABELS
from nodewright.model.resource import NODE_CLAIMS, NODES, Ref, refer
from nodewright.model.world import World

TERMINATING: Final = "InstanceTerminating"
DISRUPTED: Final = Taint(key=labels.DISRUPTED_TAINT, effect="NoSchedule")
EXCLUDE_BALANCER: Final = "node.kubernetes.io/exclude-from-external-load-balancers"


def decide_ends(world: World, cloud: CloudView) -> Iterator[Decision]:
    """Give the next step of every claim and node that is going away."""
    claims_of: dict[str, list[NodeClaim]] = {}
    nodes_of: dict[str, list[Node]] = {}
    for claim in world.node_claims:
        if claim.status.provider_id:
            claims_of.setdefault(claim.status.provider_id, []).append(claim)
    for node in world.nodes:
        if node.spec.provider_id:
            nodes_of.setdefault(node.spec.provider_id, []).append(node)
    drain = Drain(world)
    for node in world.nodes:
        if is_ours(node) and node.metadata.deletion_timestamp is not None:
            owners = claims_of.get(node.spec.provider_id, [])
            yield from _end_node(node, owners[0] if len(owners) == 1 else None, drain, cloud)
    for claim in world.node_claims:
        meta = claim.metadata
        if meta.deletion_timestamp is not None and labels.TERMINATION_FINALIZER in meta.finalizers:
            nodes = nodes_of.get(claim.status.provider_id, []) if claim.status.provider_id else []
            yield from _end_claim(claim, nodes, cloud, world.now_ms)


def is_ours(node: Node) -> bool:
    """Tell whether a node waits for us before it goes; one of a foreign class does not."""
    meta = node.metadata
    return labels.TERMINATION_FINALIZER in meta.finalizers and any(
        name in meta.labels for name in CLASS_LABELS
    )


def _end_node(
    node: Node, claim: NodeClaim | None, drain: Drain, cloud: CloudView
) -> Iterator[Decision]:
    provider_id = node.spec.provider_id
    if claim is not None and claim.metadata.deletion_timestamp is None:
        yield Delete(
            subject=refer(NODE_CLAIMS, claim),
            reason="NodeDeleted",
            note=f"its node {node.metadata.name} is being deleted",
            basis=rest_on((NODE_CLAIMS, claim), (NODES, node)),
        )
    if not is_ready(node) and cloud.is_missing(provider_id):
        yield _release_node(node, "the machine is gone")
    elif not is_tainted(node):
        yield _taint(node)
    else:
        steps = list(drain.steps(node, claim))
        yield from steps
        if drain.is_over(node, claim) and not steps:
            if claim is None or provider_id in cloud.gone:
                yield _release_node(node, "the machine is gone")
            else:
                # A machine that ends already keeps nobody: then there is nothing to look for.
                is_ending = provider_id in cloud.ending
                yield _end_machine(claim, node, None if is_ending else refer(NODES, node))


def _end_claim(
    claim: NodeClaim, nodes: list[Node], cloud: CloudView, now_ms: int
) -> Iterator[Decision]:
    stamped = _stamp_deadline(claim)
    if stamped is not None:
        yield stamped
        yield from _warn_of_deadline(claim, nodes, stamped)
        return
    provider_id = claim.status.provider_id
    if nodes and was_registered(claim, nodes):
        for node in nodes:
            if node.metadata.deletion_timestamp is None:
                yield Delete(
                    subject=refer(NODES, node),
                    reason="ClaimDeleted",
                    note=f"its NodeClaim {claim.metadata.name} is being deleted",
                    basis=rest_on((NODE_CLAIMS, claim), (NODES, node)),
                )
        return
    if not provider_id:
        lost = [one for one in cloud.machines or () if one.claim == claim.metadata.name]
        alive = [one for one in lost if one.is_alive and one.provider_id not in cloud.gone]
        for machine in alive:
            yield _end_lost(claim, machine.provider_id)
        if cloud.machines is not None and not alive:
            yield _release_claim(claim)
    elif provider_id not in cloud.gone:
        if provider_id in cloud.ending:
            found = Finding(TERMINATING)
            if not says(claim, found):
                yield write_findings(claim, [found], now_ms)
        yield _end_machine(claim, nodes[0] if nodes else None)
    else:
        yield _release_claim(claim)


def was_registered(claim: NodeClaim, nodes: list[Node]) -> bool:
    """Tell whether pods may run on a claim's node; its mark comes before the claim's condition."""
    return is_true(claim, REGISTERED) or any(
        node.metadata.labels.get(labels.REGISTERED) == "true" for node in nodes
    )


def is_tainted(node: Node) -> bool:
    """Tell whether no new pod can come to a node, and no load balancer sends to it."""
    has_taint = any(
        one.key == DISRUPTED.key and one.effect == DISRUPTED.effect for one in node.spec.taints
    )
    return has_taint and EXCLUDE_BALANCER in node.metadata.labels


def _taint(node: Node) -> Change:
    kept = [one for one in node.spec.taints if one.key != DISRUPTED.key]
    return Change(
        subject=refer(NODES, node),
        reason="Disrupted",
        note="the node is going away: no new pods",
        basis=rest_on((NODES, node)),
        change={
            "metadata": {"labels": {EXCLUDE_BALANCER: "karpenter"}},
            "spec": {"taints": msgspec.to_builtins([*kept, DISRUPTED])},
        },
        if_version=node.metadata.resource_version,
    )


def _stamp_deadline(claim: NodeClaim) -> Change | None:
    """Give the change that writes the deadline of a claim with a grace; an existing one wins."""
    grace = claim.spec.termination_grace_period
    deleted = claim.metadata.deletion_timestamp
    if grace is None or deleted is None or DEADLINE in claim.metadata.annotations:
        return None
    try:
        deadline_ms = parse_instant(deleted) + parse_duration(grace)
    except BadDuration:
        return None
    stamp = print_instant(deadline_ms)
    return Change(
        subject=refer(NODE_CLAIMS, claim),
        reason="TerminationGracePeriod",
        note=f"pods that are left are ended by force by {stamp}",
        basis=rest_on((NODE_CLAIMS, claim)),
        change={"metadata": {"annotations": {DEADLINE: stamp}}},
        if_version=claim.metadata.resource_version,
    )


def _warn_of_deadline(claim: NodeClaim, nodes: list[Node], stamped: Change) -> Iterator[Tell]:
    for ref in (refer(NODE_CLAIMS, claim), *(refer(NODES, node) for node in nodes)):
        yield Tell(
            subject=ref,
            reason="TerminationGracePeriodExpiring",
            note=stamped.note,
            is_warning=True,
        )


def _end_machine(claim: NodeClaim, node: Node | None, empty: Ref | None = None) -> End:
    return End(
        subject=refer(NODE_CLAIMS, claim),
        reason="Terminate",
        basis=rest_on((NODE_CLAIMS, claim), (NODES, node)),
        provider_id=claim.status.provider_id,
        node=empty,
    )


def _end_lost(claim: NodeClaim, provider_id: str) -> End:
    return End(
        subject=refer(NODE_CLAIMS, claim),
        reason="TerminateLost",
        note="the claim was deleted before its machine was written down",
        basis=rest_on((NODE_CLAIMS, claim)),
        provider_id=provider_id,
    )


def _release_node(node: Node, note: str) -> Release:
    return Release(
        subject=refer(NODES, node),
        reason="Finalized",
        note=note,
        basis=rest_on((NODES, node)),
        thing=node,
    )


def _release_claim(claim: NodeClaim) -> Release:
    return Release(
        subject=refer(NODE_CLAIMS, claim),
        reason="Finalized",
        note="nothing is left of it",
        basis=rest_on((NODE_CLAIMS, claim)),
        thing=claim,
    )


def needs_listing(world: World) -> bool:
    """Tell whether the cloud must be asked which machines there are before anything is decided."""
    for node in world.nodes:
        if node.metadata.deletion_timestamp is not None and is_ours(node) and not is_ready(node):
            return True
    return any(
        claim.metadata.deletion_timestamp is not None and not claim.status.provider_id
        for claim in world.node_claims
    )


def has_work(world: World) -> bool:
    """Tell whether anything is going away."""
    claims = (claim.metadata for claim in world.node_claims)
    nodes = (node.metadata for node in world.nodes)
    return any(
        meta.deletion_timestamp is not None and bool(meta.finalizers)
        for meta in chain(claims, nodes)
    )
