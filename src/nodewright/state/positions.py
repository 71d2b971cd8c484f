"""Where the parts of a YAML or JSON document stand, found only when somebody asks."""

from collections.abc import Iterator
from typing import Any

import msgspec
import yaml
from yaml import events

from nodewright.model.path import Path


class Mark(msgspec.Struct, frozen=True, order=True):
    """A place in a file; lines and columns count from 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Position(msgspec.Struct, frozen=True):
    """Where a field stands: its key (or dash) and its value."""

    key: Mark
    value: Mark


class _Level:
    __slots__ = ("index", "is_map", "key", "key_mark")

    def __init__(self, *, is_map: bool) -> None:
        self.is_map = is_map
        self.index = -1
        self.key: str | None = None
        self.key_mark: Mark | None = None


def walk(text: str, line_offset: int = 0) -> Iterator[tuple[Path, Position]]:
    """Give the place of every field in the order of the text, parents before their parts.

    What an alias stands for is found at its anchor only. Text that stops being YAML ends the walk.
    """
    parser = yaml.CSafeLoader(text)
    levels: list[_Level] = []
    path: list[str | int] = []
    try:
        while (event := parser.get_event()) is not None:
            if isinstance(event, events.MappingEndEvent | events.SequenceEndEvent):
                levels.pop()
                _leave(levels, path)
            elif isinstance(event, events.NodeEvent):
                mark = _mark(event, line_offset)
                if _takes_key(levels, event, mark):
                    continue
                if levels:
                    path.append(_step(levels[-1]))
                yield tuple(path), _position(levels, mark)
                if isinstance(event, events.CollectionStartEvent):
                    levels.append(_Level(is_map=isinstance(event, events.MappingStartEvent)))
                else:
                    _leave(levels, path)
    except yaml.YAMLError:
        return


def seek(text: str, path: Path, line_offset: int = 0) -> Position | None:
    """Give the place of one field, or of the nearest thing around it, and read no further.

    Of a key that is there twice the first counts, as everywhere else nobody may write it twice.
    """
    parser = yaml.CSafeLoader(text)
    found: Position | None = None
    try:
        event: Any = _first_node(parser)
        key: Any = None
        for depth in range(len(path) + 1):
            if event is None:
                break
            mark = _mark(event, line_offset)
            found = Position(mark if key is None else _mark(key, line_offset), mark)
            if depth < len(path):
                key, event = _enter(parser, event, path[depth])
    except yaml.YAMLError:
        return found
    return found


def _first_node(parser: Any) -> Any:
    while (event := parser.get_event()) is not None:
        if isinstance(event, events.NodeEvent):
            return event
    return None


def _enter(parser: Any, event: Any, part: str | int) -> tuple[Any, Any]:
    """Go to one part of a container that has just begun: its key and value, or nothing."""
    if isinstance(part, int) and type(event) is events.SequenceStartEvent:
        for _ in range(part):
            if not _skip(parser, parser.get_event()):
                return None, None
        item = parser.get_event()
        return None, None if type(item) is events.SequenceEndEvent else item
    if isinstance(part, str) and type(event) is events.MappingStartEvent:
        while type(key := parser.get_event()) is not events.MappingEndEvent:
            if type(key) is events.ScalarEvent and key.value == part:
                return key, parser.get_event()
            if not (_skip(parser, key) and _skip(parser, parser.get_event())):
                break
    return None, None


def _skip(parser: Any, event: Any) -> bool:
    """Read past one node; False where it is none, but the end of what holds it."""
    kind = type(event)
    if kind is events.SequenceEndEvent or kind is events.MappingEndEvent:
        return False
    depth = 0
    while True:
        if kind is events.MappingStartEvent or kind is events.SequenceStartEvent:
            depth += 1
        elif kind is events.MappingEndEvent or kind is events.SequenceEndEvent:
            depth -= 1
        if depth == 0:
            return True
        kind = type(parser.get_event())


def _takes_key(levels: list[_Level], event: Any, mark: Mark) -> bool:
    if not levels or not levels[-1].is_map or levels[-1].key is not None:
        return False
    levels[-1].key = event.value if isinstance(event, events.ScalarEvent) else ""
    levels[-1].key_mark = mark
    return True


def _step(level: _Level) -> str | int:
    level.index += 1
    return level.key if level.key is not None else level.index


def _leave(levels: list[_Level], path: list[str | int]) -> None:
    if levels:
        path.pop()
        levels[-1].key = None


def _position(levels: list[_Level], mark: Mark) -> Position:
    key = levels[-1].key_mark if levels and levels[-1].is_map else None
    return Position(key or mark, mark)


def _mark(event: Any, line_offset: int) -> Mark:
    start, end = event.start_mark, event.end_mark
    return Mark(
        start.line + 1 + line_offset, start.column + 1, end.line + 1 + line_offset, end.column + 1
    )
