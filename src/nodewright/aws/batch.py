"""Questions about single things, asked together: AWS counts calls, not what is in them.

A batch is sent when nobody has joined it for a moment, when it has waited long enough, or when it is
full. Each who asked gets the answer about their own thing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from nodewright.aws.gateway import Fault
from nodewright.ports.clock import Clock

IDLE_MS: Final = 100
WAIT_MS_MAX: Final = 1_000
ITEMS_MAX: Final = 500

type Answers[V] = Mapping[str, V] | Fault


class Batch[V]:
    """Things that are asked about, one by one for those who ask."""

    def __init__(
        self, clock: Clock, send: Callable[[tuple[str, ...]], Awaitable[Answers[V]]]
    ) -> None:
        self._clock = clock
        self._send = send
        self._waiting: dict[str, asyncio.Future[V | Fault | None]] = {}
        self._last_ms = 0
        self._flushes: set[asyncio.Task[None]] = set()

    async def ask(self, key: str) -> V | Fault | None:
        """Give the answer about one thing; nothing where the answer does not name it."""
        future = self._waiting.get(key)
        if future is None:
            future = asyncio.get_running_loop().create_future()
            is_first = not self._waiting
            self._waiting[key] = future
            if is_first:
                self._start(self._flush())
        self._last_ms = self._clock.now_ms()
        if len(self._waiting) >= ITEMS_MAX:
            self._start(self._deliver(self._take()))
        return await asyncio.shield(future)

    def _start(self, work: "Awaitable[None]") -> None:
        task = asyncio.ensure_future(work)
        self._flushes.add(task)
        task.add_done_callback(self._flushes.discard)

    async def _flush(self) -> None:
        end_ms = self._clock.now_ms() + WAIT_MS_MAX
        while True:
            await self._clock.sleep_ms(IDLE_MS)
            now_ms = self._clock.now_ms()
            if now_ms - self._last_ms >= IDLE_MS or now_ms >= end_ms:
                break
        await self._deliver(self._take())

    def _take(self) -> dict[str, asyncio.Future[V | Fault | None]]:
        taken, self._waiting = self._waiting, {}
        return taken

    async def _deliver(self, taken: dict[str, asyncio.Future[V | Fault | None]]) -> None:
        if not taken:
            return
        answers = await self._send(tuple(taken))
        for key, future in taken.items():
            if not future.done():
                future.set_result(answers if isinstance(answers, Fault) else answers.get(key))
