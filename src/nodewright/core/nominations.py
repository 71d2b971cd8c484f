"""Nominations: the scheduler is told through a pod's status on which node we expect it.

It tries that node first and keeps the room for the pod, so that a tight plan is not broken by its
taste for spreading. A pod is nominated once the node of its claim exists under its name; for nodes
that are there, at once. A nomination that leads nowhere is taken back, or nobody would plan for the
pod again: its node is going or gone, or works and has no pod leaving it, and the pod still waits.
"""

from collections.abc import Container, Iterator, Mapping
from typing import Final

from nodewright.model.decision import Change, rest_on
from nodewright.model.labels import DISRUPTED_TAINT, INITIALIZED
from nodewright.model.node import Node
from nodewright.model.pod import Pod
from nodewright.model.resource import PODS, refer
from nodewright.model.world import World

PATIENCE_MS: Final = 20_000
QUEUE_MS: Final = 20
"""How long the scheduler may take for each pod that it has to see to."""

NOMINATED: Final = "Nominated"
WITHDRAWN: Final = "NominationWithdrawn"
_TERMINAL: Final = ("Succeeded", "Failed")

type Since = Mapping[str, int]
"""Since when a nomination leads nowhere, by the pod's uid."""


def nominate(world: World, hosts: Mapping[str, str], idle_since: Since) -> Iterator[Change]:
    """Give the nominations to be written and taken back; `hosts` says where pods are expected."""
    nodes = {node.metadata.name: node for node in world.nodes}
    node_of = _nodes_of_hosts(world)
    patience_ms = max(PATIENCE_MS, QUEUE_MS * world.beside.waiting_count)
    for pod in world.pods:
        if not is_unbound(pod):
            continue
        named = pod.status.nominated_node_name
        if named:
            node = nodes.get(named)
            since_ms = idle_since.get(pod.metadata.uid)
            if node is not None and is_going(node):
                yield _write(pod, "", f"node {named} is going away")
            elif since_ms is not None and world.now_ms - since_ms >= patience_ms:
                yield _write(pod, "", f"the pod does not come to node {named}")
        else:
            node = node_of.get(hosts.get(pod.metadata.uid, ""))
            if node is not None and not is_going(node):
                name = node.metadata.name
                yield _write(pod, name, f"room for the pod is planned on node {name}")


def find_idle(world: World, before: Since, written: Mapping[str, str]) -> dict[str, int]:
    """Tell since when nominations lead nowhere; `written` are those of this process, by uid.

    A node that is not in sight may be about to be, unless we have nominated to it ourselves: that has
    led nowhere for ever.
    """
    nodes = {node.metadata.name: node for node in world.nodes}
    being_freed = {
        pod.spec.node_name
        for pod in world.pods
        if pod.spec.node_name and pod.metadata.deletion_timestamp is not None
    }
    claimed = {claim.status.provider_id for claim in world.node_claims}
    found: dict[str, int] = {}
    for pod in world.pods:
        named, uid = pod.status.nominated_node_name, pod.metadata.uid
        if not named or not is_unbound(pod):
            continue
        node = nodes.get(named)
        if node is None and written.get(uid) == named:
            found[uid] = 0
        elif node is None or (works(node, claimed) and named not in being_freed):
            found[uid] = before.get(uid, world.now_ms)
    return found


def is_unbound(pod: Pod) -> bool:
    """Tell whether a pod still waits for a node."""
    return (
        not pod.spec.node_name
        and pod.status.phase not in _TERMINAL
        and pod.metadata.deletion_timestamp is None
    )


def is_going(node: Node) -> bool:
    """Tell whether no new pod comes to a node any more."""
    if node.metadata.deletion_timestamp is not None:
        return True
    taints = node.spec.taints
    return bool(taints) and any(taint.key == DISRUPTED_TAINT for taint in taints)


def works(node: Node, claimed: Container[str]) -> bool:
    """Tell whether pods can come to a node now; one without a claim is not ours to wait for."""
    is_initialized = node.metadata.labels.get(INITIALIZED) == "true"
    return is_initialized or node.spec.provider_id not in claimed


def _nodes_of_hosts(world: World) -> dict[str, Node]:
    """Give the node that each host is: its own name, or that of its claim."""
    by_provider = {node.spec.provider_id: node for node in world.nodes if node.spec.provider_id}
    found = {node.metadata.name: node for node in world.nodes}
    for claim in world.node_claims:
        node = by_provider.get(claim.status.provider_id) if claim.status.provider_id else None
        if node is not None and claim.metadata.deletion_timestamp is None:
            found[claim.metadata.name] = node
    return found


def _write(pod: Pod, name: str, note: str) -> Change:
    return Change(
        subject=refer(PODS, pod),
        reason=NOMINATED if name else WITHDRAWN,
        note=note,
        basis=rest_on((PODS, pod)),
        change={"status": {"nominatedNodeName": name or None}},
        on_status=True,
        # Who has been bound meanwhile needs no promise.
        if_version=pod.metadata.resource_version,
    )
