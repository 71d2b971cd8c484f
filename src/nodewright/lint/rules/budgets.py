"""Disruption budgets that always block, never block, hold for no reason, or cannot be read."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.lint.finding import Finding
from nodewright.lint.raw import dig, items, text, word
from nodewright.lint.stream import Stream
from nodewright.lint.views import Pool
from nodewright.model.cron import BadSchedule, longest_pause_minutes, parse_schedule
from nodewright.model.duration import MINUTE_MS, BadDuration, parse_duration
from nodewright.model.nodepool import DISRUPTION_REASONS
from nodewright.model.path import Path

_AT: Final[Path] = ("spec", "disruption", "budgets")


def check(stream: Stream) -> Iterator[Finding]:
    """Yield what is wrong with budgets."""
    for pool in stream.pools:
        if pool.era == "v1alpha":
            continue
        budgets = dig(pool.manifest.raw, _AT)
        if isinstance(budgets, list) and not budgets:
            yield Finding(
                "NW-2111",
                pool.manifest,
                _AT,
                "an empty list of budgets lets every node be disrupted at once",
                "remove the field for the default of 10%, or write a budget",
            )
        for index, budget in enumerate(items(budgets)):
            if isinstance(budget, dict):
                yield from _check_budget(pool, budget, (*_AT, index))


def _check_budget(pool: Pool, budget: dict[str, Any], at: Path) -> Iterator[Finding]:
    schedule = text(budget.get("schedule")).strip()
    pause: int | None = 0
    if schedule:
        try:
            pause = longest_pause_minutes(parse_schedule(schedule))
        except BadSchedule as error:
            yield Finding(
                "NW-2113",
                pool.manifest,
                (*at, "schedule"),
                f"the schedule cannot be read: {error}",
                'write five fields in UTC such as "0 9 * * 1-5", or a macro such as @daily',
            )
            return
        if pause is None:
            yield Finding(
                "NW-2111",
                pool.manifest,
                (*at, "schedule"),
                f"the schedule {schedule!r} names a day that never comes, so the budget never holds",
                "check the day and the month",
            )
            return
    if budget.get("reasons") == []:
        yield Finding(
            "NW-2112",
            pool.manifest,
            (*at, "reasons"),
            "an empty list of reasons matches no reason, so this budget holds nothing back",
            f"remove reasons to mean all of them, or list some of {', '.join(DISRUPTION_REASONS)}",
        )
        return
    yield from _check_nodes(pool, budget, at, _always_holds(budget, pause))


def _always_holds(budget: dict[str, Any], pause_minutes: int | None) -> bool:
    if not budget.get("schedule"):
        return True
    try:
        duration_ms = parse_duration(text(budget.get("duration")))
    except BadDuration:
        return False
    return pause_minutes is not None and duration_ms >= pause_minutes * MINUTE_MS


def _check_nodes(pool: Pool, budget: dict[str, Any], at: Path, always: bool) -> Iterator[Finding]:
    nodes = word(budget.get("nodes"))
    if nodes.rstrip("%").strip("0") == "" and nodes and always:
        reasons = [one for one in items(budget.get("reasons")) if isinstance(one, str)]
        schedule = " (its windows meet, so it always holds)" if budget.get("schedule") else ""
        what = (
            f"never allows disruption for {' and '.join(reasons)}"
            if reasons
            else "never allows a node to be disrupted: drifted nodes stay, nothing is consolidated"
        )
        yield Finding(
            "NW-2110",
            pool.manifest,
            (*at, "nodes"),
            f"this budget{schedule} {what}",
            "allow at least 1 node, or limit the budget to hours with schedule and duration",
        )
    elif nodes == "100%":
        yield Finding(
            "NW-2111",
            pool.manifest,
            (*at, "nodes"),
            "a budget of 100% holds nothing back: all nodes may be disrupted at once",
            "lower it, or remove the budget if that is what you want (budgets: [])"
            if len(items(dig(pool.manifest.raw, _AT))) == 1
            else "remove it: another budget decides",
        )
