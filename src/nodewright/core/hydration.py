"""Hydration: claims and nodes of other days get the label that says which class they were made with.

A node counts as ours by that label, and those that an older controller made may lack it.
"""

from collections.abc import Iterator
from typing import Any

from nodewright.model.decision import Change, rest_on
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import find_kind
from nodewright.model.resource import NODE_CLAIMS, NODES, Object, Resource, refer
from nodewright.model.world import World


def hydrate(world: World) -> Iterator[Change]:
    """Give the labels that claims and their nodes lack."""
    nodes = {node.spec.provider_id: node for node in world.nodes if node.spec.provider_id}
    for claim in world.node_claims:
        label = _label_of(claim)
        if claim.metadata.deletion_timestamp is not None or not label:
            continue
        node = nodes.get(claim.status.provider_id)
        if not label.keys() <= claim.metadata.labels.keys():
            yield _label(NODE_CLAIMS, claim, label)
        # A node that has not registered gets its labels then, all at once.
        is_registered = node is not None and claim.status.node_name == node.metadata.name
        if node is not None and is_registered and not label.keys() <= node.metadata.labels.keys():
            yield _label(NODES, node, label)


def _label_of(claim: NodeClaim) -> dict[str, str]:
    reference = claim.spec.node_class_ref
    if find_kind(reference) is None or not reference.name:
        return {}
    return {f"{reference.group}/{reference.kind.lower()}": reference.name}


def _label[T: Object](resource: Resource[T], thing: T, label: dict[str, str]) -> Change:
    change: dict[str, Any] = {"metadata": {"labels": label}}
    return Change(
        subject=refer(resource, thing),
        reason="Hydration",
        note="the label of its class was missing",
        basis=rest_on((resource, thing)),
        change=change,
    )
