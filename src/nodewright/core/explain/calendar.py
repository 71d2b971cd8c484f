"""The calendar of budgets: how many nodes of each pool may go at once, over the days to come.

Windows open and close; between two such instants nothing changes, so a week is a short list. Nodes are
counted as they are now: a percentage of tomorrow's nodes is not known today.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.budgets import Counts, count_nodes, reckon
from nodewright.core.disruption.candidates import Census
from nodewright.model.nodepolicy import PolicyBudget
from nodewright.model.nodepool import Budget, NodePool
from nodewright.model.world import World

WEEK_MS: Final = 7 * 24 * 3_600_000
SPANS_MAX: Final = 400
"""How many changes of one pool are listed at most."""


class Span(msgspec.Struct, frozen=True):
    """A time in which nothing changes: how many may go at once by reason, None for no limit."""

    from_ms: int
    to_ms: int
    allowed: Mapping[str, int | None]


class PoolCalendar(msgspec.Struct, frozen=True):
    """The week of one pool; `problem` says what cannot be read, and then nothing is allowed."""

    node_pool: str
    total: int
    going: int
    spans: tuple[Span, ...]
    problem: str = ""
    paused_until_ms: int | None = None
    pause_reason: str = ""
    written: tuple[str, ...] = ()


def explain_budgets(world: World) -> tuple[PoolCalendar, ...]:
    """Give the week of every pool, in order of their names."""
    census = Census(world)
    counts = count_nodes(census, recall_world(world))
    return tuple(
        _calendar(census, census.pools[name], counts[name]) for name in sorted(census.pools)
    )


def _calendar(census: Census, pool: NodePool, counts: Counts) -> PoolCalendar:
    name = pool.metadata.name
    policy = census.policies[name]
    start_ms = now_ms = census.now_ms
    spans: list[Span] = []
    problem = ""
    while now_ms < start_ms + WEEK_MS and len(spans) < SPANS_MAX:
        found = reckon(pool, policy.budgets, Counts(counts.total, 0), now_ms)
        problem = problem or found[0].broken
        changes = [one.until_ms for one in found if one.until_ms is not None]
        end_ms = min((one for one in changes if one > now_ms), default=start_ms + WEEK_MS)
        end_ms = min(end_ms, start_ms + WEEK_MS)
        allowed = {one.reason: one.allowed for one in found}
        if spans and spans[-1].allowed == allowed:
            spans[-1] = Span(spans[-1].from_ms, end_ms, allowed)
        else:
            spans.append(Span(now_ms, end_ms, allowed))
        now_ms = end_ms
    return PoolCalendar(
        node_pool=name,
        total=counts.total,
        going=counts.used,
        spans=tuple(spans),
        problem=problem,
        paused_until_ms=policy.paused_until_ms,
        pause_reason=policy.pause_reason,
        written=tuple(_written(pool.spec.disruption.budgets, policy.budgets)),
    )


def _written(own: Sequence[Budget], more: Sequence[PolicyBudget]) -> Iterator[str]:
    """Write down every budget in one line, as people wrote them: those of policies say so."""
    for one in own:
        yield _say(one.nodes, one, "UTC")
    for policy in more:
        parts = [policy.nodes] if policy.nodes is not None else []
        if policy.rate is not None:
            parts.append(f"{policy.rate.nodes} per {policy.rate.per}")
        yield f"NodePolicy: {_say(', '.join(parts), policy, policy.time_zone or 'UTC')}"


def _say(amount: str, budget: Budget | PolicyBudget, zone: str) -> str:
    said = f"nodes {amount}"
    if budget.reasons is not None:
        said += f" for {', '.join(budget.reasons) or 'no reason'}"
    if budget.schedule is not None:
        said += f" · {budget.schedule} ({zone}), {budget.duration}"
    dates = [f"{word} {at}" for word, at in _dates(budget) if at]
    return " · ".join([said, *dates])


def _dates(budget: Budget | PolicyBudget) -> tuple[tuple[str, str | None], ...]:
    if isinstance(budget, Budget):
        return ()
    return (("from", budget.not_before), ("until", budget.not_after))
