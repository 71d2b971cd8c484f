"""The herald: tells those who listen what is new, at most once a second, and keeps the histories."""

import asyncio
from collections.abc import Iterator
from typing import Final

from nodewright.model.instant import print_instant
from nodewright.ports.clock import Clock
from nodewright.view.source import Source
from nodewright.view.values import View
from nodewright.web.answers.events import Change, Section
from nodewright.web.clerk import Clerk
from nodewright.web.hub import Hub, write_event
from nodewright.web.writing.spoken import write_shown

PAUSE_MS: Final = 1_000
NEWS_MAX: Final = 20


class Herald:
    """Watches a source for the clerk and for those who listen."""

    def __init__(self, source: Source, clerk: Clerk, hub: Hub) -> None:
        self._source = source
        self._clerk = clerk
        self._hub = hub

    def greeting(self) -> bytes:
        """Give what a new client is told at once: everything is new to it."""
        return self._write(tuple(_changed(None, self._source.desk.view)))

    async def run(self, clock: Clock) -> None:
        """Tell what is new until cancelled."""
        desk = self._source.desk
        seen, before = -1, None
        while True:
            seen = await desk.wait(seen)
            view = desk.view
            self._clerk.histories.note(view)
            if self._hub.count:
                sections = tuple(_changed(before, view))
                self._hub.tell(self._write(sections))
                for message in _news(before, view):
                    self._hub.tell(message)
            before = view
            await clock.sleep_ms(PAUSE_MS)

    def _write(self, sections: tuple[Section, ...]) -> bytes:
        clerk = self._clerk
        at = print_instant(clerk.view.now_ms)
        return write_event("change", Change(clerk.revision, at, clerk.head(), sections))


def _changed(before: View | None, view: View) -> Iterator[Section]:
    """Name the pages that have something new."""
    yield "overview"
    if before is None or before.nodes != view.nodes:
        yield "nodes"
    if before is None or before.pending != view.pending:
        yield "pending"
    if before is None or before.decisions != view.decisions:
        yield "decisions"
    if before is None or before.pools != view.pools:
        yield "pools"
    if before is None or before.money != view.money:
        yield "money"
    if before is None or before.problems != view.problems:
        yield "health"


def _news(before: View | None, view: View) -> Iterator[bytes]:
    """Give the decisions that are new, oldest first; none to those who have just begun."""
    if before is None or before.decisions is view.decisions:
        return
    known = {one.id for one in before.decisions}
    fresh = [one for one in view.decisions[:NEWS_MAX] if one.id not in known]
    for one in reversed(fresh):
        yield write_event("decision", write_shown(one))


async def stop(task: "asyncio.Task[None]") -> None:
    """End a task and wait until it has ended."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
