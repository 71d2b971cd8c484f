"""Kubernetes manifests: a YAML or JSON stream as objects that know where they stand.

Whatever the bytes are, the answer is a list of objects or one `UserError`: size, nesting, aliases,
encodings and duplicate keys are all bounded or refused. `List` objects are taken apart. A document
that has no kind (the values of a Helm chart) is given too, since only the caller can tell whether
it is wanted.
"""

import codecs
import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.model.path import Path
from nodewright.state.positions import Mark, Position, seek, walk
from nodewright.state.scalars import BadScalar, read_float, read_integer
from nodewright.state.yamlstream import DEPTH_MAX, read_documents

SIZE_MAX_BYTES: Final = 64 << 20

TOO_LARGE: Final = "NW-9201"
NOT_TEXT: Final = "NW-9202"
NOT_AN_OBJECT: Final = "NW-9206"

_UNPRINTABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_UTF16: Final = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_GZIP: Final = b"\x1f\x8b"


class Document(msgspec.Struct, frozen=True, dict=True, eq=False):
    """One document of a stream: its file and its text."""

    file: str
    text: str
    lines_before: int

    @cached_property
    def positions(self) -> dict[Path, Position]:
        """The place of every field."""
        return dict(walk(self.text, self.lines_before))


class Manifest(msgspec.Struct, frozen=True, eq=False):
    """One object of a stream, as plain values that nobody may change, and where it stands."""

    raw: dict[str, Any]
    document: Document
    prefix: Path = ()

    @property
    def file(self) -> str:
        """The file it came from."""
        return self.document.file

    @property
    def api_version(self) -> str:
        """Its `apiVersion`, or nothing."""
        return _text(self.raw.get("apiVersion"))

    @property
    def kind(self) -> str:
        """Its kind, or nothing."""
        return _text(self.raw.get("kind"))

    @property
    def name(self) -> str:
        """Its name, or nothing."""
        metadata = self.raw.get("metadata")
        return _text(metadata.get("name")) if isinstance(metadata, dict) else ""

    @property
    def namespace(self) -> str:
        """Its namespace, or nothing."""
        metadata = self.raw.get("metadata")
        return _text(metadata.get("namespace")) if isinstance(metadata, dict) else ""

    def locate(self, path: Path = ()) -> Position:
        """Give the place of a field, or of the nearest thing around it that stands in the file."""
        document = self.document
        found = seek(document.text, (*self.prefix, *path), document.lines_before)
        if found is not None:
            return found
        line = document.lines_before + 1
        return Position(Mark(line, 1, line, 1), Mark(line, 1, line, 1))

    def where(self, path: Path = ()) -> str:
        """Give `file:line:column` of a field."""
        mark = self.locate(path).key
        return f"{self.file}:{mark.line}:{mark.column}"


def read_manifests(data: bytes, source: str) -> list[Manifest]:
    """Read every object of a YAML or JSON stream, in order; raises one `UserError`."""
    text = decode_text(data, source)
    documents = _read_json(text, source)
    if documents is None:
        documents = [
            (value, Document(source, text[span.begin : span.end], span.lines_before))
            for value, span in read_documents(text, source)
        ]
    return [
        manifest
        for value, document in documents
        if value is not None
        for manifest in _objects(value, document, ())
    ]


def decode_text(data: bytes, source: str) -> str:
    """Give the text of a file, without its byte order mark; what is no text is refused."""
    if len(data) > SIZE_MAX_BYTES:
        sentence = f"larger than {SIZE_MAX_BYTES >> 20} MB, the most that is read: split it"
        raise UserError(sentence, code=TOO_LARGE, where=source)
    if data.startswith(_GZIP):
        raise UserError("this is a gzip file: unpack it first", code=NOT_TEXT, where=source)
    encoding = next((name for mark, name in _UTF16 if data.startswith(mark)), "utf-8-sig")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _not_text(f"byte {error.start} is no UTF-8", source, line) from None
    if strange := _UNPRINTABLE.search(text):
        line = text.count("\n", 0, strange.start()) + 1
        raise _not_text(f"it holds the character U+{ord(strange[0]):04X}", source, line)
    return text


def _not_text(why: str, source: str, line: int) -> UserError:
    return UserError(
        f"this is not a text file ({why}): give a YAML or JSON manifest",
        code=NOT_TEXT,
        where=f"{source}:{line}",
    )


def _objects(value: Any, document: Document, prefix: Path) -> Iterator[Manifest]:
    manifest = Manifest(value if isinstance(value, dict) else {}, document, prefix)
    if not isinstance(value, dict):
        raise UserError(
            f"expected a Kubernetes object (apiVersion, kind, …) and found {_kind_of(value)}",
            code=NOT_AN_OBJECT,
            where=manifest.where(),
        )
    items = value.get("items")
    if manifest.kind.endswith("List") and isinstance(items, list | None):
        for index, item in enumerate(items or ()):
            yield from _objects(item, document, (*prefix, "items", index))
    else:
        yield manifest


def _kind_of(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    return f"the text {value[:30]!r}" if isinstance(value, str) else f"{value!r:.30}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


class _NotJson(ValueError):  # noqa: N818 - it never leaves this module
    """JSON that the YAML reader should have a look at, since it words its findings better."""


def _read_json(text: str, source: str) -> list[tuple[Any, Document]] | None:
    """Read a stream of JSON objects quickly; None where the text is something else, or is bad."""
    blank = _BLANK.match(text)
    begin = blank.end() if blank else 0
    if text[begin : begin + 1] not in ("{", "["):
        return None
    decoder = json.JSONDecoder(
        object_pairs_hook=_unique,
        parse_float=read_float,
        parse_int=read_integer,
        parse_constant=_no_constant,
    )
    documents: list[tuple[Any, Document]] = []
    try:
        while begin < len(text):
            value, end = decoder.raw_decode(text, begin)
            _check_depth(value)
            lines_before = text.count("\n", 0, begin)
            documents.append((value, Document(source, text[begin:end], lines_before)))
            blank = _BLANK.match(text, end)
            begin = blank.end() if blank else end
    except (ValueError, RecursionError):
        return None
    if _SURROGATE.search(text) and not _is_sound(documents):
        raise _not_text("it holds half a character", source, 1)
    return documents


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _NotJson("duplicate key")
    return found


def _no_constant(name: str) -> Any:
    raise BadScalar(f"{name} is a number that JSON does not have")


def _check_depth(value: Any) -> None:
    level, depth = [value] if isinstance(value, dict | list) else [], 0
    while level:
        depth += 1
        if depth > DEPTH_MAX:
            raise _NotJson("too deep")
        level = [
            part
            for whole in level
            for part in (whole.values() if isinstance(whole, dict) else whole)
            if isinstance(part, dict | list)
        ]


def _is_sound(documents: list[tuple[Any, Document]]) -> bool:
    try:
        json.dumps([value for value, _ in documents], ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
