"""Segments: the files of a journal, each readable on its own, the oldest of them thrown away.

A segment is lines under gzip, flushed after every batch, so that a process that is killed loses at
most the line it was writing. A new process begins a new segment. Together they stay under a size and
an age. A disk that takes no more is the writer's `OSError`.
"""

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from nodewright.journal.records import Line, read_line

SUFFIX: Final = ".jsonl.gz"
_CHUNK_BYTES: Final = 1 << 20
_LEVEL: Final = 4
_GZIP: Final = 31
_NAMES_MAX: Final = 1_000
_HOUR_MS: Final = 3_600_000


class Limits(msgspec.Struct, frozen=True):
    """How large and how old a journal gets, and how much of it goes at once."""

    total_bytes: int = 512 << 20
    age_ms: int = 7 * 24 * _HOUR_MS
    segment_bytes: int = 16 << 20
    segment_ms: int = 6 * _HOUR_MS


class SegmentWriter:
    """Appends to one segment after the other, and throws old ones away."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._file: int | None = None
        self._path = Path()
        self._packer = zlib.compressobj()
        self._size = 0
        self._began_ms = 0

    def is_due(self, now_ms: int) -> bool:
        """Tell whether the next batch belongs in a new segment."""
        if self._file is None or self._size >= self._limits.segment_bytes:
            return True
        return now_ms - self._began_ms >= self._limits.segment_ms

    def begin(self, now_ms: int) -> None:
        """Begin a new segment, and throw away what is too old or too much."""
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file = self._create(now_ms)
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._size, self._began_ms = 0, now_ms
        self._prune(now_ms)

    def append(self, lines: Sequence[bytes]) -> None:
        """Write whole lines, and hand them to the system at once."""
        packed = [self._packer.compress(line) for line in lines]
        packed.append(self._packer.flush(zlib.Z_SYNC_FLUSH))
        self._put(b"".join(packed))

    def close(self) -> None:
        """End the segment, if one is open."""
        if self._file is not None:
            try:
                self._put(self._packer.flush(zlib.Z_FINISH))
            finally:
                self.abandon()

    def shed(self) -> bool:
        """Throw away the older half of the segments, to have room on a full disk; tell whether any went."""
        going = list_segments(self._folder)[:-1]
        going = going[: (len(going) + 1) // 2]
        for path in going:
            path.unlink(missing_ok=True)
        return bool(going)

    def abandon(self) -> None:
        """Let the file go as it is: the disk takes no more."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _put(self, data: bytes) -> None:
        assert self._file is not None, "a segment is open"
        rest = memoryview(data)
        while rest:
            written = os.write(self._file, rest)
            self._size += written
            rest = rest[written:]

    def _create(self, now_ms: int) -> int:
        for turn in range(_NAMES_MAX):
            self._path = self._folder / f"{now_ms:015d}-{turn:03d}{SUFFIX}"
            try:
                return os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
            except FileExistsError:
                continue
        raise FileExistsError(f"{self._path} and all names before it are taken")

    def _prune(self, now_ms: int) -> None:
        closed = [path for path in list_segments(self._folder) if path != self._path]
        sizes = {path: path.stat().st_size for path in closed}
        # Room is made for the whole of the segment that was begun.
        total = sum(sizes.values()) + max(self._size, self._limits.segment_bytes)
        for path, follower in pairwise([*closed, self._path]):
            # A segment ends where the next one begins.
            is_old = now_ms - began_ms(follower) > self._limits.age_ms
            if is_old or total > self._limits.total_bytes:
                path.unlink(missing_ok=True)
                total -= sizes[path]


def list_segments(folder: Path) -> list[Path]:
    """Give the segments of a journal, oldest first."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.name[:15].isdecimal())


def measure(folder: Path) -> int:
    """Give how many bytes a journal has on disk; one that is thrown away meanwhile counts nothing."""
    total = 0
    for path in list_segments(folder):
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def began_ms(path: Path) -> int:
    """Tell when a segment was begun."""
    return int(path.name[:15])


class SegmentReader:
    """Reads one segment; what cannot be read is told in `problems` and spoils nothing else."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_damaged = False
        self.problems: list[str] = []

    def lines(self) -> Iterator[Line]:
        """Give the lines that are whole, in order."""
        number = 0
        held = b""
        for chunk in self._unpack():
            *whole, held = (held + chunk).split(b"\n")
            for line in whole:
                number += 1
                try:
                    yield read_line(line)
                except msgspec.DecodeError as error:
                    self._tell(f"line {number} cannot be read ({error}); it is left out")
        if held and not self._is_damaged:
            self._tell(f"line {number + 1} was cut off while it was written; it is left out")

    def _unpack(self) -> Iterator[bytes]:
        unpacker = zlib.decompressobj(_GZIP)
        with self._path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                before = unpacker.copy()
                try:
                    yield unpacker.decompress(chunk)
                except zlib.error as error:
                    self._is_damaged = True
                    yield from _unpack_start(before, chunk)
                    self._tell(f"the rest of the file is damaged ({error}); it is left out")
                    return

    def _tell(self, problem: str) -> None:
        self.problems.append(f"{self._path.name}: {problem}")


def _unpack_start(unpacker: "zlib._Decompress", chunk: bytes) -> Iterator[bytes]:
    """Unpack what stands before the damage, byte by byte: a piece that has it gives nothing."""
    for start in range(len(chunk)):
        try:
            yield unpacker.decompress(chunk[start : start + 1])
        except zlib.error:
            return
