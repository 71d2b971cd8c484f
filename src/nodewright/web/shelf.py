"""The shelf: replies that were made, kept while they are fresh enough, so that many who ask cost one making.

Whoever asks for something that is being made waits for it. The shelf has a limit of bytes; what was not asked
for longest goes first.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final

import msgspec

from nodewright.web.replies import Body

BYTES_MAX: Final = 64 << 20
ENTRIES_MAX: Final = 500

type Make = Callable[[], Awaitable[Body]]


class _Kept(msgspec.Struct, frozen=True):
    revision: int
    made_ms: int
    body: Body


class Shelf:
    """Bodies by what was asked."""

    def __init__(self, ticks_ms: Callable[[], int]) -> None:
        self._ticks_ms = ticks_ms
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[Body]] = {}
        self._bytes = 0

    async def of(self, key: Hashable, revision: int, lasts_ms: int, make: Make) -> Body:
        """Give the body of this revision, or one that is not older than it may be; make it if need be."""
        known = self._kept.get(key)
        if known is not None and (
            known.revision == revision or self._ticks_ms() - known.made_ms < lasts_ms
        ):
            self._kept.move_to_end(key)
            return known.body
        task = self._making.get(key)
        if task is None:
            task = asyncio.create_task(self._make(key, revision, make))
            self._making[key] = task
            task.add_done_callback(lambda _: self._making.pop(key, None))
        # Somebody who goes away must not take away what others wait for.
        return await asyncio.shield(task)

    async def _make(self, key: Hashable, revision: int, make: Make) -> Body:
        body = await make()
        self._drop(key)
        self._kept[key] = _Kept(revision, self._ticks_ms(), body)
        self._bytes += body.size
        while self._kept and (self._bytes > BYTES_MAX or len(self._kept) > ENTRIES_MAX):
            self._drop(next(iter(self._kept)))
        return body

    def _drop(self, key: Hashable) -> None:
        gone = self._kept.pop(key, None)
        if gone is not None:
            self._bytes -= gone.body.size
