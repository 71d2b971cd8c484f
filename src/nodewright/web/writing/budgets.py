"""The week of budgets, as `explain budgets` tells it."""

from nodewright.core.explain.calendar import PoolCalendar
from nodewright.model.disruption import DRIFTED, EMPTY, UNDERUTILIZED
from nodewright.model.instant import print_instant
from nodewright.web.answers.budgets import Budgets, PoolWeek, Span
from nodewright.web.writing.numbers import write_instant


def write_budgets(revision: int, now_ms: int, pools: tuple[PoolCalendar, ...]) -> Budgets:
    """Write the week of every pool."""
    return Budgets(revision, print_instant(now_ms), tuple(_week(one) for one in pools))


def _week(one: PoolCalendar) -> PoolWeek:
    return PoolWeek(
        name=one.node_pool,
        nodes=one.total,
        going=one.going,
        budgets=one.written,
        problem=one.problem,
        paused_until=write_instant(one.paused_until_ms),
        pause_reason=one.pause_reason,
        calendar=tuple(
            Span(
                start=print_instant(span.from_ms),
                end=print_instant(span.to_ms),
                empty=span.allowed[EMPTY],
                drifted=span.allowed[DRIFTED],
                underutilized=span.allowed[UNDERUTILIZED],
            )
            for span in one.spans
        ),
    )
