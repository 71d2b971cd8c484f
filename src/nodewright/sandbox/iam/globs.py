"""Patterns with `*` and `?`, as policies use them.

A pattern is a tuple of literal pieces and wildcards, so that a star which came out of a policy
variable stays a plain star. Plain text is matched as a whole. In a resource a wildcard stays
inside its colon-separated segment, except a star that is the last character of a segment: that one
may run on beyond the colon. The Arn operators compare the six parts of an ARN one by one instead.
"""

import re
from enum import Enum
from functools import lru_cache

ARN_PARTS = 6
_CACHE_SIZE = 8192


class Wild(Enum):
    """A wildcard: any run of characters, or one character."""

    ANY = "*"
    ONE = "?"


type Glob = tuple[str | Wild, ...]


@lru_cache(maxsize=_CACHE_SIZE)
def read_glob(text: str) -> Glob:
    """Read a pattern in which every star and question mark is a wildcard."""
    pieces = re.split(r"([*?])", text)
    return tuple(Wild(piece) if piece in ("*", "?") else piece for piece in pieces if piece)


def matches(glob: Glob, text: str, *, ignore_case: bool = False) -> bool:
    """Tell whether a pattern covers the whole of a text."""
    return _plain(glob, ignore_case).fullmatch(text) is not None


def matches_literally(glob: Glob, text: str, *, ignore_case: bool = False) -> bool:
    """Tell whether a text is exactly what was written, wildcards being ordinary characters."""
    written = spell(glob)
    return written.casefold() == text.casefold() if ignore_case else written == text


def matches_resource(glob: Glob, arn: str) -> bool:
    """Tell whether the pattern of a Resource element covers an ARN (or the lone `*`)."""
    if glob == (Wild.ANY,):
        return True
    return _segmented(glob).fullmatch(arn) is not None


def matches_arn(glob: Glob, arn: str) -> bool:
    """Tell whether ArnLike holds: each of the six parts is compared by itself."""
    parts = arn.split(":", ARN_PARTS - 1)
    wanted = split_parts(glob)
    if len(parts) != ARN_PARTS or len(wanted) != ARN_PARTS:
        return False
    return all(matches(one, part) for one, part in zip(wanted, parts, strict=True))


def spell(glob: Glob) -> str:
    """Give the text that a pattern was written as."""
    return "".join(piece.value if isinstance(piece, Wild) else piece for piece in glob)


def split_parts(glob: Glob) -> list[Glob]:
    """Split a pattern at its first five colons."""
    parts: list[list[str | Wild]] = [[]]
    for piece in glob:
        if isinstance(piece, Wild):
            parts[-1].append(piece)
            continue
        room = ARN_PARTS - len(parts)
        for number, text in enumerate(piece.split(":", room)):
            if number:
                parts.append([])
            if text:
                parts[-1].append(text)
    return [tuple(part) for part in parts]


@lru_cache(maxsize=_CACHE_SIZE)
def _plain(glob: Glob, ignore_case: bool) -> re.Pattern[str]:
    forms = {Wild.ANY: ".*", Wild.ONE: "."}
    source = "".join(
        forms[piece] if isinstance(piece, Wild) else re.escape(piece) for piece in glob
    )
    return re.compile(source, re.DOTALL | (re.IGNORECASE if ignore_case else 0))


@lru_cache(maxsize=_CACHE_SIZE)
def _segmented(glob: Glob) -> re.Pattern[str]:
    source = []
    for place, piece in enumerate(glob):
        if isinstance(piece, str):
            source.append(re.escape(piece))
        elif piece is Wild.ONE:
            source.append("[^:]")
        else:
            following = glob[place + 1] if place + 1 < len(glob) else ":"
            ends_segment = isinstance(following, str) and following.startswith(":")
            source.append(".*" if ends_segment else "[^:]*")
    return re.compile("".join(source), re.DOTALL)
