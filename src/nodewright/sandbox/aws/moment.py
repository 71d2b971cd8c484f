"""Instants between our milliseconds and AWS's timestamps."""

from datetime import UTC, datetime


def moment(at_ms: int) -> datetime:
    """Give an instant as a timestamp."""
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def text(at_ms: int) -> str:
    """Give an instant as events write it."""
    return moment(at_ms).strftime("%Y-%m-%dT%H:%M:%SZ")
