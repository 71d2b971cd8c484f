"""Lengths of time as manifests write them, read as whole milliseconds.

Karpenter's fields take groups of digits with `s`, `m` or `h` (`1h30m`) and, in some places, the word
`Never`. Annotations take the wider grammar of Go (`1.5h`, `300ms`, a sign). Both are read without
floating point; what is finer than a millisecond is cut off.
"""

import re
from functools import lru_cache
from typing import Final

NEVER: Final = "Never"

DURATION_PATTERN: Final = r"^([0-9]+(s|m|h))+$"
DURATION_OR_NEVER_PATTERN: Final = r"^(([0-9]+(s|m|h))+|Never)$"

SECOND_MS: Final = 1000
MINUTE_MS: Final = 60 * SECOND_MS
HOUR_MS: Final = 60 * MINUTE_MS

_LENGTH_MAX: Final = 64
_HOURS_MAX: Final = 2_562_047
"""Go counts nanoseconds in 64 bits: a longer time cannot be written there either."""

_UNIT_NS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_GROUP: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_STRICT: Final = re.compile(r"(?:[0-9]+[smh])+")


class BadDuration(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """Text that is no length of time."""


@lru_cache(maxsize=4096)
def parse_go_duration(text: str) -> int:
    """Read a duration of Go (`1h30m`, `1.5h`, `-300ms`, `0`) as milliseconds."""
    sign, rest = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
    if rest == "0":
        return 0
    if not rest or len(rest) > _LENGTH_MAX:
        raise BadDuration(_sentence(text))
    total_ns, position = 0, 0
    while position < len(rest):
        group = _GROUP.match(rest, position)
        if group is None or not (group[1] or group[2]):
            raise BadDuration(_sentence(text))
        fraction = group[2] or ""
        unit_ns = _UNIT_NS[group[3]]
        total_ns += int(group[1] or "0") * unit_ns
        total_ns += int(fraction or "0") * unit_ns // 10 ** len(fraction)
        position = group.end()
    milliseconds = total_ns // 1_000_000
    if milliseconds > _HOURS_MAX * HOUR_MS:
        raise BadDuration(f"{text!r} is longer than {_HOURS_MAX}h, which nobody can count")
    return sign * milliseconds


@lru_cache(maxsize=4096)
def parse_duration(text: str) -> int:
    """Read a duration of Karpenter's fields (`90s`, `1h30m`: whole numbers, no sign, no days)."""
    if not _STRICT.fullmatch(text):
        raise BadDuration(_sentence(text))
    return parse_go_duration(text)


def parse_duration_or_never(text: str) -> int | None:
    """Read a duration of Karpenter's fields; `Never` is given as None."""
    return None if text == NEVER else parse_duration(text)


def print_duration(milliseconds: int) -> str:
    """Write milliseconds in hours, minutes and seconds (`1h30m`); what is finer is cut off."""
    seconds = abs(milliseconds) // SECOND_MS
    parts = ((seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, "s"))
    written = "".join(f"{count}{unit}" for count, unit in parts if count)
    return f"{'-' if milliseconds < 0 and written else ''}{written or '0s'}"


def _sentence(text: str) -> str:
    return f"{text[:_LENGTH_MAX]!r} is not a duration (like 30s, 10m or 1h30m)"
