"""NodePolicies: for how many NodePools each holds, whether it can be read, and whether it pauses them."""

from collections.abc import Iterator
from typing import Final

from nodewright.core.disruption.budgets import fault_of
from nodewright.core.disruption.policies import selects
from nodewright.core.lifecycle_conditions import FALSE, READY, Finding, conditions_after, find, says
from nodewright.model.decision import Change, Decision, Keep, rest_on
from nodewright.model.instant import read_instant
from nodewright.model.nodepolicy import NodePolicy
from nodewright.model.resource import NODE_POLICIES, refer
from nodewright.model.world import World

VALID: Final = "ValidationSucceeded"
PAUSED: Final = "Paused"
_AWAKE: Final = "NotPaused"


def judge_policies(world: World) -> Iterator[Decision]:
    """Give what is to be written on policies, and when the next pause ends."""
    for policy in world.node_policies:
        if policy.metadata.deletion_timestamp is not None:
            continue
        count = sum(selects(policy, pool) for pool in world.node_pools)
        findings = [_validity(policy, world.now_ms), _pause(policy, world.now_ms)]
        is_written = (
            policy.status.node_pools == count
            and all(says(policy, one) for one in findings)
            and find(policy.status.conditions, READY) is not None
        )
        if not is_written:
            conditions = conditions_after(policy, findings, (VALID,), world.now_ms)
            yield Change(
                subject=refer(NODE_POLICIES, policy),
                reason="Status",
                basis=rest_on((NODE_POLICIES, policy)),
                change={"status": {"nodePools": count, "conditions": conditions}},
                on_status=True,
                if_version=policy.metadata.resource_version,
            )
        until_ms = _paused_until(policy)
        if until_ms is not None and until_ms > world.now_ms:
            yield Keep(
                subject=refer(NODE_POLICIES, policy),
                reason=PAUSED,
                basis=rest_on((NODE_POLICIES, policy)),
                look_again_ms=until_ms - world.now_ms,
            )


def _validity(policy: NodePolicy, now_ms: int) -> Finding:
    faults = [fault for one in policy.spec.budgets if (fault := fault_of(one, now_ms))]
    if policy.spec.pause is not None and _paused_until(policy) is None:
        faults.append(f"the end of the pause cannot be read: {policy.spec.pause.until!r}")
    if faults:
        return Finding(VALID, FALSE, "NodePolicyValidationFailed", "; ".join(faults))
    return Finding(VALID)


def _pause(policy: NodePolicy, now_ms: int) -> Finding:
    """Say whether a policy pauses its pools; a pause whose end cannot be read holds."""
    pause, until_ms = policy.spec.pause, _paused_until(policy)
    if pause is None or (until_ms is not None and now_ms >= until_ms):
        return Finding(PAUSED, FALSE, _AWAKE)
    return Finding(PAUSED, message=f"until {pause.until}: {pause.reason}")


def _paused_until(policy: NodePolicy) -> int | None:
    pause = policy.spec.pause
    return read_instant(pause.until) if pause is not None else None
