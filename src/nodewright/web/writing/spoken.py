"""Decisions as a view has them: for those who have no journal, and for the news of the moment."""

from collections.abc import Iterable

from nodewright.model.instant import print_instant
from nodewright.view.values import DecisionRow as Shown
from nodewright.web.answers.overview import Mark
from nodewright.web.answers.shared import DecisionRow
from nodewright.web.writing.numbers import write_money

_LEAVING = ("Replace", "Delete", "End")


def write_shown(one: Shown) -> DecisionRow:
    """Write a decision of a view in a line."""
    return DecisionRow(
        id=one.id,
        at=print_instant(one.at_ms),
        controller="",
        kind=one.verb,
        subject=one.subject,
        reason=one.code or one.reason,
        note=one.text,
        outcome=one.outcome,
        price_per_hour=write_money(one.price_nanousd_hour),
    )


def mark_shown(rows: Iterable[Shown], since_ms: int) -> tuple[Mark, ...]:
    """Mark when nodes came and went, by the decisions of a view."""
    found = []
    for one in rows:
        if one.at_ms < since_ms or one.code:
            continue
        if one.verb == "Launch":
            found.append(Mark(print_instant(one.at_ms), "launch", one.subject, one.id))
        elif one.verb in _LEAVING:
            found.append(Mark(print_instant(one.at_ms), "delete", one.subject, one.id))
    return tuple(reversed(found))
