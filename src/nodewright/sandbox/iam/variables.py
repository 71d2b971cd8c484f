"""Policy variables: `${aws:PrincipalTag/team}` inside resources and condition values.

Only documents of version 2012-10-17 have them; in older ones the characters stand for themselves.
What a variable stands for is plain text, whatever characters are in it. `${*}`, `${?}` and `${$}`
stand for those characters. A variable whose key the request lacks, or that has several values,
gives its default if it has one; otherwise the whole text matches nothing.
"""

import re
from collections.abc import Iterator

from nodewright.sandbox.iam.context import Context
from nodewright.sandbox.iam.globs import Glob, read_glob

_VARIABLE = re.compile(r"\$\{(?P<inside>[^}]*)\}")
_WITH_DEFAULT = re.compile(r"(?P<key>[^,']+?)\s*(?:,\s*'(?P<default>[^']*)')?\s*")
LITERALS = ("*", "?", "$")


def expand(text: str, context: Context) -> Glob | None:
    """Give the pattern that a text with variables stands for, or None if a variable has no value."""
    pieces: list[Glob] = []
    place = 0
    for found in _VARIABLE.finditer(text):
        pieces.append(read_glob(text[place : found.start()]))
        value = _value(found["inside"], context)
        if value is None:
            return None
        if value:
            pieces.append((value,))
        place = found.end()
    pieces.append(read_glob(text[place:]))
    return tuple(token for glob in pieces for token in glob)


def variable_keys(text: str) -> Iterator[str]:
    """Yield the condition keys that the variables of a text need."""
    for found in _VARIABLE.finditer(text):
        if found["inside"] not in LITERALS:
            read = _WITH_DEFAULT.fullmatch(found["inside"])
            if read is not None and read["default"] is None:
                yield read["key"]


def is_well_formed(text: str) -> bool:
    """Tell whether every variable of a text is closed and has a form that can be read."""
    rest = _VARIABLE.sub("", text)
    if "${" in rest:
        return False
    return all(
        found["inside"] in LITERALS or _WITH_DEFAULT.fullmatch(found["inside"]) is not None
        for found in _VARIABLE.finditer(text)
    )


def _value(inside: str, context: Context) -> str | None:
    if inside in LITERALS:
        return inside
    read = _WITH_DEFAULT.fullmatch(inside)
    if read is None:
        return None
    value = context.single(read["key"])
    default: str | None = read["default"]
    return value if value is not None else default
