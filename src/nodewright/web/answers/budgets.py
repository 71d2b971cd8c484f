"""Budgets: how many nodes of each pool may go at once, over the next seven days."""

from nodewright.web.answers.shared import Answer


class Span(Answer, frozen=True):
    """A time in which nothing changes: how many may go at once by reason, null for no limit."""

    start: str
    end: str
    empty: int | None
    drifted: int | None
    underutilized: int | None


class PoolWeek(Answer, frozen=True):
    """The week of one pool; `problem` says what cannot be read, and then nothing may go."""

    name: str
    nodes: int
    going: int
    budgets: tuple[str, ...]
    problem: str
    paused_until: str | None
    pause_reason: str
    calendar: tuple[Span, ...]


class Budgets(Answer, frozen=True):
    """The week of every pool."""

    revision: int
    at: str
    pools: tuple[PoolWeek, ...]
