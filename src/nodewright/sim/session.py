"""One life of a controller process: every call it makes and every wait goes through here.

That is what makes it possible to end it between any two awaits: once a session is dead, nothing that
it started comes back, and nothing that it asks for is done. A session that has lost the lease goes on
running, and is told so whenever it wants to write.
"""

import asyncio
from collections.abc import Callable

from nodewright.sim.faults import Faults
from nodewright.sim.loop import VirtualLoop


class Session:
    """A controller process from its start to its end; also its clock."""

    def __init__(self, loop: VirtualLoop, faults: Faults, name: str) -> None:
        self._loop = loop
        self._faults = faults
        self.name = name
        self.is_dead = False
        self.is_leader = True
        self.call_count = 0
        self.die_at_call: int | None = None
        self.on_crash: Callable[[], None] = lambda: None

    def now_ms(self) -> int:
        """Give the present instant."""
        return self._loop.now_ms()

    def ticks_ms(self) -> int:
        """Give the milliseconds since the start of the run."""
        return round(self._loop.time() * 1000)

    async def sleep_ms(self, duration_ms: int) -> None:
        """Wait, and do not come back from the dead."""
        await self.wait_ms(duration_ms)

    async def wait_ms(self, duration_ms: int) -> None:
        """Wait, and do not come back from the dead."""
        self._stop_if_dead()
        await self._loop.sleep_ms(duration_ms)
        self._stop_if_dead()

    async def call(self, latency_ms: int, what: str) -> None:
        """Take the time that a call needs to get there; the process may die on the way."""
        self._stop_if_dead()
        self._point(what)
        await self._loop.sleep_ms(latency_ms)
        self._stop_if_dead()

    async def answered(self) -> None:
        """Come back from a call whose effect has happened; the process may die here too."""
        self._point("answer")

    def _point(self, what: str) -> None:
        self.call_count += 1
        planned = self.die_at_call is not None and self.call_count >= self.die_at_call
        if planned or self._faults.happens("controller.crash", f"{self.name} {what}"):
            self.on_crash()
            self._stop_if_dead()

    def _stop_if_dead(self) -> None:
        if self.is_dead:
            raise asyncio.CancelledError(f"{self.name} is dead")
