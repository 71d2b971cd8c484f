"""Budgets: how many nodes of a pool may go for a reason right now, and when that changes.

Of all budgets that hold and speak of a reason the smallest counts; outside of its window a budget
limits nothing. Nodes that go for any reason, or are not ready, have used their share already. What
cannot be read closes the pool. Policies add time zones, dates and rates (so many in a length of time).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.disruption.candidates import Census
from nodewright.core.lifecycle_conditions import READY, find
from nodewright.core.scheduling.hosts import Joined
from nodewright.model.cron import BadSchedule, last_hit_ms, next_hit_ms, parse_schedule, read_zone
from nodewright.model.disruption import Allowance, Memory
from nodewright.model.duration import BadDuration, parse_duration
from nodewright.model.instant import BadInstant, parse_instant
from nodewright.model.nodepolicy import PolicyBudget
from nodewright.model.nodepool import DISRUPTION_REASONS, Budget, NodePool

_PERCENT: Final = 100
LOOK_AHEAD_MS: Final = 7 * 24 * 3_600_000
"""How far ahead the end of a window is looked for: hits may follow each other without end."""


class BadBudget(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """A budget that cannot be read."""


class Counts(msgspec.Struct, frozen=True):
    """The nodes of a pool that count, and those of them that have used the budget."""

    total: int
    used: int


class Term(msgspec.Struct, frozen=True):
    """What one budget says at one instant, None for no limit, and when that changes.

    `at_once` is how many may be going together, `more` how many more may go by its rate.
    """

    reasons: tuple[str, ...] | None
    at_once: int | None = None
    more: int | None = None
    until_ms: int | None = None
    name: str = ""


def count_nodes(census: Census, memory: Memory) -> dict[str, Counts]:
    """Count the nodes of every pool that budgets are about."""
    running = {name for one in memory.running for name in one.nodes}
    total = dict.fromkeys(census.pools, 0)
    used = dict.fromkeys(census.pools, 0)
    for one in census.joined:
        pool = one.pool
        if pool in total and _counts(one):
            total[pool] += 1
            used[pool] += _is_used(one, running)
    return {name: Counts(total[name], used[name]) for name in total}


def is_spent(one: Joined, running: set[str]) -> bool:
    """Tell whether a node has used the budget of its pool: it goes, or is not ready."""
    return _counts(one) and _is_used(one, running)


def _counts(one: Joined) -> bool:
    return one.is_initialized and one.claim is not None and not _is_terminating(one)


def _is_terminating(one: Joined) -> bool:
    """Tell whether the machine itself is ending: it counts for nothing any more."""
    assert one.claim is not None
    found = find(one.claim.status.conditions, "InstanceTerminating")
    return found is not None and found.status == "True"


def _is_used(one: Joined, running: set[str]) -> bool:
    assert one.node is not None
    if one.is_deleting or one.node.metadata.name in running:
        return True
    ready = find(one.node.status.conditions, READY)
    return ready is not None and ready.status != "True"


def reckon(
    pool: NodePool,
    budgets: Sequence[PolicyBudget],
    counts: Counts,
    now_ms: int,
    gone_ms: Sequence[int] = (),
) -> tuple[Allowance, ...]:
    """Reckon what a pool's budgets come to at an instant, for each reason."""
    name = pool.metadata.name
    try:
        terms = [_term(one, counts, now_ms) for one in pool.spec.disruption.budgets]
        terms += [_policy_term(one, counts, now_ms, gone_ms) for one in budgets]
    except BadBudget as error:
        return tuple(
            Allowance(name, reason, counts.total, counts.used, 0, 0, broken=str(error))
            for reason in DISRUPTION_REASONS
        )
    return tuple(_allowance(name, reason, counts, terms) for reason in DISRUPTION_REASONS)


def _allowance(name: str, reason: str, counts: Counts, terms: Sequence[Term]) -> Allowance:
    speaking = [one for one in terms if one.reasons is None or reason in one.reasons]
    allowed = min((one.at_once for one in speaking if one.at_once is not None), default=None)
    left = [one.more for one in speaking if one.more is not None]
    closing = [one for one in speaking if 0 in (one.at_once, one.more)]
    if allowed is not None:
        left.append(max(0, allowed - counts.used))
    return Allowance(
        node_pool=name,
        reason=reason,
        total=counts.total,
        used=counts.used,
        allowed=allowed,
        free=min(left, default=None),
        until_ms=min((one.until_ms for one in speaking if one.until_ms is not None), default=None),
        opens_ms=_opening(closing),
        closed_by=closing[0].name if closing else "",
    )


def _opening(closing: Sequence[Term]) -> int | None:
    """Tell when the last of what holds at zero ends; nothing where that is not known."""
    ends = [one.until_ms for one in closing]
    known = [one for one in ends if one is not None]
    return max(known) if known and len(known) == len(ends) else None


def _term(budget: Budget, counts: Counts, now_ms: int) -> Term:
    """Say what a NodePool's budget comes to."""
    limit = _amount(budget.nodes, counts.total)
    is_open, until_ms = _window(budget.schedule, budget.duration, None, now_ms)
    said = budget.nodes
    if budget.schedule:
        said += f" ({budget.schedule} for {budget.duration})"
    return Term(budget.reasons, limit if is_open else None, None, until_ms, said)


def _policy_term(budget: PolicyBudget, counts: Counts, now_ms: int, gone_ms: Sequence[int]) -> Term:
    """Say what a policy's budget comes to: within its dates, its window and its rate."""
    limit = None if budget.nodes is None else _amount(budget.nodes, counts.total)
    is_open, until_ms = _window(budget.schedule, budget.duration, budget.time_zone, now_ms)
    since_ms, end_ms = _instant(budget.not_before), _instant(budget.not_after)
    if since_ms is not None and now_ms < since_ms:
        return Term(budget.reasons, until_ms=since_ms)
    if end_ms is not None and now_ms > end_ms:
        return Term(budget.reasons)
    if end_ms is not None:
        until_ms = min(end_ms + 1, until_ms or end_ms + 1)
    if not is_open:
        return Term(budget.reasons, until_ms=until_ms)
    more, said = None, f"{budget.nodes} of a NodePolicy"
    if budget.rate is not None:
        length_ms = _length(budget.rate.per)
        lately = sorted(one for one in gone_ms if now_ms - one < length_ms)
        more = max(0, _amount(budget.rate.nodes, counts.total) - len(lately))
        if more == 0:
            said = f"{budget.rate.nodes} in {budget.rate.per} of a NodePolicy"
            if lately:
                until_ms = min(lately[0] + length_ms, until_ms or lately[0] + length_ms)
    return Term(budget.reasons, limit, more, until_ms, said)


def fault_of(budget: PolicyBudget, now_ms: int) -> str:
    """Say what cannot be read of a policy's budget; nothing where all can."""
    try:
        _policy_term(budget, Counts(1, 0), now_ms, ())
        for written in (budget.rate.nodes,) if budget.rate is not None else ():
            _amount(written, 1)
    except BadBudget as error:
        return str(error)
    return ""


def _window(
    schedule: str | None, duration: str | None, zone: str | None, now_ms: int
) -> tuple[bool, int | None]:
    """Tell whether a window is open, and when it closes or opens next; ends belong to it."""
    if schedule is None and duration is None:
        return True, None
    if schedule is None or duration is None:
        raise BadBudget("a budget has a schedule without a duration, or the other way round")
    try:
        hits, where = parse_schedule(schedule), read_zone(zone)
    except BadSchedule as error:
        raise BadBudget(str(error)) from None
    length_ms = _length(duration)
    last_ms = last_hit_ms(hits, now_ms, where)
    if last_ms is not None and now_ms - last_ms <= length_ms:
        end_ms = last_ms + length_ms
        following_ms = next_hit_ms(hits, now_ms, where)
        while following_ms is not None and following_ms <= end_ms < now_ms + LOOK_AHEAD_MS:
            end_ms = following_ms + length_ms
            following_ms = next_hit_ms(hits, following_ms, where)
        return True, end_ms + 1
    return False, next_hit_ms(hits, now_ms, where)


def _amount(written: str, total: int) -> int:
    """Read a count, or a percentage of so many nodes, rounded up."""
    digits = written.removesuffix("%")
    if not (digits.isascii() and digits.isdecimal()):
        raise BadBudget(f"{written!r} is neither a count nor a percentage")
    number = int(digits)
    if digits == written:
        return number
    if number > _PERCENT:
        raise BadBudget(f"{written!r} is more than all")
    return -(-number * total // _PERCENT)


def _length(written: str) -> int:
    try:
        return parse_duration(written)
    except BadDuration as error:
        raise BadBudget(str(error)) from None


def _instant(written: str | None) -> int | None:
    if written is None:
        return None
    try:
        return parse_instant(written)
    except BadInstant as error:
        raise BadBudget(str(error)) from None


class Purse:
    """What budgets leave in one answer: whoever takes from it takes from all that come later."""

    def __init__(self, allowances: Iterable[Allowance], *, is_unlimited: bool = False) -> None:
        self.allowances: Mapping[tuple[str, str], Allowance] = {
            (one.node_pool, one.reason): one for one in allowances
        }
        self._taken: dict[str, int] = {}
        self._is_unlimited = is_unlimited

    def free(self, pool: str, reason: str) -> int | None:
        """Tell how many nodes of a pool may still go for a reason; None for no limit."""
        known = self.allowances.get((pool, reason))
        if self._is_unlimited or known is None or known.free is None:
            return None
        return max(0, known.free - self._taken.get(pool, 0))

    def has(self, pool: str, reason: str, count: int = 1) -> bool:
        """Tell whether so many nodes of a pool may still go for a reason."""
        free = self.free(pool, reason)
        return free is None or free >= count

    def take(self, pool: str, count: int = 1) -> None:
        """Take note of nodes that go: a budget does not ask for which reason."""
        self._taken[pool] = self._taken.get(pool, 0) + count
