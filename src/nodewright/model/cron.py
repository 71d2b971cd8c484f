"""Schedules of budgets: five fields of cron, or a macro; when they hit, and how far apart.

Hits are counted on the clock of a time zone, UTC unless told. A schedule repeats after four years (leap days) of whole weeks at the latest for what is asked here,
so its longest pause is found by looking at the days of 28 years, after which weekdays and leap days
repeat together.
"""

from bisect import bisect_right
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

MACROS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS: Final = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_MINUTES: Final = 24 * 60
_SEARCH_DAYS: Final = 366 * 8
"""How far hits are looked for: a leap day can be eight years away."""

_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_CYCLE_YEARS: Final = 28
_FIRST_WEEKDAY: Final = 6
"""1 January 2000, where the cycle begins, was a Saturday."""


class BadSchedule(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """Text that is no schedule."""


class _Field(msgspec.Struct, frozen=True):
    name: str
    low: int
    high: int
    words: tuple[str, ...] = ()


_FIELDS: Final = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of the week", 0, 6, _DAYS),
)


class Schedule(msgspec.Struct, frozen=True):
    """When something begins: minutes of a day, and the days."""

    minutes: tuple[int, ...]
    days_of_month: frozenset[int]
    months: frozenset[int]
    days_of_week: frozenset[int]
    either_day: bool

    def has_day(self, month: int, day: int, weekday: int) -> bool:
        """Tell whether it hits on a day; weekdays count from Sunday."""
        if month not in self.months:
            return False
        by_month, by_week = day in self.days_of_month, weekday in self.days_of_week
        return by_month or by_week if self.either_day else by_month and by_week


@lru_cache(maxsize=1024)
def parse_schedule(text: str) -> Schedule:
    """Read a schedule; raises `BadSchedule` with a sentence."""
    fields = MACROS.get(text, text).split()
    if text.startswith("@") and text not in MACROS:
        raise BadSchedule(f"{text!r} is no macro: use one of {', '.join(MACROS)}")
    if len(fields) != len(_FIELDS):
        raise BadSchedule(
            f"{text!r} has {len(fields)} fields, and cron has 5: minute, hour, day, month, weekday"
        )
    minute, hour, day, month, weekday = (
        _read_field(part, field) for part, field in zip(fields, _FIELDS, strict=True)
    )
    both_limited = fields[2][0] not in "*?" and fields[4][0] not in "*?"
    return Schedule(
        minutes=tuple(sorted(h * 60 + m for h in hour for m in minute)),
        days_of_month=day,
        months=month,
        days_of_week=weekday,
        either_day=both_limited,
    )


def read_zone(name: str | None) -> tzinfo:
    """Read an IANA time zone, UTC where none is named; raises `BadSchedule` for an unknown one."""
    if name is None:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadSchedule(f"{name!r} is no time zone that is known here") from None


def last_hit_ms(schedule: Schedule, at_ms: int, zone: tzinfo = UTC) -> int | None:
    """Give the last hit at or before an instant, or None where there is none for years."""
    today = _local(at_ms, zone).date()
    # A day before and after, because clocks are put forward and back.
    for shift in range(-1, _SEARCH_DAYS):
        hits = _hits_of(schedule, today - timedelta(days=shift), zone)
        found = bisect_right(hits, at_ms)
        if found:
            return hits[found - 1]
    return None


def next_hit_ms(schedule: Schedule, after_ms: int, zone: tzinfo = UTC) -> int | None:
    """Give the first hit after an instant, or None where there is none for years."""
    today = _local(after_ms, zone).date()
    for shift in range(-1, _SEARCH_DAYS):
        hits = _hits_of(schedule, today + timedelta(days=shift), zone)
        found = bisect_right(hits, after_ms)
        if found < len(hits):
            return hits[found]
    return None


def _local(at_ms: int, zone: tzinfo) -> datetime:
    return datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone)


def _hits_of(schedule: Schedule, day: date, zone: tzinfo) -> list[int]:
    """Give the hits of one day of a zone as instants, in order."""
    if not schedule.has_day(day.month, day.day, day.isoweekday() % 7):
        return []
    return sorted(
        int(datetime(day.year, day.month, day.day, *divmod(m, 60), tzinfo=zone).timestamp()) * 1000
        for m in schedule.minutes
    )


@lru_cache(maxsize=1024)
def longest_pause_minutes(schedule: Schedule) -> int | None:
    """Give the longest time between two hits, or None where it never hits."""
    days = _matching_days(schedule)
    if not days:
        return None
    minutes = schedule.minutes
    inner = max((b - a for a, b in pairwise(minutes)), default=0)
    cycle = _cycle_days()
    gaps = [b - a for a, b in pairwise(days)]
    gaps.append(days[0] + cycle - days[-1])
    outer = max(gaps) * _DAY_MINUTES - (minutes[-1] - minutes[0])
    return max(inner, outer)


def _matching_days(schedule: Schedule) -> list[int]:
    found, number = [], 0
    for year in range(2000, 2000 + _CYCLE_YEARS):
        for month in range(1, 13):
            for day in range(1, _month_length(year, month) + 1):
                if schedule.has_day(month, day, (_FIRST_WEEKDAY + number) % 7):
                    found.append(number)
                number += 1
    return found


def _cycle_days() -> int:
    return _CYCLE_YEARS * 365 + _CYCLE_YEARS // 4


def _month_length(year: int, month: int) -> int:
    return 29 if month == 2 and year % 4 == 0 else _MONTH_DAYS[month - 1]


def _read_field(text: str, field: _Field) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        found.update(_read_part(part, field))
    return frozenset(found)


def _read_part(part: str, field: _Field) -> range:
    span, slash, step_text = part.partition("/")
    step = _number(step_text, field, part) if slash else 1
    if step < 1:
        raise BadSchedule(f"{part!r} steps by {step}, in the field {field.name}")
    low_text, dash, high_text = span.partition("-")
    if span in ("*", "?"):
        low, high = field.low, field.high
    else:
        low = _number(low_text, field, part)
        high = _number(high_text, field, part) if dash else field.high if slash else low
    if not field.low <= low <= high <= field.high:
        raise BadSchedule(
            f"{part!r} is outside of {field.low}-{field.high}, in the field {field.name}"
        )
    return range(low, high + 1, step)


def _number(text: str, field: _Field, part: str) -> int:
    if text.lower() in field.words:
        return field.words.index(text.lower()) + field.low
    if not (text.isascii() and text.isdecimal()) or len(text) > 4:
        raise BadSchedule(f"{part!r} is not understood, in the field {field.name}")
    return int(text)
