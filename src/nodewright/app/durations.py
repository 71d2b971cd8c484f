"""Durations among the settings of the controller, as Go writes them: `10s`, `1m30s`."""

from typing import Final

from nodewright.model.duration import BadDuration, parse_go_duration
from nodewright.model.errors import UserError

BAD_SETTING: Final = "NW-9501"


def read_duration(name: str, written: str) -> int:
    """Give a setting's milliseconds; one that is not longer than nothing is refused."""
    try:
        found_ms = parse_go_duration(written)
    except BadDuration as error:
        raise UserError(f"{name}: {error}", code=BAD_SETTING) from None
    if found_ms <= 0:
        raise UserError(f"{name} must be longer than nothing, not {written}", code=BAD_SETTING)
    return found_ms
