"""Garbage: machines without claims, claims without machines, and nodes that have neither.

The cloud is listed before the cluster is looked at, so that a machine that is new in the list has its
claim in the cluster. A node that is ready protects its claim: its kubelet lives, and the list is old.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.core.lifecycle_conditions import REGISTERED, is_true
from nodewright.core.lifecycle_node import is_ready
from nodewright.core.termination import is_ours
from nodewright.model.cloudview import CloudView, SeenMachine
from nodewright.model.decision import Decision, Delete, End, rest_on
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODES, Ref, refer
from nodewright.model.world import World

ORPHAN_MS: Final = 30_000


def collect(world: World, cloud: CloudView) -> Iterator[Decision]:
    """Give what is to be taken away because its other half is missing."""
    if cloud.machines is None:
        return
    nodes = {node.spec.provider_id: node for node in world.nodes if node.spec.provider_id}
    claimed = {claim.status.provider_id for claim in world.node_claims}
    starting = {claim.metadata.name for claim in world.node_claims if not claim.status.provider_id}
    for machine in cloud.machines:
        old = world.now_ms - machine.launched_ms > ORPHAN_MS
        owned = machine.provider_id in claimed or machine.claim in starting
        if machine.is_alive and old and not owned:
            yield from _end_orphan(machine, nodes.get(machine.provider_id))
    for claim in world.node_claims:
        if _is_bereft(claim, nodes, cloud):
            yield Delete(
                subject=refer(NODE_CLAIMS, claim),
                reason="garbage_collected",
                note="its machine is gone",
                basis=rest_on((NODE_CLAIMS, claim)),
            )
    for node in world.nodes:
        alone = node.spec.provider_id not in claimed and is_ours(node)
        if alone and node.metadata.deletion_timestamp is None and _is_lost(node, cloud):
            yield _delete_node(node, "neither its machine nor its NodeClaim is there")


def _end_orphan(machine: SeenMachine, node: Node | None) -> Iterator[Decision]:
    yield End(
        subject=Ref(NODE_CLAIMS, machine.claim),
        reason="Orphan",
        note=f"no NodeClaim has the machine {machine.provider_id}",
        provider_id=machine.provider_id,
    )
    if node is not None and node.metadata.deletion_timestamp is None:
        yield _delete_node(node, "its machine has no NodeClaim")


def _is_bereft(claim: NodeClaim, nodes: dict[str, Node], cloud: CloudView) -> bool:
    if claim.metadata.deletion_timestamp is not None or not is_true(claim, REGISTERED):
        return False
    node = nodes.get(claim.status.provider_id)
    return cloud.is_missing(claim.status.provider_id) and (node is None or not is_ready(node))


def _is_lost(node: Node, cloud: CloudView) -> bool:
    return cloud.is_missing(node.spec.provider_id) and not is_ready(node)


def _delete_node(node: Node, note: str) -> Delete:
    return Delete(
        subject=refer(NODES, node),
        reason="garbage_collected",
        note=note,
        basis=rest_on((NODES, node)),
    )
