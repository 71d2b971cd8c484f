"""What a bare word of YAML means, read as Kubernetes' own tools read it.

They follow YAML 1.1 for truth values (`yes`, `on` and even `y` are true), take `0755` as octal,
and know no dates and no base 60. Whole floats become integers, as they do on their way through JSON.
What JSON cannot hold (infinity, not-a-number, huge numbers) is refused.
"""

import re
from typing import Final

_TRUE: Final = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_FALSE: Final = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_NULL: Final = ("", "~", "null", "Null", "NULL")
_WORDS: Final[dict[str, object]] = {
    **dict.fromkeys(_TRUE, True),
    **dict.fromkeys(_FALSE, False),
    **dict.fromkeys(_NULL),
}
_INTEGER: Final = re.compile(
    r"(?P<sign>[-+]?)(?:0x(?P<hex>[0-9a-fA-F]+)|0o?(?P<octal>[0-7]+)|0b(?P<binary>[01]+)|"
    r"(?P<decimal>[0-9]+))"
)
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_A_NUMBER: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_FIRST: Final = frozenset("0123456789+-.")
_DIGITS_MAX: Final = 400
_WHOLE_MAX: Final = 2**53


class BadScalar(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """A word that stands for something JSON cannot hold."""


def read_plain(text: str) -> object:
    """Give the value of a bare word: truth, nothing, a number, or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST:
        return text
    if _NOT_A_NUMBER.fullmatch(text):
        raise BadScalar(f"{text} is a number that JSON does not have: write it in quotes")
    bare = text.replace("_", "")
    whole = _INTEGER.fullmatch(bare)
    if whole is not None:
        return _read_integer(whole)
    return read_float(bare) if _FLOAT.fullmatch(bare) else text


def read_float(text: str) -> int | float:
    """Give the number; a whole one as an integer."""
    number = float(text)
    if abs(number) == float("inf"):
        raise BadScalar(f"{text[:40]} is too large for a number: write it in quotes")
    return int(number) if number.is_integer() and abs(number) < _WHOLE_MAX else number


def read_integer(text: str) -> int:
    """Give the decimal number, if it is of a size that anybody can use."""
    if len(text) > _DIGITS_MAX:
        raise BadScalar(f"{text[:20]}… is a number of {len(text)} digits: write it in quotes")
    return int(text)


def _read_integer(form: re.Match[str]) -> int:
    sign = -1 if form["sign"] == "-" else 1
    if form["hex"]:
        return sign * int(form["hex"], 16)
    if form["octal"]:
        return sign * int(form["octal"], 8)
    if form["binary"]:
        return sign * int(form["binary"], 2)
    return sign * read_integer(form["decimal"])
