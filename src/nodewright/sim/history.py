"""What happened, in order: one line for each change of the world, and a digest over all of them.

The digest is what makes "same seed, same history" a comparison of two short texts. Lines are kept up
to a limit; what is beyond it still counts in the digest.
"""

import hashlib
from collections import deque
from collections.abc import Iterable
from typing import Final

import msgspec

from nodewright.model.instant import print_instant

LINES_MAX: Final = 200_000
_AT_ONCE: Final = 500


class Line(msgspec.Struct, frozen=True, gc=False):
    """One thing that happened: when, who did it, what was done to what, and a detail."""

    instant_ms: int
    actor: str
    verb: str
    subject: str
    detail: str

    def __str__(self) -> str:
        """Write the line for people."""
        text = f"{print_instant(self.instant_ms)} {self.actor} {self.verb} {self.subject}"
        return f"{text} {self.detail}" if self.detail else text


class History:
    """All lines of a run, oldest first."""

    def __init__(self, lines_max: int = LINES_MAX) -> None:
        self.lines: deque[Line] = deque(maxlen=lines_max)
        self.count = 0
        self._digest = hashlib.sha256()
        self._undigested: list[str] = []

    def add(self, instant_ms: int, actor: str, verb: str, subject: str, detail: str = "") -> None:
        """Write down what happened."""
        self.count += 1
        self.lines.append(Line(instant_ms, actor, verb, subject, detail))
        self._undigested.append(f"{instant_ms}|{actor}|{verb}|{subject}|{detail}\n")
        if len(self._undigested) >= _AT_ONCE:
            self._take_in()

    def digest(self) -> str:
        """Give the fingerprint of everything so far."""
        self._take_in()
        return self._digest.hexdigest()

    def _take_in(self) -> None:
        self._digest.update("".join(self._undigested).encode())
        self._undigested.clear()

    def about(self, *subjects: str) -> Iterable[Line]:
        """Give the lines about these subjects, or about anything whose detail names them."""
        wanted = set(subjects)
        for line in self.lines:
            if line.subject in wanted or any(name in line.detail for name in wanted):
                yield line
