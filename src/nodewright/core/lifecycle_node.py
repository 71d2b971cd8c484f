"""The node of a claim: what it gets from the claim when it registers, and what it still waits for."""

from typing import Any, Final

import msgspec

from nodewright.core.lifecycle_conditions import INITIALIZED, UNKNOWN, Finding, find, is_true
from nodewright.core.scheduling.rules.taints import is_ephemeral
from nodewright.model import labels
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.quantity import BadQuantity, parse_resources

CLAIM_API: Final = "karpenter.sh/v1"


def is_synced(node: Node) -> bool:
    """Tell whether a node has been registered: it has our mark and our finalizer."""
    return (
        node.metadata.labels.get(labels.REGISTERED) == "true"
        and labels.TERMINATION_FINALIZER in node.metadata.finalizers
    )


def is_ready(node: Node) -> bool:
    """Tell whether the kubelet says that the node is ready."""
    return is_true(node, "Ready")


def node_change(claim: NodeClaim, node: Node) -> dict[str, Any]:
    """Give what registration changes on a node: marks, labels, taints, owner and finalizer."""
    meta = node.metadata
    owners = [one for one in meta.owner_references if one.uid != claim.metadata.uid]
    owner = {
        "apiVersion": CLAIM_API,
        "kind": "NodeClaim",
        "name": claim.metadata.name,
        "uid": claim.metadata.uid,
        "blockOwnerDeletion": True,
    }
    finalizers = [one for one in meta.finalizers if one != labels.TERMINATION_FINALIZER]
    return {
        "metadata": {
            "labels": {**claim.metadata.labels, labels.REGISTERED: "true"},
            "annotations": dict(claim.metadata.annotations),
            "finalizers": [*finalizers, labels.TERMINATION_FINALIZER],
            "ownerReferences": [*msgspec.to_builtins(owners), owner],
        },
        "spec": {"taints": msgspec.to_builtins(registered_taints(claim, node)) or None},
    }


def registered_taints(claim: NodeClaim, node: Node) -> list[Taint]:
    """Give a node's taints after registration; one for each key and effect, the node's own first.

    Startup taints are written only here: once somebody has removed them they are not put back.
    """
    merged = {
        (one.key, one.effect): one
        for one in node.spec.taints
        if one.key != labels.UNREGISTERED_TAINT
    }
    if node.metadata.labels.get(labels.DO_NOT_SYNC_TAINTS) != "true":
        for one in (*claim.spec.taints, *claim.spec.startup_taints):
            merged.setdefault((one.key, one.effect), one)
    return list(merged.values())


def what_is_missing(claim: NodeClaim, node: Node | None) -> Finding | None:
    """Name the first thing that a registered node waits for before it counts as working."""
    if node is None:
        return _waits("NodeNotFound", "the node is not there")
    if not is_ready(node):
        said = find(node.status.conditions, "Ready")
        why = f": {said.message}" if said is not None and said.message else ""
        return _waits("NodeNotReady", f"the kubelet of {node.metadata.name} is not ready{why}")
    startup = {(one.key, one.effect) for one in claim.spec.startup_taints}
    left = next((one for one in node.spec.taints if (one.key, one.effect) in startup), None)
    if left is not None:
        return _waits(
            "StartupTaintsExist", f"startup taint {left.key}:{left.effect} is still there"
        )
    passing = next((one for one in node.spec.taints if is_ephemeral(one)), None)
    if passing is not None:
        taint = f"{passing.key}:{passing.effect}"
        return _waits("KnownEphemeralTaintsExist", f"taint {taint} is still there")
    resource = _unreported(claim, node)
    if resource:
        return _waits("ResourceNotRegistered", f"the node does not report {resource} yet")
    return None


def _unreported(claim: NodeClaim, node: Node) -> str:
    """Name a resource that was asked for and that the node does not have yet."""
    try:
        asked = parse_resources(claim.spec.resources.requests)
        has = parse_resources(node.status.allocatable)
    except BadQuantity:
        return ""
    return next((name for name in sorted(asked) if asked[name] and not has.get(name, 0)), "")


def _waits(reason: str, message: str) -> Finding:
    return Finding(INITIALIZED, UNKNOWN, reason, message)
