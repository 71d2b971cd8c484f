"""Entries brought into the order of time without having them all in memory.

What comes is sorted in pieces that are put aside on disk, and the pieces are merged as they are read.
Entries of the same instant keep the order in which they came.
"""

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from itertools import batched
from typing import IO, Final

import msgspec

from nodewright.trace.entry import Entry, Trace
from nodewright.trace.lines import Line, read_entry, write_entry

PIECE: Final = 50_000
_LINE: Final = msgspec.json.Decoder(Line)


def sort_trace(trace: Trace, piece: int = PIECE) -> Trace:
    """Give a trace whose entries come in the order of time."""
    return msgspec.structs.replace(trace, entries=_sorted(trace.entries, piece))


def _sorted(entries: Iterable[Entry], piece: int) -> Iterator[Entry]:
    pieces: list[IO[bytes]] = []
    last: list[Entry] = []
    for batch in batched(entries, piece):
        if last:
            pieces.append(_put_aside(last))
        last = sorted(batch, key=lambda one: one.at_ms)
    try:
        parts: list[Iterator[Entry]] = [read_back(file) for file in pieces]
        yield from heapq.merge(*parts, iter(last), key=lambda one: one.at_ms)
    finally:
        for file in pieces:
            file.close()


def _put_aside(entries: Iterable[Entry]) -> IO[bytes]:
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed when it was read
    file.writelines(map(write_entry, entries))
    file.seek(0)
    return file


def read_back(file: IO[bytes]) -> Iterator[Entry]:
    """Give the entries that were written to a file, in the order in which they were."""
    for number, line in enumerate(file, 1):
        yield read_entry(_LINE.decode(line), ("put aside", number))
