"""Carry out edits in a file's text, touching nothing else.

Each document that has edits is mended by itself. First by replacing the very characters that the
edit is about, so that every comment, quote and blank line stays; the result is read again and must
hold exactly what the edits say. Where that cannot be done (flow style, anchors), ruamel writes the
document anew with its comments and order. What neither can do is left as it was.
"""

import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from nodewright.lint.edits import apply_all
from nodewright.lint.finding import Edit, Finding
from nodewright.lint.surgery import cut_text
from nodewright.model.errors import UserError
from nodewright.model.path import Path
from nodewright.state.manifests import Document, Manifest
from nodewright.state.yamlstream import read_documents

_WIDE: Final = 100_000
_START: Final = re.compile(r"---(?=\s)[ \t]*(?:#[^\n]*)?\n?")


class Fixed(msgspec.Struct, frozen=True):
    """A file after its edits: the text, and the findings that were and were not mended."""

    text: str
    mended: tuple[Finding, ...]
    left: tuple[Finding, ...]


def fix_text(text: str, findings: Iterable[Finding]) -> Fixed:
    """Mend every finding that knows its edits, document by document."""
    by_document: dict[int, tuple[Document, list[Finding]]] = {}
    for finding in findings:
        if finding.edits:
            document = finding.manifest.document
            by_document.setdefault(id(document), (document, []))[1].append(finding)
    mended: list[Finding] = []
    left: list[Finding] = []
    pieces = _pieces(text, [document for document, _ in by_document.values()])
    changed: list[tuple[int, int, str]] = []
    for (document, found), (begin, end) in zip(by_document.values(), pieces, strict=True):
        after = _fix_document(document, found)
        if after is None:
            left += found
        else:
            mended += found
            changed.append((begin, end, after))
    for begin, end, after in sorted(changed, reverse=True):
        text = text[:begin] + after + text[end:]
    return Fixed(text, tuple(mended), tuple(left))


def _pieces(text: str, documents: Sequence[Document]) -> Iterator[tuple[int, int]]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for document in documents:
        begin = text.index(document.text, starts[document.lines_before])
        yield begin, begin + len(document.text)


def _fix_document(document: Document, findings: Sequence[Finding]) -> str | None:
    edits = [
        _moved(edit, finding.manifest.prefix) for finding in findings for edit in finding.edits
    ]
    edits = list(dict.fromkeys(edits))
    before = _read(document.text)
    wanted = apply_all(before, edits)
    if wanted is None:
        return None
    after = cut_text(document.text, edits)
    if after is not None and _read(after) == wanted:
        return after
    after = _write_anew(document.text, edits)
    return after if after is not None and _read(after) == wanted else None


def edit_text(text: str, document: Document, edits: Sequence[Edit]) -> str:
    """Carry edits out in one document of a text; what cannot be done changes nothing."""
    finding = Finding("NW-2001", Manifest({}, document), (), "", edits=tuple(edits))
    return fix_text(text, [finding]).text


def _moved(edit: Edit, prefix: Path) -> Edit:
    return msgspec.structs.replace(edit, path=(*prefix, *edit.path)) if prefix else edit


def _read(text: str) -> Any:
    try:
        return next(iter(read_documents(text, "")))[0]
    except (UserError, StopIteration):
        return None


def _write_anew(text: str, edits: Sequence[Edit]) -> str | None:
    start = _START.match(text)
    if start is None:
        return _write_body(text, edits)
    after = _write_body(text[start.end() :], edits)
    head = start[0] if start[0].endswith("\n") else f"{start[0].rstrip()}\n"
    return None if after is None else head + after


def _write_body(text: str, edits: Sequence[Edit]) -> str | None:
    if text.lstrip().startswith("{"):
        changed = apply_all(_read(text), edits)
        return None if changed is None else json.dumps(changed, indent=2, ensure_ascii=False) + "\n"
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _WIDE
    yaml.indent(mapping=2, sequence=4 if "  - " in text else 2, offset=2 if "  - " in text else 0)
    try:
        loaded = yaml.load(text)
        changed = apply_all(loaded, edits)
        stream = io.StringIO()
        yaml.dump(changed, stream)
    except (YAMLError, ValueError):
        return None
    return stream.getvalue() if changed is not None else None
