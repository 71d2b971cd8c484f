"""Where views come from: a live cluster, a snapshot or a simulation, all asked in the same way.

A source runs in the background and lays each new view on its desk; faces read the latest and wait for the
next. Views that nobody waited for are never seen: a slow face skips, and holds nobody up.
"""

import asyncio
from typing import Protocol

from nodewright.model.world import World
from nodewright.view.values import PodRow, View


class Desk:
    """The latest view, and those who wait for the next; used by one event loop."""

    def __init__(self, first: View) -> None:
        self.view = first
        self.revision = 0
        self._waiting: set[asyncio.Future[None]] = set()

    def lay(self, view: View) -> None:
        """Put a view in the place of the last one, and wake those who wait."""
        self.view = view
        self.revision += 1
        for one in self._waiting:
            if not one.done():
                one.set_result(None)

    async def wait(self, seen: int) -> int:
        """Wait until there is another view than the one with this revision; give its revision."""
        while self.revision == seen:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.add(turn)
            try:
                await turn
            finally:
                self._waiting.discard(turn)
        return self.revision


class Source(Protocol):
    """Something that can be looked at."""

    @property
    def desk(self) -> Desk:
        """Where the latest view lies."""
        ...

    def world(self) -> World | None:
        """Give what explanations are made on; nothing while it is not known."""
        ...

    def pods_of(self, node: str) -> tuple[PodRow, ...]:
        """Give the pods of a node."""
        ...

    async def run(self) -> None:
        """Keep the view current until there is nothing more to see, or the task is cancelled."""
        ...

    def set_pace(self, speed: float) -> bool:
        """Let time pass so much faster, 0 to hold it; tell whether this source has a pace at all."""
        ...
