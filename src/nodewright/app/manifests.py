"""Where commands on manifests get them: files, folders of them, or standard input."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.state.manifests import SIZE_MAX_BYTES, Manifest, decode_text, read_manifests

STANDARD_INPUT: Final = "-"
FILES_MAX: Final = 10_000
_SUFFIXES: Final = (".yaml", ".yml", ".json")


class Source(msgspec.Struct, frozen=True, eq=False):
    """One file that was read: its name, its text, and its objects."""

    name: str
    text: str
    manifests: tuple[Manifest, ...]


def open_sources(names: Sequence[str]) -> list[Source]:
    """Read every file; `-` is standard input, a folder stands for the manifests below it."""
    if not names:
        raise UserError(
            "no file was named",
            code="NW-9015",
            advice="give files or folders with manifests, or - for standard input",
        )
    sources: list[Source] = []
    for name in dict.fromkeys(names):
        if name == STANDARD_INPUT:
            sources.append(_read(sys.stdin.buffer.read(SIZE_MAX_BYTES + 1), "standard input"))
        else:
            sources += [_read(_bytes(path), str(path)) for path in _files(Path(name))]
    return sources


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(one for one in path.rglob("*") if one.suffix in _SUFFIXES and one.is_file())
    if not found:
        raise UserError(
            "this folder holds no .yaml, .yml or .json file", code="NW-9015", where=str(path)
        )
    if len(found) > FILES_MAX:
        raise UserError(
            f"this folder holds {len(found)} manifests, and {FILES_MAX} are read at most",
            code="NW-9015",
            where=str(path),
            advice="name the folders that matter",
        )
    return found


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SIZE_MAX_BYTES + 1)
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise UserError(
            f"the file cannot be read: {why}",
            code="NW-9002",
            where=str(path),
            advice="give the path of a manifest, or - for standard input",
        ) from None


def _read(data: bytes, name: str) -> Source:
    return Source(name, decode_text(data, name), tuple(read_manifests(data, name)))
