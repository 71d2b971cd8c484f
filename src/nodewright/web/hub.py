"""Those who listen: every client has a short queue of its own, and all share what is told.

Whoever does not take what is told in time is let go, so that a browser that sleeps costs nothing; how many
may listen at once is bounded too. What is told is written once and handed to all.
"""

import asyncio
from typing import Final

import msgspec

from nodewright.web.answers.shared import Answer

CLIENTS_MAX: Final = 100
QUEUE_MAX: Final = 64


class Listener:
    """One client: what it was told and has not taken."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue(QUEUE_MAX + 1)
        self.is_over = False

    def tell(self, message: bytes) -> bool:
        """Tell something; a client whose queue is full is let go, which is told back."""
        if self._queue.qsize() >= QUEUE_MAX:
            self.end()
            return False
        self._queue.put_nowait(message)
        return True

    def end(self) -> None:
        """Let the client go: what was not taken is forgotten."""
        self.is_over = True
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(None)

    async def next(self) -> bytes | None:
        """Wait for what is told next; nothing once it is over."""
        return await self._queue.get()


class Hub:
    """All who listen."""

    def __init__(self, most: int = CLIENTS_MAX) -> None:
        self._most = most
        self._listeners: set[Listener] = set()
        self.dropped_count = 0

    @property
    def count(self) -> int:
        """How many listen."""
        return len(self._listeners)

    def join(self) -> Listener | None:
        """Begin to listen; nothing where as many do as may."""
        if len(self._listeners) >= self._most:
            return None
        made = Listener()
        self._listeners.add(made)
        return made

    def leave(self, one: Listener) -> None:
        """Listen no more."""
        self._listeners.discard(one)

    def tell(self, message: bytes) -> None:
        """Tell everybody."""
        for one in tuple(self._listeners):
            if not one.tell(message):
                self._listeners.discard(one)
                self.dropped_count += 1

    def close(self) -> None:
        """Let everybody go."""
        for one in tuple(self._listeners):
            one.end()
        self._listeners.clear()


def write_event(name: str, value: Answer) -> bytes:
    """Write one event as it goes over the wire; JSON has no line breaks of its own."""
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(value) + b"\n\n"
