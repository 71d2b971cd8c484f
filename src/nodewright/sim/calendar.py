"""Cron schedules: the next minute, in UTC, that five fields describe."""

from datetime import UTC, datetime, timedelta
from typing import Final

from nodewright.model.errors import UserError

_MACROS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_RANGES: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_MINUTES_MAX: Final = 366 * 5 * 24 * 60


class Schedule:
    """A cron schedule that was read."""

    def __init__(self, text: str) -> None:
        fields = _MACROS.get(text, text).split()
        if len(fields) != len(_RANGES):
            raise UserError(f"schedule {text!r} needs five fields", code="NW-9401")
        minutes, hours, days, months, weekdays = (
            _read(field, low, high, text)
            for field, (low, high) in zip(fields, _RANGES, strict=True)
        )
        self._minutes, self._hours, self._days, self._months = minutes, hours, days, months
        self._weekdays = {day % 7 for day in weekdays}
        self._any_day = fields[2] == "*"
        self._any_weekday = fields[4] == "*"

    def next_after_ms(self, instant_ms: int) -> int:
        """Give the first hit after an instant."""
        moment = datetime.fromtimestamp(instant_ms // 1000, UTC).replace(second=0)
        for _ in range(_MINUTES_MAX):
            moment += timedelta(minutes=1)
            if not self._is_day(moment):
                moment = moment.replace(hour=23, minute=59)
            elif moment.hour not in self._hours:
                moment = moment.replace(minute=59)
            elif moment.minute in self._minutes:
                return int(moment.timestamp()) * 1000
        raise UserError("the schedule never comes true", code="NW-9401")

    def _is_day(self, moment: datetime) -> bool:
        if moment.month not in self._months:
            return False
        by_day = moment.day in self._days
        by_weekday = moment.isoweekday() % 7 in self._weekdays
        if self._any_day or self._any_weekday:
            return by_day and by_weekday
        return by_day or by_weekday


def _read(field: str, low: int, high: int, text: str) -> set[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, dash, last = span.partition("-")
        numbers = (first, last if dash else first, step or "1")
        if span == "*":
            numbers = (str(low), str(high), step or "1")
        if not all(number.isdecimal() for number in numbers):
            raise UserError(
                f"schedule {text!r} has a field {part!r} that is no number", code="NW-9401"
            )
        begin, end, stride = (int(number) for number in numbers)
        if step and not dash and span != "*":
            end = high
        if not low <= begin <= end <= high or stride < 1:
            raise UserError(f"schedule {text!r}: {part!r} is out of range", code="NW-9401")
        found.update(range(begin, end + 1, stride))
    return found
