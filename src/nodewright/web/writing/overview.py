"""The first page: histories, what goes on now, and what comes next."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from nodewright.model.instant import print_instant
from nodewright.view.values import NodeRow, Verb, View
from nodewright.web.answers.overview import Mark, Overview
from nodewright.web.answers.shared import DecisionRow, Sentence
from nodewright.web.histories import Histories
from nodewright.web.writing.head import write_head
from nodewright.web.writing.numbers import write_instant

SENTENCES_MAX: Final = 6
DECISIONS_MAX: Final = 12
_ARRIVING: Final = ("Created", "Launched", "Registered", "Initializing", "Unregistered")
_DRAINING: Final = ("Draining", "Terminating", "Deleting")


def write_overview(
    view: View,
    revision: int,
    histories: Histories,
    decisions: tuple[DecisionRow, ...],
    marks: tuple[Mark, ...],
) -> Overview:
    """Write the first page."""
    cost, counts = histories.write()
    return Overview(
        head=write_head(view, revision),
        cost=cost,
        counts=counts,
        marks=marks,
        now=tuple(_now(view))[:SENTENCES_MAX],
        next=tuple(_next(view))[:SENTENCES_MAX],
        decisions=decisions[:DECISIONS_MAX],
    )


def _now(view: View) -> Iterator[Sentence]:
    for cause in view.pending:
        if cause.is_refused:
            said = f"{_count(cause.count, 'pod')} cannot be placed: {cause.title}"
            yield Sentence(said, cause.code, page="pending", at=write_instant(cause.since_ms))
    for row in view.nodes:
        if row.is_fault:
            said = f"{row.name} is {row.state}"
            yield _about(row, f"{said}: {row.state_detail}" if row.state_detail else said)
    waiting = sum(one.count for one in view.pending if not one.is_refused)
    if waiting:
        yield Sentence(f"{_count(waiting, 'pod')} wait for a node or a scheduler", page="pending")
    states = Counter(one.state for one in view.nodes)
    arriving = sum(states[one] for one in _ARRIVING)
    if arriving:
        yield Sentence(f"{_count(arriving, 'node')} on the way", page="nodes")
    for row in view.nodes:
        if row.state in _DRAINING:
            detail = f": {row.state_detail}" if row.state_detail else ""
            yield _about(row, f"{row.name} drains{detail}")
    for problem in view.problems:
        yield Sentence(problem, page="health")


def _next(view: View) -> Iterator[Sentence]:
    leaving = [one for one in view.nodes if one.next.verb is Verb.GO and one.state not in _DRAINING]
    for row in sorted(leaving, key=lambda one: (one.next.until_ms or 0, one.name)):
        yield Sentence(
            f"{row.name} goes: {row.next.text}",
            row.next.code,
            row.name,
            "nodes",
            write_instant(row.next.until_ms),
        )
    for pool in view.pools:
        for budget in pool.budgets:
            if budget.closed_by and budget.opens_ms is not None:
                said = f"{pool.name}: {budget.reason} nodes may go again at {print_instant(budget.opens_ms)}"
                yield Sentence(said, "NW-4101", pool.name, "pools", print_instant(budget.opens_ms))


def _about(row: NodeRow, said: str) -> Sentence:
    return Sentence(said, row.next.code, row.name, "nodes", write_instant(row.state_since_ms))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
