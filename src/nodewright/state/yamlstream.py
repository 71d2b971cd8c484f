"""A YAML stream as plain values, in bounded time and memory.

The C parser of libyaml gives events; they are put together here without recursion, so that neither
deep nesting nor aliases that multiply can hurt: every alias counts with the size and the depth of
what it stands for. Duplicate keys are refused, since whoever wrote them meant one of the two.
Positions are not kept: `Document.positions` finds them again when somebody asks.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
import yaml
from yaml import events

from nodewright.model.errors import UserError
from nodewright.model.path import Path, show_path
from nodewright.state.positions import walk
from nodewright.state.scalars import BadScalar, read_plain

DEPTH_MAX: Final = 100
NODES_MAX: Final = 4_000_000

SYNTAX: Final = "NW-9203"
DUPLICATE: Final = "NW-9204"
TOO_MUCH: Final = "NW-9205"

_TAG: Final = "tag:yaml.org,2002:"
_TEXT_TAGS: Final = frozenset({"!", f"{_TAG}str"})
_PLAIN_TAGS: Final = frozenset(f"{_TAG}{name}" for name in ("int", "float", "bool", "null"))
_CONTAINER_TAGS: Final = frozenset({"!", f"{_TAG}map", f"{_TAG}seq"})
_PROBLEM_LENGTH_MAX: Final = 200
_HELM_ADVICE: Final = "it looks like a Helm template: render it first (helm template)"


class _Unset:
    """Stands where a key or value is still to come."""


_NO_KEY: Final = _Unset()
_MERGE: Final = _Unset()
_OPEN: Final = _Unset()


class Span(msgspec.Struct, frozen=True):
    """Where a document lies in its file: its characters, and how many lines come before it."""

    begin: int
    end: int
    lines_before: int


class _Anchored(msgspec.Struct, frozen=True):
    value: Any
    nodes: int
    height: int


class _Frame:
    __slots__ = ("anchor", "container", "height", "key", "merges", "nodes_before")

    def __init__(self, container: Any, anchor: str | None, nodes_before: int) -> None:
        self.container = container
        self.anchor = anchor
        self.key: Any = _NO_KEY
        self.merges: list[Any] = []
        self.height = 0
        self.nodes_before = nodes_before


def read_documents(text: str, source: str) -> Iterator[tuple[Any, Span]]:
    """Give the value and place of every document of a stream; empty documents are None."""
    builder = _Builder(text, source)
    try:
        yield from builder.documents()
    except yaml.YAMLError as error:
        raise _syntax_error(error, text, source) from None


class _Builder:
    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.parser = yaml.CSafeLoader(text)
        self.nodes = 0
        self.root = _Frame([], None, 0)
        self.frame = self.root
        self.stack: list[_Frame] = []
        self.anchors: dict[str, _Anchored | _Unset] = {}
        self.known: dict[str, object] = {}
        self.begin = Span(0, 0, 0)

    def documents(self) -> Iterator[tuple[Any, Span]]:
        """Take events until the end of the stream."""
        steps: dict[type, Callable[[Any], None]] = {
            events.ScalarEvent: self.scalar,
            events.MappingStartEvent: self.mapping,
            events.MappingEndEvent: self.close,
            events.SequenceStartEvent: self.sequence,
            events.SequenceEndEvent: self.close,
            events.AliasEvent: self.alias,
        }
        next_event = self.parser.get_event
        while (event := next_event()) is not None:
            step = steps.get(type(event))
            if step is not None:
                step(event)
            elif type(event) is events.DocumentStartEvent:
                mark: Any = event.start_mark
                self.begin = Span(mark.index - mark.column, mark.index, mark.line)
                self.anchors.clear()
                self.root = self.frame = _Frame([], None, self.nodes)
            elif type(event) is events.DocumentEndEvent:
                (value,) = self.root.container
                begin, end_mark = self.begin, event.end_mark
                assert end_mark is not None
                yield value, Span(begin.begin, end_mark.index, begin.lines_before)

    def scalar(self, event: Any) -> None:
        """Take a word: bare, quoted or tagged."""
        value: Any = event.value
        if event.implicit[0] or event.tag in _PLAIN_TAGS:
            known = self.known.get(value, _NO_KEY)
            value = self._plain(value, event) if known is _NO_KEY else known
        elif event.tag is not None and event.tag not in _TEXT_TAGS:
            raise self._tag_error(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = _Anchored(value, 1, 0)
        self._add(value, event)

    def _plain(self, text: str, event: Any) -> object:
        try:
            value = read_plain(text)
        except BadScalar as error:
            raise self._error(event, str(error), SYNTAX) from None
        if len(text) <= 64:
            self.known[text] = value
        return value

    def _add(self, value: Any, event: Any) -> None:
        self.nodes += 1
        frame = self.frame
        if type(frame.container) is list:
            frame.container.append(value)
        elif frame.key is _NO_KEY:
            frame.key = self._key(value, event)
        elif frame.key is _MERGE:
            frame.merges.append((value, event))
            frame.key = _NO_KEY
        else:
            frame.container[frame.key] = value
            frame.key = _NO_KEY
        if self.nodes > NODES_MAX:
            raise self._error(
                event, f"more than {NODES_MAX:,} values (aliases count in full): split it", TOO_MUCH
            )

    def _key(self, value: Any, event: Any) -> Any:
        if type(value) is not str:
            value = self._key_text(value, event)
        elif value == "<<" and type(event) is events.ScalarEvent and event.implicit[0]:
            return _MERGE
        if value in self.frame.container:
            raise self._duplicate(value, event)
        # A key that is seen stands in the mapping at once, so that its twin is noticed.
        self.frame.container[value] = None
        return value

    def _key_text(self, value: Any, event: Any) -> str:
        if isinstance(value, dict | list):
            raise self._error(event, "a key cannot be a list or a mapping", SYNTAX)
        if isinstance(value, bool) or value is None:
            return {True: "true", False: "false", None: "null"}[value]
        return str(value)

    def mapping(self, event: Any) -> None:
        """Open a mapping."""
        self._open({}, event)

    def sequence(self, event: Any) -> None:
        """Open a list."""
        self._open([], event)

    def _open(self, container: Any, event: Any) -> None:
        if event.tag is not None and event.tag not in _CONTAINER_TAGS:
            raise self._tag_error(event)
        if type(self.frame.container) is dict and self.frame.key is _NO_KEY:
            raise self._error(event, "a key cannot be a list or a mapping", SYNTAX)
        if len(self.stack) >= DEPTH_MAX:
            raise self._too_deep(event)
        if event.anchor is not None:
            self.anchors[event.anchor] = _OPEN
        self.stack.append(self.frame)
        self.frame = _Frame(container, event.anchor, self.nodes)

    def close(self, event: Any) -> None:
        """Close the innermost mapping or list, and put it where it belongs."""
        frame = self.frame
        for merged, merge_event in frame.merges:
            self._merge(frame, merged, merge_event)
        self.frame = parent = self.stack.pop()
        parent.height = max(parent.height, frame.height + 1)
        self._add(frame.container, event)
        if frame.anchor is not None:
            nodes = self.nodes - frame.nodes_before
            self.anchors[frame.anchor] = _Anchored(frame.container, nodes, frame.height + 1)

    def _merge(self, frame: _Frame, merged: Any, event: Any) -> None:
        for mapping in merged if isinstance(merged, list) else [merged]:
            if not isinstance(mapping, dict):
                raise self._error(event, "<< takes a mapping or a list of mappings", SYNTAX)
            self.nodes += len(mapping)
            for key, value in mapping.items():
                frame.container.setdefault(key, value)

    def alias(self, event: Any) -> None:
        """Put what an anchor stands for in the alias's place, counted in full."""
        anchored = self.anchors.get(event.anchor)
        if anchored is None:
            raise self._error(event, f"alias *{event.anchor} has no anchor before it", SYNTAX)
        if isinstance(anchored, _Unset):
            raise self._error(event, f"alias *{event.anchor} stands inside of itself", TOO_MUCH)
        if len(self.stack) + anchored.height > DEPTH_MAX:
            raise self._too_deep(event)
        self.frame.height = max(self.frame.height, anchored.height)
        self.nodes += anchored.nodes
        self._add(anchored.value, event)

    def _path(self) -> Path:
        frames = [*self.stack, self.frame][1:]
        path: list[str | int] = []
        for frame in frames:
            if type(frame.container) is list:
                path.append(len(frame.container))
            elif isinstance(frame.key, str):
                path.append(frame.key)
        return tuple(path)

    def _duplicate(self, key: str, event: Any) -> UserError:
        path: Path = (*self._path(), key)
        places = walk(self.text[self.begin.begin :], self.begin.lines_before)
        first = next((place.key.line for found, place in places if found == path), 0)
        line = event.start_mark.line + 1
        return UserError(
            f"the key {show_path(path)} stands there twice, in line {first} and in line {line}: "
            "keep one of the two",
            code=DUPLICATE,
            where=f"{self.source}:{line}:{event.start_mark.column + 1}",
        )

    def _too_deep(self, event: Any) -> UserError:
        return self._error(event, f"nested more than {DEPTH_MAX} levels deep", TOO_MUCH)

    def _tag_error(self, event: Any) -> UserError:
        shown = event.tag.replace(_TAG, "!!")[:40]
        return self._error(
            event, f"the tag {shown} means nothing to Kubernetes: write the value itself", SYNTAX
        )

    def _error(self, event: Any, sentence: str, code: str) -> UserError:
        mark = event.start_mark
        return UserError(
            sentence,
            code=code,
            where=f"{self.source}:{mark.line + 1}:{mark.column + 1}",
            advice=_HELM_ADVICE if _is_template(self.text, mark.index) else "",
        )


def _syntax_error(error: yaml.YAMLError, text: str, source: str) -> UserError:
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or error).partition("\n")[0]
    if mark is None:
        return UserError(f"this is not YAML: {problem}", code=SYNTAX, where=source)
    is_template = _is_template(text, mark.index)
    return UserError(
        f"this is not YAML: {problem[:_PROBLEM_LENGTH_MAX]}",
        code=SYNTAX,
        where=f"{source}:{mark.line + 1}:{mark.column + 1}",
        advice=_HELM_ADVICE if is_template else "check the indentation and quotes in this line",
    )


def _is_template(text: str, index: int) -> bool:
    return "{{" in text[max(0, index - 100) : index + 100]
