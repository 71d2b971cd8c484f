"""A reflector keeps one kind of the mirror true: list once, then watch from there on.

A watch that ends, for whatever reason, is taken up again at the last version heard of, so nothing is
missed and nothing comes twice. Only when the server has forgotten that version (410), or a line
cannot be understood, is the kind listed anew; the mirror then says what changed in between. Trouble
is waited out with growing, jittered pauses. Every line, bookmarks included, proves that the watch
lives; one that is silent for too long is cut and taken up again.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from http import HTTPStatus
from typing import Final

import msgspec

from nodewright.kube import wire
from nodewright.kube.backoff import Backoff
from nodewright.kube.client import Client, Request, Stream, Unreachable
from nodewright.kube.sharing import collecting_later
from nodewright.model.resource import Object, Resource, key_of
from nodewright.state.mirror import Change, Mirror, Unreadable

PAGE_ITEMS: Final = 500
WATCH_MIN_S: Final = 300
WATCH_MAX_S: Final = 600
# Bookmarks come about once a minute; two missed ones in a row are no accident.
SILENCE_MAX_S: Final = 150.0
_RETRY_FIRST_MS: Final = 400
_RETRY_LONGEST_MS: Final = 10_000
_LIST_LIMIT_S: Final = 120.0
# A watch says at once that it has begun; a server too busy to begin one says so after 15 s.
_BEGIN_LIMIT_S: Final = 20.0
_ABSENT_RETRY_MS: Final = 15_000
_SHORT_WATCH_MS: Final = 1_000

type Hear = Callable[[tuple[Change, ...]], None]


class _Relist(Exception):  # noqa: N818 - it is a turn, not a failure.
    """The watch cannot go on from where it was."""


class _Absent(Exception):  # noqa: N818 - likewise.
    """The cluster does not serve this kind."""


class Settings(msgspec.Struct, frozen=True):
    """How a reflector goes about it."""

    page_items: int = PAGE_ITEMS
    stream_lists: bool = False
    silence_max_s: float = SILENCE_MAX_S
    watch_min_s: int = WATCH_MIN_S
    watch_max_s: int = WATCH_MAX_S
    absent_retry_ms: int = _ABSENT_RETRY_MS


class Vitals:
    """How a reflector is doing, for probes, metrics and people."""

    def __init__(self) -> None:
        self.heard_ticks_ms = 0
        self.problem = ""
        self.list_count = 0
        self.watch_count = 0
        self.event_count = 0


class Reflector[T: Object]:
    """Lists and watches one kind for as long as it runs."""

    def __init__(
        self,
        client: Client,
        resource: Resource[T],
        mirror: Mirror,
        hear: Hear = lambda _: None,
        settings: Settings = Settings(),  # noqa: B008 - frozen.
    ) -> None:
        self.resource = resource
        self.vitals = Vitals()
        self._client = client
        self._mirror = mirror
        self._clock, self._rng = client.machine
        self._hear = hear
        self._settings = settings
        self._reader = wire.Reader(resource)
        self._version: str | None = None
        self._stream_lists = settings.stream_lists
        self._page_items = settings.page_items
        self._missed_count = 0

    async def run(self) -> None:
        """Keep the mirror true until cancelled."""
        backoff = Backoff(self._rng, _RETRY_FIRST_MS, _RETRY_LONGEST_MS)
        while True:
            started_ms = self._clock.ticks_ms()
            events_before = self.vitals.event_count
            try:
                if self._version is None and not self._stream_lists:
                    await self._list()
                await self._watch()
                lasted = self._clock.ticks_ms() - started_ms > _SHORT_WATCH_MS
                if lasted or self.vitals.event_count > events_before:
                    backoff.reset()
                    continue
                pause_ms = backoff.next_ms()
            except _Relist as turn:
                self.vitals.problem = str(turn)
                self._version = None
                pause_ms = backoff.next_ms()
            except _Absent as turn:
                pause_ms = self._set_absent(str(turn), backoff)
            except Unreachable as error:
                self.vitals.problem = str(error)
                if self.vitals.event_count > events_before:
                    backoff.reset()
                pause_ms = backoff.next_ms(error.retry_after_ms)
            await self._clock.sleep_ms(pause_ms)

    def _set_absent(self, problem: str, backoff: Backoff) -> int:
        # That a cluster does without an optional kind is no trouble of anybody's.
        self.vitals.problem = "" if self.resource.optional else problem
        self._version = None
        self._missed_count += 1
        # A server that has just started may not know its own kinds yet, so what was there is
        # believed to be gone only when it is missed twice.
        if self._mirror.is_known(self.resource) and self._missed_count == 1:
            return backoff.next_ms()
        self._tell(self._mirror.replace(self.resource, (), "", absent=True))
        return self._settings.absent_retry_ms

    async def _list(self) -> None:
        found: list[Object | Unreadable] = []
        token = ""
        while True:
            page = await self._ask_page(token)
            with collecting_later():
                found.extend(self._read(page.items or ()))
            token = page.metadata.continue_token
            if not token:
                break
            # Reading a page takes milliseconds; leases and probes go in between.
            await asyncio.sleep(0)
        self._page_items = self._settings.page_items
        self.vitals.list_count += 1
        self._missed_count = 0
        self._heard()
        self._version = page.metadata.resource_version
        with collecting_later():
            changes = self._mirror.replace(self.resource, found, self._version)
        self._tell(changes)

    async def _ask_page(self, token: str) -> wire.Page:
        params = {"limit": str(self._page_items)} if self._page_items else {}
        if token:
            params["continue"] = token
        request = Request("GET", self.resource.path(), params, limit_s=_LIST_LIMIT_S)
        reply = await self._client.ask(request)
        if reply.status == HTTPStatus.GONE:
            # The list took longer than the server remembers: ask for all of it at once.
            self._page_items = 0
            raise _Relist("the list expired between two pages")
        if not reply.is_good:
            raise self._refusal(reply.status, reply.body, reply.retry_after_ms)
        try:
            return wire.read_page(reply.body)
        except msgspec.DecodeError as error:
            raise Unreachable(f"the list of {self.resource.name} is broken: {error}") from None

    def _read(self, items: Iterable[msgspec.Raw]) -> Iterator[Object | Unreadable]:
        for raw in items:
            thing = self._reader.read(raw)
            if isinstance(thing, Unreadable):
                yield thing
                continue
            # An object that has not changed is kept as it is, so a relist needs no second copy.
            held = self._mirror.get(self.resource, key_of(thing.metadata))
            if held is not None and _version(held) == _version(thing):
                yield held
            else:
                yield thing

    async def _watch(self) -> None:
        limit_s = self._rng.integer(self._settings.watch_min_s, self._settings.watch_max_s)
        params = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(limit_s),
            "resourceVersion": self._version or "",
        }
        if self._version is None:
            params |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        request = Request("GET", self.resource.path(), params, limit_s=_BEGIN_LIMIT_S)
        async with self._client.open(request, self._settings.silence_max_s) as stream:
            if stream.status != HTTPStatus.OK:
                await self._refuse_watch(stream)
            self.vitals.watch_count += 1
            self.vitals.problem = ""
            self._heard()
            lines = stream.lines()
            if self._version is None:
                await self._follow_list(lines)
            if self._version is not None:
                await self._follow(lines)

    async def _refuse_watch(self, stream: Stream) -> None:
        reply = await stream.read()
        if self._version is None and reply.status in (
            HTTPStatus.BAD_REQUEST,
            HTTPStatus.UNPROCESSABLE_ENTITY,
        ):
            # A server that cannot stream lists says so; then lists come in pages.
            self._stream_lists = False
            raise _Relist("the server does not stream lists")
        raise self._refusal(reply.status, reply.body, reply.retry_after_ms)

    async def _follow(self, lines: AsyncIterator[bytes]) -> None:
        async for text in lines:
            line = self._understand(text)
            if line.type == wire.BOOKMARK:
                self._version = wire.read_header(line.object).metadata.resource_version
                self._mirror.reach(self.resource, self._version)
                continue
            self.vitals.event_count += 1
            change = self._take(line)
            if change is not None:
                self._tell((change,))

    async def _follow_list(self, lines: AsyncIterator[bytes]) -> None:
        found: dict[str, Object | Unreadable] = {}
        async for text in lines:
            line = self._understand(text)
            meta = wire.read_header(line.object).metadata
            if line.type != wire.BOOKMARK:
                found.pop(key_of(meta), None)
                if line.type != wire.DELETED:
                    found[key_of(meta)] = self._reader.read(line.object)
            elif wire.INITIAL_EVENTS_END in meta.annotations:
                self.vitals.list_count += 1
                self._missed_count = 0
                self._version = meta.resource_version
                self._tell(self._mirror.replace(self.resource, found.values(), self._version))
                return

    def _understand(self, text: bytes) -> wire.Line:
        try:
            line = wire.read_line(text)
        except msgspec.DecodeError as error:
            raise _Relist(f"a line of the watch cannot be read: {error}") from None
        if line.type == wire.ERROR:
            status = wire.read_status(line.object)
            raise self._refusal(status.code, bytes(line.object))
        self._heard()
        return line

    def _take(self, line: wire.Line) -> Change | None:
        if line.type == wire.DELETED:
            meta = wire.read_header(line.object).metadata
            self._version = meta.resource_version
            return self._mirror.remove(self.resource, key_of(meta), self._version)
        if line.type not in (wire.ADDED, wire.MODIFIED):
            raise _Relist(f"the watch wrote {line.type!r}, which nobody knows")
        thing = self._reader.read(line.object)
        version = thing.version if isinstance(thing, Unreadable) else _version(thing)
        self._version = version
        return self._mirror.put(self.resource, thing, version)

    def _refusal(self, code: int, body: bytes, retry_after_ms: int | None = None) -> Exception:
        status = wire.read_status(body)
        said = f"{self.resource.name}: {status.message or 'refused'}"
        if code == HTTPStatus.GONE:
            return _Relist(said)
        if code == HTTPStatus.NOT_FOUND:
            return _Absent(said)
        return Unreachable(f"{said} ({code})", retry_after_ms)

    def _heard(self) -> None:
        self.vitals.heard_ticks_ms = self._clock.ticks_ms()

    def _tell(self, changes: tuple[Change, ...]) -> None:
        if changes:
            self._hear(changes)


def _version(thing: Object) -> str:
    return thing.metadata.resource_version
