"""A limit on requests per second, with the urgent ones first.

A bucket holds up to `burst` permissions and is filled at a steady rate. When it is empty, whoever is
most urgent gets the next one; among equals, whoever came first. What is renewed to stay alive
(leases) and what only listens (lists and watches) does not pass here.
"""

import asyncio
import heapq
import itertools
from typing import Final

from nodewright.kube.machine import Counter
from nodewright.ports.kube import Urgency

QPS: Final = 200
BURST: Final = 300


class Limiter:
    """Gives permissions at a limited rate."""

    def __init__(self, clock: Counter, qps: int = QPS, burst: int = BURST) -> None:
        assert qps > 0
        assert burst > 0
        self._clock = clock
        self._qps = qps
        # Counted in thousandths of a permission, so that a millisecond adds a whole number.
        self._held = burst * 1000
        self._most = burst * 1000
        self._filled_ms = clock.ticks_ms()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._pump: asyncio.Task[None] | None = None

    @property
    def waiting_count(self) -> int:
        """How many wait for a permission."""
        return len(self._waiting)

    async def acquire(self, urgency: Urgency = Urgency.ORDINARY) -> None:
        """Wait for a permission."""
        if not self._waiting and self._take():
            return
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (urgency.value, next(self._numbers), turn))
        if self._pump is None:
            self._pump = asyncio.create_task(self._serve())
        await turn

    def _take(self) -> bool:
        now_ms = self._clock.ticks_ms()
        gained = (now_ms - self._filled_ms) * self._qps
        self._held = min(self._most, self._held + gained)
        self._filled_ms = now_ms
        if self._held < 1000:
            return False
        self._held -= 1000
        return True

    async def _serve(self) -> None:
        try:
            while self._waiting:
                _, _, turn = self._waiting[0]
                if turn.done():
                    heapq.heappop(self._waiting)
                elif self._take():
                    heapq.heappop(self._waiting)
                    turn.set_result(None)
                else:
                    missing = 1000 - self._held
                    await self._clock.sleep_ms(-(-missing // self._qps))
        finally:
            self._pump = None
