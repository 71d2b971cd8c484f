"""NodePolicies whose windows cannot be read, that select nobody, or that end a pause without a date."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.lint.finding import Finding
from nodewright.lint.raw import dig, items, text
from nodewright.lint.stream import Stream
from nodewright.model.cron import BadSchedule, longest_pause_minutes, parse_schedule, read_zone
from nodewright.model.instant import BadInstant, parse_instant
from nodewright.model.path import Path
from nodewright.state.manifests import Manifest

_KIND: Final = "NodePolicy"
_BUDGETS: Final[Path] = ("spec", "budgets")
_NAMES: Final[Path] = ("spec", "nodePools", "names")
_UNTIL: Final[Path] = ("spec", "pause", "until")


def check(stream: Stream) -> Iterator[Finding]:
    """Yield what is wrong with policies."""
    pools = {pool.manifest.name for pool in stream.pools}
    for manifest in stream.manifests:
        if manifest.kind != _KIND:
            continue
        for index, budget in enumerate(items(dig(manifest.raw, _BUDGETS))):
            if isinstance(budget, dict):
                yield from _check_budget(manifest, budget, (*_BUDGETS, index))
        if pools:
            yield from _check_names(manifest, pools)
        yield from _check_pause(manifest)


def _check_budget(manifest: Manifest, budget: dict[str, Any], at: Path) -> Iterator[Finding]:
    schedule = text(budget.get("schedule")).strip()
    zone = text(budget.get("timeZone"))
    if schedule:
        try:
            pause = longest_pause_minutes(parse_schedule(schedule))
        except BadSchedule as error:
            yield Finding(
                "NW-2113",
                manifest,
                (*at, "schedule"),
                f"the schedule cannot be read: {error}",
                'write five fields such as "0 9 * * 1-5", or a macro such as @daily',
            )
            return
        if pause is None:
            yield Finding(
                "NW-2111",
                manifest,
                (*at, "schedule"),
                f"the schedule {schedule!r} names a day that never comes, so the budget never holds",
                "check the day and the month",
            )
    if zone:
        try:
            read_zone(zone)
        except BadSchedule as error:
            yield Finding(
                "NW-2113",
                manifest,
                (*at, "timeZone"),
                f"the time zone cannot be read: {error}",
                "write an IANA name such as Asia/Seoul, or leave it out for UTC",
            )


def _check_names(manifest: Manifest, pools: set[str]) -> Iterator[Finding]:
    for index, name in enumerate(items(dig(manifest.raw, _NAMES))):
        if isinstance(name, str) and name not in pools:
            yield Finding(
                "NW-2125",
                manifest,
                (*_NAMES, index),
                f"NodePool {name!r} is not among these manifests, so the policy does not hold for it",
                f"known are {', '.join(sorted(pools)[:5])}",
            )


def _check_pause(manifest: Manifest) -> Iterator[Finding]:
    written = dig(manifest.raw, _UNTIL)
    if not isinstance(written, str):
        return
    try:
        parse_instant(written)
    except BadInstant as error:
        yield Finding(
            "NW-2113",
            manifest,
            _UNTIL,
            f"the end of the pause cannot be read, so it would never end: {error}",
            "write a time such as 2026-11-16T09:00:00Z",
        )
