"""The first page: numbers, histories, what goes on, and the last decisions."""

from collections.abc import Mapping
from typing import Literal

from nodewright.web.answers.shared import Answer, DecisionRow, Head, Sentence


class CostHistory(Answer, frozen=True):
    """What each pool cost an hour, by instant."""

    at: tuple[str, ...] = ()
    pools: Mapping[str, tuple[float | None, ...]] = {}


class CountHistory(Answer, frozen=True):
    """How many nodes and pods there were, by instant."""

    at: tuple[str, ...] = ()
    nodes: tuple[int | None, ...] = ()
    pods: tuple[int | None, ...] = ()
    pending: tuple[int | None, ...] = ()


class Mark(Answer, frozen=True):
    """A node that came or went, to be marked on the time axis."""

    at: str
    kind: Literal["launch", "delete"]
    subject: str
    decision: str = ""


class Overview(Answer, frozen=True):
    """The first page."""

    head: Head
    cost: CostHistory
    counts: CountHistory
    marks: tuple[Mark, ...]
    now: tuple[Sentence, ...]
    next: tuple[Sentence, ...]
    decisions: tuple[DecisionRow, ...]
