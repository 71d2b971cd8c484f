"""NodePools: whether they can be used, what their nodes come to, and the fingerprint of their template.

A pool is ready when its spec is valid and its class is. Its fingerprint is stamped on it; when the
way of making fingerprints has changed, its claims are stamped first, so that no node looks drifted
because we count differently.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from nodewright.core.lifecycle_conditions import (
    FALSE,
    READY,
    UNKNOWN,
    Finding,
    conditions_after,
    find,
    is_true,
    says,
)
from nodewright.core.nodepool_health import judge_health, outcomes_of
from nodewright.model.beside import Outcomes
from nodewright.model.decision import Change, Decision, rest_on
from nodewright.model.hashing import (
    HASH_VERSION,
    NODEPOOL_HASH,
    NODEPOOL_HASH_VERSION,
    hash_nodepool,
)
from nodewright.model.labels import NODEPOOL
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import NodeClass, class_key, find_kind, key_of_reference
from nodewright.model.nodepool import NodePool
from nodewright.model.older import origin_of
from nodewright.model.quantity import (
    MILLI,
    BadQuantity,
    Milli,
    print_quantity,
)
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, refer
from nodewright.model.validation import ERROR, validate_nodepool
from nodewright.model.world import World

VALID: Final = "ValidationSucceeded"
CLASS_READY: Final = "NodeClassReady"
POOL_PARTS: Final = (VALID, CLASS_READY)
_ALWAYS_COUNTED: Final = ("cpu", "memory", "pods", "ephemeral-storage", "nodes")


def decide_pools(
    world: World, outcomes: Mapping[str, Outcomes] | None = None
) -> Iterator[Decision]:
    """Give what is to be written on pools, and on their claims when fingerprints change."""
    classes = {class_key(one): one for one in world.node_classes}
    claims: dict[str, list[NodeClaim]] = {}
    for claim in world.node_claims:
        claims.setdefault(claim.metadata.labels.get(NODEPOOL, ""), []).append(claim)
    nodes = {node.spec.provider_id: node for node in world.nodes if node.spec.provider_id}
    for pool in world.node_pools:
        reference = pool.spec.template.spec.node_class_ref
        if find_kind(reference) is None or origin_of(pool) is not None:
            continue
        node_class = classes.get(key_of_reference(reference))
        own = claims.get(pool.metadata.name, [])
        yield from _stamp(pool, own)
        launches = outcomes_of(pool, (outcomes or {}).get(pool.metadata.uid), node_class)
        findings = [*judge_pool(pool, node_class), judge_health(launches)]
        status = _status(node_class, own, nodes)
        yield from _write_status(pool, findings, status, world.now_ms)


def _stamp(pool: NodePool, claims: Sequence[NodeClaim]) -> Iterator[Decision]:
    wanted = {NODEPOOL_HASH: hash_nodepool(pool), NODEPOOL_HASH_VERSION: HASH_VERSION}
    known = pool.metadata.annotations
    if all(known.get(name) == value for name, value in wanted.items()):
        return
    if known.get(NODEPOOL_HASH_VERSION) != HASH_VERSION:
        old = [
            claim
            for claim in claims
            if claim.metadata.annotations.get(NODEPOOL_HASH_VERSION) != HASH_VERSION
        ]
        for claim in old:
            change = dict(wanted)
            if find(claim.status.conditions, "Drifted") is not None:
                del change[NODEPOOL_HASH]
            yield Change(
                subject=refer(NODE_CLAIMS, claim),
                reason="HashVersion",
                basis=rest_on((NODE_CLAIMS, claim), (NODE_POOLS, pool)),
                change={"metadata": {"annotations": change}},
            )
        if old:
            return
    yield Change(
        subject=refer(NODE_POOLS, pool),
        reason="Hash",
        basis=rest_on((NODE_POOLS, pool)),
        change={"metadata": {"annotations": wanted}},
    )


def judge_pool(pool: NodePool, node_class: NodeClass | None) -> list[Finding]:
    """Say whether a pool is valid, and whether its class is ready."""
    return [_validity(pool), _class_readiness(node_class)]


def print_usage(claims: Sequence[NodeClaim], nodes: dict[str, Node]) -> dict[str, str]:
    """Write down what the live nodes of a pool have together."""
    used = _usage(claims, nodes)
    return {name: print_quantity(used[name], name) for name in sorted(used)}


def _status(
    node_class: NodeClass | None, claims: Sequence[NodeClaim], nodes: dict[str, Node]
) -> dict[str, Any]:
    used = _usage(claims, nodes)
    return {
        "resources": {name: print_quantity(used[name], name) for name in sorted(used)},
        "nodes": used["nodes"] // MILLI,
        "nodeClassObservedGeneration": node_class.metadata.generation if node_class else None,
    }


def _write_status(
    pool: NodePool, findings: list[Finding], wanted: dict[str, Any], now_ms: int
) -> Iterator[Decision]:
    status = pool.status
    is_written = (
        all(says(pool, finding) for finding in findings)
        and find(status.conditions, READY) is not None
        and status.resources == wanted["resources"]
        and status.nodes == wanted["nodes"]
        and status.node_class_observed_generation == wanted["nodeClassObservedGeneration"]
    )
    if is_written:
        return
    # A resource that nobody has any more must go from the list.
    resources = {**dict.fromkeys(status.resources), **wanted["resources"]}
    conditions = conditions_after(pool, findings, POOL_PARTS, now_ms)
    yield Change(
        subject=refer(NODE_POOLS, pool),
        reason="Status",
        basis=rest_on((NODE_POOLS, pool)),
        change={"status": {**wanted, "resources": resources, "conditions": conditions}},
        on_status=True,
        if_version=pool.metadata.resource_version,
    )


def _validity(pool: NodePool) -> Finding:
    problems = [one.message for one in validate_nodepool(pool) if one.severity == ERROR]
    if problems:
        return Finding(VALID, FALSE, "NodePoolValidationFailed", "; ".join(problems))
    return Finding(VALID)


def _class_readiness(node_class: NodeClass | None) -> Finding:
    if node_class is None:
        return Finding(CLASS_READY, FALSE, "NodeClassNotFound", "the NodeClass is not there")
    if node_class.metadata.deletion_timestamp is not None:
        return Finding(CLASS_READY, FALSE, "NodeClassTerminating", "the NodeClass is being deleted")
    ready = find(node_class.status.conditions, READY)
    if ready is None or ready.status == UNKNOWN:
        note = "nothing is known yet of the NodeClass"
        return Finding(CLASS_READY, FALSE, "NodeClassReadinessUnknown", note)
    if not is_true(node_class, READY):
        return Finding(CLASS_READY, FALSE, ready.reason, ready.message)
    return Finding(CLASS_READY)


def _usage(claims: Sequence[NodeClaim], nodes: dict[str, Node]) -> dict[str, Milli]:
    """Sum what the live nodes of a pool have; nodes speak for themselves once they report."""
    used: dict[str, Milli] = dict.fromkeys(_ALWAYS_COUNTED, 0)
    for claim in claims:
        if claim.metadata.deletion_timestamp is not None or not claim.status.provider_id:
            continue
        node = nodes.get(claim.status.provider_id)
        try:
            promised = claim.status.capacity_read
            reported = node.status.capacity_read if node is not None else {}
        except BadQuantity:
            promised, reported = {}, {}
        has = {**promised, **{name: amount for name, amount in reported.items() if amount}}
        for name, amount in has.items():
            used[name] = used.get(name, 0) + amount
        used["nodes"] += MILLI
    return used
