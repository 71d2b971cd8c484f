"""Instants: whole milliseconds since the epoch inside, RFC 3339 in UTC outside."""

from datetime import UTC, datetime
from functools import lru_cache


class BadInstant(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """Text that is no RFC 3339 time."""


@lru_cache(maxsize=65536)
def parse_instant(text: str) -> int:
    """Read an RFC 3339 time as milliseconds since the epoch."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInstant(f"{text!r} is not a time like 2026-11-15T09:00:00Z") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)


def read_instant(text: str | None) -> int | None:
    """Read a time that others wrote; one that is missing or cannot be read is none."""
    try:
        return parse_instant(text) if text else None
    except BadInstant:
        return None


def print_instant(instant_ms: int) -> str:
    """Write milliseconds since the epoch as RFC 3339 in UTC."""
    moment = datetime.fromtimestamp(instant_ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{instant_ms % 1000:03d}Z"
