"""The files of this repository, as the house rules look at them."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "nodewright"
TESTS = ROOT / "tests"
NOT_OURS = {
    "results",
    ".git",
    ".venv",
    ".cache",
    "site",
    "dist",
    "build",
    "__pycache__",
    ".hypothesis",
}


def rooms() -> list[str]:
    """The rooms of the house, by name."""
    return sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


@cache
def files() -> tuple[Path, ...]:
    """Every file that is ours to keep tidy."""
    return tuple(sorted(_walk(ROOT)))


def modules(*rooms: str) -> list[Path]:
    """The Python modules of some rooms, or of the whole program."""
    roots = [SOURCE / room for room in rooms] or [SOURCE]
    return [path for path in files() if path.suffix == ".py" and _under(path, roots)]


def scripts() -> list[Path]:
    """Every Python file: program, tests, tools and benchmarks."""
    return [path for path in files() if path.suffix == ".py"]


def prose(path: Path) -> str | None:
    """The text of a file, or None where it holds no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


@cache
def parse(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def name(path: Path) -> str:
    """A path as a person names it."""
    return path.relative_to(ROOT).as_posix()


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in NOT_OURS or path.name.endswith("_cache") or path.name == "uv.lock":
            continue
        if path.is_dir():
            yield from _walk(path)
        elif path.is_file():
            yield path


def _under(path: Path, roots: list[Path]) -> bool:
    return any(path.is_relative_to(root) for root in roots)
