"""Plain values as YAML text, with a comment over any field.

Small on purpose: manifests are mappings, lists and scalars. Words that could be read as anything but
text stand in quotes, text of several lines stands in a block, and what a comment says is folded to
the width of a screen.
"""

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from nodewright.model.path import Path

type Comments = Mapping[Path, Sequence[str]]

_BARE: Final = re.compile(
    r"[A-Za-z/](?:[A-Za-z0-9_./@-]*[A-Za-z0-9])?|(?:[0-9]+[smh])+|[0-9]+(?:%|[KMGT]i)"
)
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_BLOCK: Final = re.compile(r"[^\s#][^\n]*\n(?:[^\n]*\n)*")
_UNSAFE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_WIDTH: Final = 98


def write_yaml(value: Mapping[str, Any], comments: Comments, head: Sequence[str] = ()) -> str:
    """Write one document; a comment on a field that is not there stands over what is around it."""
    placed = _placed(value, comments)
    lines = [line for one in head for line in _comment(one, 0)]
    lines += [line for one in placed.get((), ()) for line in _comment(one, 0)]
    lines += _mapping(value, (), 0, placed)
    return "\n".join(lines) + "\n"


def _placed(value: Any, comments: Comments) -> dict[Path, list[str]]:
    placed: dict[Path, list[str]] = {}
    for path, words in comments.items():
        placed.setdefault(_nearest(value, path), []).extend(words)
    return placed


def _nearest(value: Any, path: Path) -> Path:
    for length, part in enumerate(path):
        is_item = isinstance(value, list | tuple) and isinstance(part, int) and part < len(value)
        if not is_item and not (isinstance(value, dict) and part in value):
            return path[:length]
        value = value[part]
    return path


def _comment(words: str, indent: int) -> list[str]:
    width = max(_WIDTH - indent - 2, 40)
    rows = textwrap.wrap(
        _printable(" ".join(words.split())), width, break_long_words=False, break_on_hyphens=False
    )
    return [f"{' ' * indent}# {row}" for row in rows]


def _printable(words: str) -> str:
    if words.isprintable():
        return words
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in words)


def _mapping(
    value: Mapping[str, Any], path: Path, indent: int, comments: Comments
) -> Iterator[str]:
    for key, entry in value.items():
        here = (*path, key)
        for words in comments.get(here, ()):
            yield from _comment(words, indent)
        yield from _entry(f"{' ' * indent}{_scalar(key)}:", entry, here, indent, comments)


def _entry(head: str, entry: Any, path: Path, indent: int, comments: Comments) -> Iterator[str]:
    if isinstance(entry, dict) and entry:
        yield head
        yield from _mapping(entry, path, indent + 2, comments)
    elif isinstance(entry, list | tuple) and entry:
        if _is_short(entry) and not _has_comments(path, comments):
            yield f"{head} [{', '.join(_scalar(one) for one in entry)}]"
        else:
            yield head
            yield from _sequence(entry, path, indent + 2, comments)
    elif isinstance(entry, str) and _BLOCK.fullmatch(entry) and not _UNSAFE.search(entry):
        keep = "+" if entry.endswith("\n\n") else ""
        yield f"{head} |{keep}"
        yield from (
            f"{' ' * (indent + 2)}{line}" if line else "" for line in entry.split("\n")[:-1]
        )
    else:
        yield f"{head} {_scalar(entry)}"


def _sequence(value: Sequence[Any], path: Path, indent: int, comments: Comments) -> Iterator[str]:
    for index, entry in enumerate(value):
        here = (*path, index)
        for words in comments.get(here, ()):
            yield from _comment(words, indent)
        if isinstance(entry, dict) and entry:
            lines = list(_mapping(entry, here, indent + 2, comments))
            first = next(number for number, line in enumerate(lines) if line.lstrip()[:1] != "#")
            # A comment over the first key stands over the dash, where it can be read.
            yield from (line[2:] for line in lines[:first])
            yield f"{' ' * indent}- {lines[first].lstrip()}"
            yield from lines[first + 1 :]
        elif isinstance(entry, list | tuple) and entry:
            yield f"{' ' * indent}-"
            yield from _sequence(entry, here, indent + 2, comments)
        else:
            yield f"{' ' * indent}- {_scalar(entry)}"


def _is_short(value: Sequence[Any]) -> bool:
    if any(isinstance(one, dict | list | tuple) for one in value):
        return False
    return sum(len(str(one)) + 4 for one in value) <= 60


def _has_comments(path: Path, comments: Comments) -> bool:
    return any(one[: len(path)] == path and len(one) > len(path) for one in comments)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        if _BARE.fullmatch(value) and value.lower() not in _WORDS:
            return value
        quoted = json.dumps(value, ensure_ascii=False)
        return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    return json.dumps(value)
