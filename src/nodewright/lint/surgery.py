"""Edits carried out on text: only the characters that an edit is about change.

It works for block style and for scalars of any style; what it cannot do it answers with None, and
whoever asked checks the result by reading it.
"""

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec

from nodewright.lint.finding import Edit, Join, Lift, Remove, Rename, Replace, Scalar
from nodewright.model.path import Path
from nodewright.state.positions import Mark, Position, walk
from nodewright.state.scalars import BadScalar, read_plain

_BARE: Final = re.compile(r"[A-Za-z0-9_./@+%-][A-Za-z0-9_./@+% -]*")


class _Cut(msgspec.Struct, frozen=True, order=True):
    """Characters to take out of the text, and what to put in their place."""

    begin: int
    end: int
    text: str


def cut_text(text: str, edits: Sequence[Edit]) -> str | None:
    """Give the text with every edit carried out, or None where that cannot be done."""
    cutter = _Cutter(text)
    cuts: list[_Cut] = []
    for edit in edits:
        found = cutter.cuts(edit)
        if found is None:
            return None
        cuts += found
    cuts.sort()
    for one, following in pairwise(cuts):
        if one.end > following.begin:
            return None
    for cut in reversed(cuts):
        text = text[: cut.begin] + cut.text + text[cut.end :]
    return text


class _Cutter:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.places: dict[Path, Position] = dict(walk(text))
        self.is_json = text.lstrip().startswith("{")

    def cuts(self, edit: Edit) -> list[_Cut] | None:
        """Give the cuts of one edit."""
        place = self.places.get(edit.path)
        if place is None:
            return None
        match edit:
            case Replace(value=value):
                return self._scalar(place.value, value)
            case Rename(name=name):
                return self._scalar(place.key, name)
            case Remove():
                return self._entry(edit.path, place)
            case Join():
                return self._join(edit.path)
            case Lift():
                return self._lift(edit.path, place)

    def _span(self, mark: Mark) -> tuple[int, int]:
        begin = self.starts[mark.line - 1] + mark.column - 1
        return begin, self.starts[mark.end_line - 1] + mark.end_column - 1

    def _scalar(self, mark: Mark, value: Scalar) -> list[_Cut] | None:
        begin, end = self._span(mark)
        if mark.line != mark.end_line or begin >= end:
            return None
        quote = self.text[begin] if self.text[begin] in "\"'" else ""
        return [_Cut(begin, end, _show(value, '"' if self.is_json else quote))]

    def _entry(self, path: Path, place: Position) -> list[_Cut] | None:
        """Take the lines of an entry out; one that opens a list item leaves its dash behind."""
        first = place.key.line - 1
        last = self._last_line(path, place)
        head = self.lines[first][: place.key.column - 1]
        item = isinstance(path[-1], int)
        if head.strip() not in ("", "-") or self._shares_line(path, first, last):
            return None
        if item or not head.strip():
            return [_Cut(self.starts[first], self.starts[last + 1], "")]
        # The next key moves up behind the dash.
        following = self.lines[last + 1] if last + 1 < len(self.lines) else ""
        indent = len(following) - len(following.lstrip())
        if indent != len(head):
            return None
        begin = self.starts[first] + len(head)
        return [_Cut(begin, self.starts[last + 1] + indent, "")]

    def _last_line(self, path: Path, place: Position) -> int:
        inside = [
            position.value.end_line
            for other, position in self.places.items()
            if other[: len(path)] == path
        ]
        last = max([place.key.line, *inside])
        # The mark of an empty value may lie at the beginning of the line that follows.
        while (
            last > place.key.line
            and not self.text[self.starts[last - 1] : self._end_of(last)].strip()
        ):
            last -= 1
        empty = place.value.line > place.key.line and place.value.column >= place.value.end_column
        if empty and len(inside) == 1:
            last = place.key.line
        return last - 1

    def _end_of(self, line: int) -> int:
        return self.starts[line] if line < len(self.starts) else len(self.text)

    def _shares_line(self, path: Path, first: int, last: int) -> bool:
        """Tell whether something else of the document stands in these lines."""
        for other, position in self.places.items():
            if other[: len(path)] == path or path[: len(other)] == other:
                continue
            line = position.key.line - 1
            if first <= line <= last:
                return True
        return False

    def _join(self, path: Path) -> list[_Cut] | None:
        """Take the line `- matchExpressions:` of the second term out, so that its items follow."""
        first = self.places.get((*path, 0, "matchExpressions", 0))
        second = self.places.get((*path, 1, "matchExpressions", 0))
        head = self.places.get((*path, 1, "matchExpressions"))
        if first is None or second is None or head is None:
            return None
        line = head.key.line - 1
        if self.lines[line].partition("#")[0].strip() not in ("- matchExpressions:", "-"):
            return None
        if second.key.line - 1 <= line or first.key.column != second.key.column:
            return None
        return [_Cut(self.starts[line], self.starts[line + 1], "")]

    def _lift(self, path: Path, place: Position) -> list[_Cut] | None:
        """Take the line of the key out and move the lines under it to its own column."""
        first, last = place.key.line - 1, self._last_line(path, place)
        inside = [
            position.key.column
            for other, position in self.places.items()
            if len(other) == len(path) + 1 and other[: len(path)] == path
        ]
        depth = inside[0] - place.key.column if inside else 0
        head = self.lines[first][: place.key.column - 1]
        if depth <= 0 or head.strip() or self._shares_line(path, first, last):
            return None
        cuts = [_Cut(self.starts[first], self.starts[first + 1], "")]
        for number in range(first + 1, last + 1):
            line = self.lines[number]
            shift = min(depth, len(line) - len(line.lstrip(" ")))
            if line.strip() and shift:
                cuts.append(_Cut(self.starts[number], self.starts[number] + shift, ""))
        return cuts


def _show(value: Scalar, quote: str) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if quote == "'" and "'" not in value:
        return f"'{value}'"
    if not quote and _BARE.fullmatch(value) and _is_text(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_text(value: str) -> bool:
    try:
        return read_plain(value) == value and not value.endswith(" ") and value[0] not in "-%@"
    except BadScalar:
        return False
