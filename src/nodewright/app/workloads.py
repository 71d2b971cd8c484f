"""Where workloads come from: our own traces, tables of pods, and those that are made up by name.

Files are opened here and read by `trace/` line by line; one that ends in `.gz` is unpacked on the way.
"""

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.trace.columns import OPENB, parse_mapping, read_table
from nodewright.trace.entry import CODE, Trace
from nodewright.trace.lines import LINE_MAX, read_lines
from nodewright.trace.sorting import sort_trace
from nodewright.trace.synthetic import Wish, make_synthetic, name_synthetic
from nodewright.trace.window import cut

DAY_MS: Final = 24 * 3_600_000
_CHUNK: Final = 1 << 20


class Source(msgspec.Struct, frozen=True):
    """A workload as it is asked for: a file or a name, where to begin, and for how many days."""

    name: str
    columns: str = OPENB
    days: float | None = None
    skip_days: float = 0.0
    seed: int = 0


def open_workload(source: Source, *, is_sorted: bool = True) -> Trace:
    """Open a workload for reading, once; a trace of ours may be out of order where that is said."""
    length_ms = None if source.days is None else round(source.days * DAY_MS)
    name, _, scale = source.name.partition(":")
    if name in name_synthetic():
        days = (source.days or 1.0) + source.skip_days
        trace = make_synthetic(name, Wish(days, _read_scale(scale), source.seed))
    elif is_table(source.name):
        mapping = parse_mapping(source.columns)
        trace = sort_trace(read_table(open_text(source.name), source.name, mapping))
    else:
        trace = read_lines(open_lines(source.name), source.name, is_sorted=is_sorted)
    return cut(trace, round(source.skip_days * DAY_MS), length_ms) if is_sorted else trace


def is_random(name: str) -> bool:
    """Tell whether a workload is drawn anew for each seed."""
    return name.partition(":")[0] in name_synthetic()


def is_table(name: str) -> bool:
    """Tell whether a file is a table of pods."""
    return name.lower().removesuffix(".gz").endswith(".csv")


def _read_scale(text: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        advice = "write it as name:scale, such as diurnal-web:2"
        raise UserError(f"{text!r} is no scale", code=CODE, advice=advice) from None


def open_lines(name: str) -> Iterator[bytes]:
    """Give the lines of a file; one without line ends is not read into memory as a whole."""
    with _open(name) as file:
        while True:
            try:
                line = file.readline(LINE_MAX + 1)
            except (OSError, EOFError) as error:
                raise _unreadable(name, str(error)) from None
            if not line:
                return
            yield line


def open_text(name: str) -> Iterator[str]:
    """Give the lines of a file of text, with their ends."""
    with _open(name) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        while True:
            try:
                line = text.readline(LINE_MAX)
            except (OSError, EOFError, UnicodeDecodeError) as error:
                raise _unreadable(name, str(error)) from None
            if not line:
                return
            yield line


def _open(name: str) -> IO[bytes]:
    path = Path(name)
    try:
        if name.endswith(".gz"):
            return io.BufferedReader(gzip.open(path, "rb"), _CHUNK)
        return path.open("rb")
    except OSError as error:
        known = ", ".join(name_synthetic())
        advice = f"give a file, or one of {known}"
        raise _unreadable(name, (error.strerror or str(error)).lower(), advice) from None


def _unreadable(name: str, why: str, advice: str = "") -> UserError:
    return UserError(f"the workload cannot be read: {why}", code=CODE, where=name, advice=advice)
