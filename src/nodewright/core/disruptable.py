"""What claims say of themselves about disruption: Consolidatable once they are quiet, Drifted with why.

Quiet counts from the last pod that came or went, or from when the node began to work. The conditions are
for those who look, and for the time since when something holds; what is decided is decided from the same
facts, and does not wait for them to be written.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.core.disruption.candidates import Census
from nodewright.core.disruption.drift import CONDITION as DRIFTED
from nodewright.core.disruption.drift import DriftJudge
from nodewright.core.disruption.policies import FOREVER_MS, read_timer
from nodewright.core.lifecycle import write_findings
from nodewright.core.lifecycle_conditions import INITIALIZED, LAUNCHED, Finding, find, is_true, says
from nodewright.core.orchestration import clear_condition
from nodewright.model.decision import Decision, Keep, rest_on
from nodewright.model.instant import read_instant
from nodewright.model.labels import NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.resource import NODE_CLAIMS, refer
from nodewright.model.world import World

CONSOLIDATABLE: Final = "Consolidatable"
_QUIETING: Final = "Quieting"


def judge_claims(world: World) -> Iterator[Decision]:
    """Give what is to be written on claims, and when the next of them will be quiet for long enough."""
    pools = {pool.metadata.name: pool for pool in world.node_pools}
    judge = DriftJudge(Census(world), world.beside.disruption)
    for claim in world.node_claims:
        pool = pools.get(claim.metadata.labels.get(NODEPOOL, ""))
        if pool is None or claim.metadata.deletion_timestamp is not None:
            continue
        drift = _judge_drift(claim, pool, judge, world)
        if drift is not None:
            # One at a time: each rewrites all conditions of a claim.
            yield drift
            continue
        yield from _judge_quiet(claim, pool, world.now_ms)


def _judge_drift(
    claim: NodeClaim, pool: NodePool, judge: DriftJudge, world: World
) -> Decision | None:
    if not is_true(claim, LAUNCHED):
        return None
    reason = judge.reason_of(claim, pool) if world.instance_types.get(pool.metadata.name) else None
    if reason is not None:
        finding = Finding(DRIFTED, reason=reason)
        return None if says(claim, finding) else write_findings(claim, [finding], world.now_ms)
    known = find(claim.status.conditions, DRIFTED)
    if known is None or not world.instance_types.get(pool.metadata.name):
        return None
    return clear_condition(claim, DRIFTED, "NotDrifted")


def _judge_quiet(claim: NodeClaim, pool: NodePool, now_ms: int) -> Iterator[Decision]:
    wait_ms = read_timer(pool.spec.disruption.consolidate_after) or 0
    is_asked = pool.spec.replicas is None and wait_ms < FOREVER_MS and is_true(claim, INITIALIZED)
    quiet_ms = quiet_since_ms(claim) + wait_ms if is_asked else None
    if quiet_ms is not None and now_ms >= quiet_ms:
        if not is_true(claim, CONSOLIDATABLE):
            yield write_findings(claim, [Finding(CONSOLIDATABLE)], now_ms)
        return
    if find(claim.status.conditions, CONSOLIDATABLE) is not None:
        yield clear_condition(claim, CONSOLIDATABLE, "NotConsolidatable")
    if quiet_ms is not None:
        yield Keep(
            subject=refer(NODE_CLAIMS, claim),
            reason=_QUIETING,
            basis=rest_on((NODE_CLAIMS, claim)),
            look_again_ms=quiet_ms - now_ms,
        )


def quiet_since_ms(claim: NodeClaim) -> int:
    """Tell since when no pod has come to a claim's node or left it, or since when it works."""
    initialized = find(claim.status.conditions, INITIALIZED)
    written = (
        claim.status.last_pod_event_time,
        initialized.last_transition_time if initialized is not None else None,
        claim.metadata.creation_timestamp,
    )
    known = (read_instant(one) for one in written)
    return next((one for one in known if one is not None), 0)
