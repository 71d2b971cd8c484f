"""Copies of a journal elsewhere, made behind the back of whoever writes it.

A segment is never touched again once the next one is begun, so that is when it is copied. Its copy is
named after its content: one that is made twice, after a kill or by two who share a volume, is the same
copy. What was copied is noted beside the segments, so that a new process does not begin from the first.
One segment at a time is in memory. Where the archive takes nothing, the journal on disk stays as it is, and
the copies are tried again after a while.
"""

import asyncio
import logging
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from nodewright.journal.segments import SUFFIX, list_segments
from nodewright.ports.archive import Archive
from nodewright.ports.clock import Clock

NOTE: Final = "copied.json"
COPY_MS: Final = 60_000
FAREWELL_S: Final = 10.0
_NAME_BYTES: Final = 8
_log: Final = logging.getLogger("nodewright.journal")


class _Note(msgspec.Struct, frozen=True):
    """Which segments of a journal have their copy in an archive."""

    archive: str = ""
    segments: tuple[str, ...] = ()


class Copier:
    """Keeps the copies of one journal in one archive."""

    def __init__(self, folder: Path, archive: Archive, clock: Clock) -> None:
        self._folder = folder
        self._archive = archive
        self._clock = clock
        self._copied: set[str] | None = None
        self._waiting: frozenset[str] = frozenset()
        self._is_noted = True
        self.problem = ""

    @property
    def waiting_count(self) -> int:
        """How many closed segments had no copy when it was last looked."""
        return len(self._waiting)

    async def run(self) -> None:
        """Copy what is closed, again and again."""
        while True:
            await self.copy()
            await self._clock.sleep_ms(COPY_MS)

    async def farewell(self) -> None:
        """Copy what is left of a journal that has ended, within a while; a new process would do the rest."""
        try:
            await asyncio.wait_for(self.copy(is_over=True), FAREWELL_S)
        except TimeoutError:
            _log.warning(
                "%d parts of the journal are not copied to %s yet",
                len(self._waiting),
                self._archive.name,
            )

    async def copy(self, *, is_over: bool = False) -> None:
        """Copy the segments that are closed and have no copy, up to the first that is not taken."""
        if self._copied is None:
            self._copied = await asyncio.to_thread(self._read_note)
        copied = self._copied
        segments = await asyncio.to_thread(list_segments, self._folder)
        closed = segments if is_over else segments[:-1]
        self._look(segments, closed)
        for path in closed:
            if path.name in copied:
                continue
            try:
                packed = await asyncio.to_thread(_read, path)
            except OSError as error:
                self._tell(f"{path.name} cannot be read: {error.strerror or error}")
                return
            if packed is not None:
                self._tell(await self._archive.keep(*packed))
                if self.problem:
                    return
                copied.add(path.name)
                await asyncio.to_thread(self._write_note)
            self._waiting -= {path.name}

    def _look(self, segments: Sequence[Path], closed: Sequence[Path]) -> None:
        """Take note of what there is; what went before it had its copy is told."""
        there = {path.name for path in segments}
        if lost := self._waiting - there:
            _log.warning(
                "%d parts of the journal grew too old or too many before they could be copied to %s",
                len(lost),
                self._archive.name,
            )
        assert self._copied is not None, "the note was read"
        # Names of segments that are gone are not kept for ever.
        self._copied &= there
        self._waiting = frozenset(path.name for path in closed) - self._copied

    def _tell(self, problem: str) -> None:
        if problem and not self.problem:
            _log.error(
                "the journal is not copied to %s: %s; it stays on disk, and is tried again",
                self._archive.name,
                problem,
            )
        if self.problem and not problem:
            _log.info("the journal is copied to %s again", self._archive.name)
        self.problem = problem and f"the journal is not copied to {self._archive.name}: {problem}"

    def _read_note(self) -> set[str]:
        try:
            note = msgspec.json.decode((self._folder / NOTE).read_bytes(), type=_Note)
        except FileNotFoundError:
            return set()
        except (OSError, msgspec.DecodeError) as error:
            _log.warning("%s cannot be read (%s): everything is copied again", NOTE, error)
            return set()
        # Copies somewhere else are not copies here.
        return set(note.segments) if note.archive == self._archive.name else set()

    def _write_note(self) -> None:
        note = _Note(self._archive.name, tuple(sorted(self._copied or ())))
        fresh = self._folder / f"{NOTE}.new"
        try:
            fresh.write_bytes(msgspec.json.encode(note))
            fresh.replace(self._folder / NOTE)
        except OSError as error:
            if self._is_noted:
                _log.warning(
                    "what was copied cannot be noted (%s): a new process copies it again",
                    error.strerror or error,
                )
            self._is_noted = False
        else:
            self._is_noted = True


def _read(path: Path) -> tuple[str, bytes] | None:
    """Give the name of a segment's copy and its content; nothing where it was thrown away meanwhile."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    digest = blake2b(content, digest_size=_NAME_BYTES).hexdigest()
    return f"{path.name.removesuffix(SUFFIX)}-{digest}{SUFFIX}", content
