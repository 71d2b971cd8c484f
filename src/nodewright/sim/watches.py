"""Watches: what changed since a version, in order, as one process of the controller gets to hear it.

Bookmarks say how far the stream has come when nothing changes; a version that is too old ends it with
410. Faults are those of a network between two honest ends: events that come late, come twice, or are
lost together with the connection. One fault is worse than any network: an event that is lost in
silence, for those who want to know that a controller looks again.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from nodewright.model.resource import Object, Resource
from nodewright.sim.apiserver import Change
from nodewright.sim.faults import Faults
from nodewright.sim.ground import Ground
from nodewright.sim.refusals import Refused, expired
from nodewright.sim.session import Session

BOOKMARK: Final = "BOOKMARK"
_BOOKMARK_MS: Final = 60_000
_DELAY_MS: Final = (1, 15)
_LATE_MS: Final = (500, 8_000)
QUEUE_MAX: Final = 100_000
_FAULTS: Final = ("watch.cut", "watch.drop", "watch.late", "watch.duplicate")


class WatchEvent(msgspec.Struct, frozen=True):
    """One event of a watch; a bookmark has a version and no object."""

    verb: str
    version: int
    key: str = ""
    thing: Any = None


class Listed[T: Object](msgspec.Struct, frozen=True):
    """All objects of a kind at one version."""

    items: tuple[T, ...]
    version: int


class Watches:
    """Lists and watches of one process."""

    def __init__(self, ground: Ground, faults: Faults, session: Session) -> None:
        self._loop = ground.loop
        self._api = ground.api
        self._chance = ground.chance.stream("watch")
        self._faults = faults
        self._has_faults = faults.has_any(_FAULTS)
        self._session = session
        self._streams: dict[str, list[_Stream]] = {}

    async def list[T: Object](self, resource: Resource[T]) -> Listed[T]:
        """Give all objects of a kind, and the version at which this was true."""
        await self._session.call(self._chance.integer(5, 40), f"list {resource.plural}")
        if self._faults.happens("api.error", f"list {resource.plural}"):
            raise Refused(500, "InternalError", "the list failed")
        return Listed(tuple(self._api.each(resource)), self._api.version)

    async def watch(self, resource: Resource[Any], since: int) -> AsyncIterator[WatchEvent]:
        """Yield what changes after a version; ends without a word when the connection breaks."""
        await self._session.call(self._chance.integer(2, 10), f"watch {resource.plural}")
        if self._faults.happens("watch.expire", resource.plural):
            raise expired(since, self._api.version)
        stream = _Stream(self._loop.create_future())
        for change in self._api.changes_since(resource, since):
            stream.put(_event(change))
        self._join(resource, stream)
        try:
            while not stream.is_broken or stream.events:
                if not stream.events:
                    await self._await_more(stream)
                    if not stream.events:
                        if not stream.is_broken:
                            yield WatchEvent(BOOKMARK, self._api.version)
                        continue
                await self._session.wait_ms(self._chance.integer(*_DELAY_MS))
                while stream.events:
                    yield stream.events.popleft()
        finally:
            self._streams[resource.kind].remove(stream)

    async def _await_more(self, stream: "_Stream") -> None:
        if stream.is_broken:
            return
        stream.woken = self._loop.create_future()
        timer = self._loop.after_ms(_BOOKMARK_MS, stream.wake)
        await stream.woken
        timer.cancel()
        if self._session.is_dead:
            raise asyncio.CancelledError(f"{self._session.name} is dead")

    def _join(self, resource: Resource[Any], stream: "_Stream") -> None:
        known = self._streams.get(resource.kind)
        if known is None:
            known = self._streams[resource.kind] = []
            self._api.listen(resource, self._changed)
        known.append(stream)

    def _changed(self, change: Change) -> None:
        if self._session.is_dead:
            return
        streams = self._streams[change.resource.kind]
        if not streams:
            return
        event = _event(change)
        if not self._has_faults:
            for stream in streams:
                stream.put(event)
            return
        subject = f"{change.resource.plural}/{change.key}"
        for stream in streams:
            if self._faults.happens("watch.cut", subject):
                stream.break_off()
            elif self._faults.happens("watch.drop", subject):
                continue
            elif self._faults.happens("watch.late", subject):
                # What comes after a late event waits behind it, as in any stream.
                stream.hold_until(self._loop.now_ms() + self._chance.integer(*_LATE_MS))
                self._loop.at_ms(stream.held_until_ms, stream.release)
                stream.put(event)
            else:
                stream.put(event)
                if self._faults.happens("watch.duplicate", subject):
                    stream.put(event)


class _Stream:
    """One open watch."""

    def __init__(self, woken: "asyncio.Future[None]") -> None:
        self.events: deque[WatchEvent] = deque()
        self.held: deque[WatchEvent] = deque()
        self.held_until_ms = 0
        self.is_broken = False
        self.woken = woken
        self._is_held = False

    def put(self, event: WatchEvent) -> None:
        if self.is_broken:
            return
        if self._is_held:
            self.held.append(event)
            return
        self.events.append(event)
        if len(self.events) > QUEUE_MAX:
            # A reader that is too slow loses its connection, as with a real server.
            self.break_off()
        self.wake()

    def hold_until(self, instant_ms: int) -> None:
        self._is_held = True
        self.held_until_ms = max(self.held_until_ms, instant_ms)

    def release(self) -> None:
        self._is_held = False
        held, self.held = self.held, deque()
        for event in held:
            self.put(event)

    def break_off(self) -> None:
        self.is_broken = True
        self.wake()

    def wake(self) -> None:
        if not self.woken.done():
            self.woken.set_result(None)


def _event(change: Change) -> WatchEvent:
    return WatchEvent(change.verb, change.version, change.key, change.new)
