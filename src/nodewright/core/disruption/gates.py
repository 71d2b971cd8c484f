"""Not now: what a pool, its policies and its budgets say about a reason, before anything is tried.

Each gate answers with the instant at which it may open. To the end of everything (a what-if that is not
held by time) only those gates stand that no waiting opens.
"""

from nodewright.core.disruption.budgets import Purse
from nodewright.core.disruption.candidates import Candidate
from nodewright.core.disruption.policies import FOREVER_MS, read_timer
from nodewright.model.disruption import DRIFTED, EMPTY, UNDERUTILIZED, Kept, Memory, Settings
from nodewright.model.duration import print_duration
from nodewright.model.keeping import Keeping


def judge_gates(one: Candidate, reason: str, now_ms: int, settings: Settings) -> Kept | None:
    """Tell what keeps a node from going for a reason now, budgets left aside."""
    name, policy = one.name, one.policy
    if reason != DRIFTED and one.is_static:
        return Kept(name, Keeping.STATIC, {"pool": one.pool_name})
    if reason == UNDERUTILIZED and one.pool.spec.disruption.consolidation_policy == "WhenEmpty":
        return Kept(name, Keeping.ONLY_EMPTY, {"pool": one.pool_name})
    if reason == EMPTY and "Empty" not in policy.moves:
        return Kept(name, Keeping.MOVE_NOT_ALLOWED, {"move": "Empty"})
    wait_ms = wait_of(one, reason)
    if wait_ms >= FOREVER_MS:
        return Kept(name, Keeping.SWITCHED_OFF, {"pool": one.pool_name})
    if settings.to_end:
        return None
    if policy.paused_until_ms is not None and now_ms < policy.paused_until_ms:
        until_ms = policy.paused_until_ms
        end = until_ms if until_ms < FOREVER_MS else None
        return Kept(
            name, Keeping.PAUSED, {"why": policy.pause_reason, "pool": one.pool_name}, until_ms=end
        )
    if reason != DRIFTED and now_ms - one.made_ms < policy.min_age_ms:
        least = {"least": print_duration(policy.min_age_ms)}
        return Kept(name, Keeping.TOO_YOUNG, least, until_ms=one.made_ms + policy.min_age_ms)
    if now_ms - one.quiet_since_ms < wait_ms:
        values = {"wait": print_duration(wait_ms)}
        return Kept(name, Keeping.TOO_BUSY, values, until_ms=one.quiet_since_ms + wait_ms)
    return None


def wait_of(one: Candidate, reason: str) -> int:
    """Tell how long a node must be quiet before it may go for a reason."""
    own_ms = one.policy.timers_ms.get(reason)
    if own_ms is not None:
        return own_ms
    if reason == DRIFTED:
        return 0
    return read_timer(one.pool.spec.disruption.consolidate_after) or 0


def is_settling(one: Candidate, now_ms: int) -> bool:
    """Tell whether a node is still within its quiet time, so that nobody else is sent there."""
    wait_ms = wait_of(one, UNDERUTILIZED)
    return wait_ms < FOREVER_MS and now_ms - one.quiet_since_ms < wait_ms


def judge_backoff(one: Candidate, memory: Memory, now_ms: int) -> Kept | None:
    """Tell whether a node's pool is left alone because its replacements failed lately."""
    known = memory.backoffs.get(one.pool_name)
    if known is None or now_ms >= known.until_ms:
        return None
    values: dict[str, str | int] = {"pool": one.pool_name, "failures": known.failures}
    return Kept(one.name, Keeping.BACKING_OFF, values, until_ms=known.until_ms)


def judge_budget(one: Candidate, reason: str, purse: Purse) -> Kept | None:
    """Tell what a node's budget says, given those that go before it in the same answer."""
    pool = one.pool_name
    if purse.has(pool, reason):
        return None
    known = purse.allowances[(pool, reason)]
    values: dict[str, str | int] = {"pool": pool, "reason": reason}
    if known.broken:
        return Kept(one.name, Keeping.BUDGET_BROKEN, {**values, "problem": known.broken})
    if known.closed_by:
        values["budget"] = known.closed_by
        if known.allowed != 0:
            return Kept(one.name, Keeping.RATE_REACHED, values, until_ms=known.opens_ms)
        return Kept(one.name, Keeping.BUDGET_CLOSED, values, until_ms=known.opens_ms)
    values |= {"used": known.used, "allowed": known.allowed or 0, "total": known.total}
    return Kept(one.name, Keeping.BUDGET_SPENT, values, until_ms=known.until_ms)
