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
