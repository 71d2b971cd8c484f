"""The life of a NodeClaim until its node works: launched, registered, initialized.

Each look at a claim gives the one next step. A step is decided from what the cluster shows, never
from what was done before, so that a process that dies between two steps finds the next one again.
What takes too long is given up: a launch after five minutes, a registration after fifteen, and where
a NodePolicy says so, an initialization, with what it waited for. A claim whose machine ended before it
was a node stays for a moment, so that it can be read why, and the next one does not follow at once.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nodewright.core.lifecycle_conditions import (
    CLAIM_PARTS,
    FALSE,
    INITIALIZED,
    LAUNCHED,
    REGISTERED,
    UNKNOWN,
    Finding,
    conditions_after,
    find,
    is_true,
    says,
)
from nodewright.core.lifecycle_node import is_synced, node_change, what_is_missing
from nodewright.core.scheduling.selectors import read_selector
from nodewright.model import labels
from nodewright.model.decision import Change, Decision, Delete, Start, Tell, rest_on
from nodewright.model.duration import BadDuration, parse_duration, print_duration
from nodewright.model.instant import parse_instant
from nodewright.model.metadata import LabelSelector
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepolicy import NodePolicy
from nodewright.model.resource import NODE_CLAIMS, NODES, refer
from nodewright.model.world import World

LAUNCH_MS: Final = 5 * 60_000
REGISTRATION_MS: Final = 15 * 60_000
ENDED_MS: Final = 30_000
MACHINE_ENDED: Final = "InstanceTerminated"
_GIVEN_UP: Final = {
    "launch_timeout": "LaunchTimeout",
    "registration_timeout": "RegistrationTimeout",
    "initialization_timeout": "InitializationTimeout",
    "instance_terminated": MACHINE_ENDED,
}
_INITIALIZED_LABEL: Final = {labels.INITIALIZED: "true"}


def decide_lives(world: World) -> Iterator[Decision]:
    """Give the next step of every claim that is not going away."""
    by_provider: dict[str, list[Node]] = {}
    for node in world.nodes:
        if node.spec.provider_id:
            by_provider.setdefault(node.spec.provider_id, []).append(node)
    timeouts = initialization_timeouts(world)
    for claim in world.node_claims:
        if is_unfinished(claim):
            nodes = by_provider.get(claim.status.provider_id, []) if _has_machine(claim) else []
            pool = claim.metadata.labels.get(labels.NODEPOOL, "")
            yield from _next_step(claim, nodes, timeouts.get(pool), world.now_ms)


def is_unfinished(claim: NodeClaim) -> bool:
    """Tell whether a claim is on its way to a node that works."""
    return claim.metadata.deletion_timestamp is None and not is_true(claim, INITIALIZED)


def _has_machine(claim: NodeClaim) -> bool:
    return bool(claim.status.provider_id)


def _next_step(
    claim: NodeClaim, nodes: list[Node], timeout_ms: int | None, now_ms: int
) -> Iterator[Decision]:
    if labels.TERMINATION_FINALIZER not in claim.metadata.finalizers:
        finalizers = [*claim.metadata.finalizers, labels.TERMINATION_FINALIZER]
        yield _change(claim, {"metadata": {"finalizers": finalizers}}, "Finalizer")
    elif not is_true(claim, LAUNCHED):
        yield from _launch(claim, now_ms)
    elif not is_true(claim, REGISTERED):
        yield from _register(claim, nodes, now_ms)
    else:
        yield from _initialize(claim, nodes, timeout_ms, now_ms)


def _launch(claim: NodeClaim, now_ms: int) -> Iterator[Decision]:
    if age_ms(claim, now_ms) >= LAUNCH_MS:
        launched = find(claim.status.conditions, LAUNCHED)
        last = f": {launched.message}" if launched is not None and launched.message else ""
        note = f"no machine was launched within 5 minutes{last}"
        yield from _give_up(claim, "launch_timeout", note)
        return
    yield Start(
        subject=refer(NODE_CLAIMS, claim),
        reason="Launch",
        basis=rest_on((NODE_CLAIMS, claim)),
        claim=claim,
    )


def _register(claim: NodeClaim, nodes: list[Node], now_ms: int) -> Iterator[Decision]:
    ended = find(claim.status.conditions, REGISTERED)
    if ended is not None and ended.reason == MACHINE_ENDED:
        since = ended.last_transition_time
        if since and now_ms - parse_instant(since) >= ENDED_MS:
            yield from _give_up(claim, "instance_terminated", ended.message)
    elif age_ms(claim, now_ms) >= REGISTRATION_MS:
        note = "the machine did not become a node within 15 minutes"
        yield from _give_up(claim, "registration_timeout", note)
    elif not nodes:
        found = Finding(REGISTERED, UNKNOWN, "NodeNotFound", "no node has the machine's providerID")
        yield from _find(claim, found, now_ms)
    elif len(nodes) > 1:
        names = ", ".join(sorted(one.metadata.name for one in nodes))
        found = Finding(
            REGISTERED, FALSE, "MultipleNodesFound", f"one machine, many nodes: {names}"
        )
        yield from _find(claim, found, now_ms)
    elif not is_synced(nodes[0]):
        yield from _sync(claim, nodes[0])
    else:
        extra = {"nodeName": nodes[0].metadata.name}
        yield from _find(claim, Finding(REGISTERED), now_ms, extra)


def _sync(claim: NodeClaim, node: Node) -> Iterator[Decision]:
    if node.metadata.deletion_timestamp is not None:
        # What is going away gets no new finalizer: the time-out gives the claim up.
        return
    if not any(one.key == labels.UNREGISTERED_TAINT for one in node.spec.taints):
        yield Tell(
            subject=refer(NODE_CLAIMS, claim),
            reason="UnregisteredTaintMissing",
            note=f"node {node.metadata.name} came without the taint {labels.UNREGISTERED_TAINT}, "
            "so pods may have come before its labels and taints",
            is_warning=True,
        )
    yield Change(
        subject=refer(NODES, node),
        reason="Registration",
        basis=rest_on((NODE_CLAIMS, claim), (NODES, node)),
        change=node_change(claim, node),
        if_version=node.metadata.resource_version,
    )


def _initialize(
    claim: NodeClaim, nodes: list[Node], timeout_ms: int | None, now_ms: int
) -> Iterator[Decision]:
    node = nodes[0] if nodes else None
    missing = what_is_missing(claim, node)
    if missing is None and node is not None:
        if node.metadata.labels.get(labels.INITIALIZED) != "true":
            yield Change(
                subject=refer(NODES, node),
                reason="Initialization",
                basis=rest_on((NODE_CLAIMS, claim), (NODES, node)),
                change={"metadata": {"labels": _INITIALIZED_LABEL}},
            )
        else:
            yield from _find(claim, Finding(INITIALIZED), now_ms)
        return
    assert missing is not None
    registered = find(claim.status.conditions, REGISTERED)
    since = registered.last_transition_time if registered is not None else None
    if timeout_ms is not None and since and now_ms - parse_instant(since) >= timeout_ms:
        note = f"the node did not get ready within {print_duration(timeout_ms)}: {missing.message}"
        yield from _give_up(claim, "initialization_timeout", note)
    else:
        yield from _find(claim, missing, now_ms)


def _find(
    claim: NodeClaim, finding: Finding, now_ms: int, extra: Mapping[str, object] | None = None
) -> Iterator[Decision]:
    if not says(claim, finding):
        yield write_findings(claim, [finding], now_ms, extra)


def write_findings(
    claim: NodeClaim,
    findings: list[Finding],
    now_ms: int,
    extra: Mapping[str, object] | None = None,
) -> Change:
    """Give the change that writes findings, and what else is known, into a claim's status."""
    status = {
        **(extra or {}),
        "conditions": conditions_after(claim, findings, CLAIM_PARTS, now_ms),
    }
    return Change(
        subject=refer(NODE_CLAIMS, claim),
        reason=findings[0].reason or findings[0].type,
        note=findings[0].message,
        basis=rest_on((NODE_CLAIMS, claim)),
        change={"status": status},
        on_status=True,
        if_version=claim.metadata.resource_version,
    )


def _change(claim: NodeClaim, change: dict[str, Any], reason: str) -> Change:
    return Change(
        subject=refer(NODE_CLAIMS, claim),
        reason=reason,
        basis=rest_on((NODE_CLAIMS, claim)),
        change=change,
        if_version=claim.metadata.resource_version,
    )


def _give_up(claim: NodeClaim, reason: str, note: str) -> Iterator[Decision]:
    """Delete a claim that will not become a node, and tell why while there is something to tell of."""
    ref = refer(NODE_CLAIMS, claim)
    yield Tell(subject=ref, reason=_GIVEN_UP[reason], note=note, is_warning=True)
    yield Delete(subject=ref, reason=reason, note=note, basis=rest_on((NODE_CLAIMS, claim)))


def age_ms(claim: NodeClaim, now_ms: int) -> int:
    """Tell how long ago a claim was made."""
    made = claim.metadata.creation_timestamp
    return now_ms - parse_instant(made) if made else 0


def initialization_timeouts(world: World) -> dict[str, int]:
    """Give the shortest initialization time-out that NodePolicies set for each pool."""
    found: dict[str, int] = {}
    for policy in world.node_policies:
        length_ms = _length(policy)
        if length_ms is None:
            continue
        wanted = policy.spec.node_pools
        selector = read_selector(
            LabelSelector(
                match_labels=wanted.match_labels, match_expressions=wanted.match_expressions
            )
        )
        for pool in world.node_pools:
            name = pool.metadata.name
            if wanted.names and name not in wanted.names:
                continue
            if selector.selects(pool.metadata.labels):
                found[name] = min(length_ms, found.get(name, length_ms))
    return found


def _length(policy: NodePolicy) -> int | None:
    written = policy.spec.initialization_timeout
    if written is None:
        return None
    try:
        return parse_duration(written)
    except BadDuration:
        return None
