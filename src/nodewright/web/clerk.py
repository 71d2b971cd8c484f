"""The clerk: answers every question about what is looked at.

What needs no more than the view is made anew for each revision; explanations, which take as long as a plan,
at most every few seconds. Both are made on threads, a few at a time, since whoever runs the controllers on
this event loop goes first. Revisions begin with the instant of the start, so that those of a later process
are larger.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, Protocol

import msgspec

from nodewright.journal.reading import Filter
from nodewright.model.errors import UserError
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.view.source import Source
from nodewright.view.values import View
from nodewright.web.answers.health import Health
from nodewright.web.answers.shared import Answer, Head
from nodewright.web.answers.whatif import WhatIfRequest
from nodewright.web.histories import Histories
from nodewright.web.inquiry import Inquiry
from nodewright.web.replies import Body, write_answer, write_body
from nodewright.web.shelf import Shelf
from nodewright.web.timeline import ACTS, Records, Timeline
from nodewright.web.writing.head import write_head
from nodewright.web.writing.manifests import write_manifests
from nodewright.web.writing.money import write_money_page
from nodewright.web.writing.nodes import Asked, Ledger, write_nodes
from nodewright.web.writing.overview import DECISIONS_MAX, write_overview
from nodewright.web.writing.spoken import write_shown

AT_ONCE: Final = 2
LASTS_MS: Final = 5_000
HEALTH_LASTS_MS: Final = 30_000
NOT_KNOWN: Final = "NW-9605"
BUSY: Final = "NW-9607"

type Take = Callable[[], Awaitable[bytes]]
"""Takes a snapshot of what is seen now."""


class Examine(Protocol):
    """Somebody who knows how the installation is."""

    async def __call__(self, revision: int, view: View) -> Health:
        """Give what is known of it."""
        ...


class Foretell(Protocol):
    """Somebody who works out what a change would do."""

    async def __call__(self, snapshot: bytes, request: WhatIfRequest) -> bytes:
        """Give the answer as JSON."""
        ...


class Given(msgspec.Struct, frozen=True):
    """What there is to be asked: a source, perhaps a journal, and those who do what takes longer."""

    source: Source
    take: Take
    examine: Examine
    foretell: Foretell
    journal: Records | None = None


class Clerk:
    """Answers questions; nothing that is asked changes anything."""

    def __init__(self, given: Given, now_ms: int, ticks_ms: Callable[[], int]) -> None:
        self._given = given
        self._first = now_ms
        self._shelf = Shelf(ticks_ms)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._foretelling = asyncio.Semaphore(1)
        self._timeline = Timeline(given.journal)
        self._ledger = Ledger()
        self._inquiry: Inquiry | None = None
        self._ticks_ms = ticks_ms
        self._asked_ms: int | None = None
        self.histories = Histories()
        self.count_clients: Callable[[], int] = lambda: 0

    def note_asked(self) -> None:
        """Take note that somebody asks."""
        self._asked_ms = self._ticks_ms()

    def was_asked(self, within_ms: int) -> bool:
        """Tell whether somebody asked lately."""
        return self._asked_ms is not None and self._ticks_ms() - self._asked_ms < within_ms

    @property
    def revision(self) -> int:
        """The revision of what is seen now."""
        return self._first + self._given.source.desk.revision

    @property
    def view(self) -> View:
        """What is seen now."""
        return self._given.source.desk.view

    def head(self) -> Head:
        """Give the head of now."""
        return write_head(self.view, self.revision)

    async def overview(self) -> Body:
        """Give the first page."""
        view, revision = self.view, self.revision

        def make() -> Answer:
            rows = tuple(write_shown(one) for one in view.decisions[:DECISIONS_MAX])
            marks = self._timeline.marks(view)
            return write_overview(view, revision, self.histories, rows, marks)

        return await self._make("overview", 0, make)

    async def nodes(self, asked: Asked) -> Body:
        """Give the table of nodes, or what is new of it."""
        view, revision, world = self.view, self.revision, self._given.source.world()
        self._ledger.note(view.nodes, revision)
        things: list[Node | NodeClaim] = []
        if world is not None:
            things = [*world.node_claims, *world.nodes]
        ledger = self._ledger

        def make() -> Answer:
            labels = {one.metadata.name: one.metadata.labels for one in things}
            return write_nodes(view, ledger, asked, labels)

        return await self._make(("nodes", asked), 0, make)

    async def node(self, name: str) -> Body:
        """Give one node in full."""
        inquiry = self._ask()
        row = inquiry.find(name)

        def make() -> Answer:
            pods = self._given.source.pods_of(row.name)
            decisions = self._timeline.about_node(row.name, inquiry.view)
            return inquiry.node(row, pods, decisions)

        return await self._make(("node", row.name), LASTS_MS, make)

    async def pending(self) -> Body:
        """Give the pods that wait, cause by cause."""
        return await self._make("pending", LASTS_MS, self._ask().pending)

    async def pools(self) -> Body:
        """Give the pools."""
        return await self._make("pools", LASTS_MS, self._ask().pools)

    async def budgets(self) -> Body:
        """Give the week of budgets."""
        return await self._make("budgets", LASTS_MS, self._ask().budgets)

    async def money(self) -> Body:
        """Give the bill."""
        view, revision = self.view, self.revision
        return await self._make("money", 0, lambda: write_money_page(view, revision))

    async def decisions(self, wanted: Filter, *, is_all: bool) -> Body:
        """Give a page of decisions; bookkeeping only where all, or just that, are asked for."""
        view = self.view
        default = frozenset() if is_all else ACTS
        asked = msgspec.structs.replace(wanted, kinds=wanted.kinds or default)
        # A journal is written a little after the view knows: it is asked again every second.
        second = self._ticks_ms() // 1_000
        make = self._timeline.page
        return await self._make(("decisions", asked), 0, lambda: make(asked, view), second)

    async def decision(self, name: str) -> Body:
        """Give one decision in full."""
        view = self.view
        make = self._timeline.decision
        return await self._make(("decision", name), LASTS_MS, lambda: make(name, view))

    async def manifests(self) -> Body:
        """Give what can be edited."""
        inquiry = self._ask()
        world, revision = inquiry.world, inquiry.revision
        return await self._make("manifests", LASTS_MS, lambda: write_manifests(world, revision))

    async def health(self) -> Body:
        """Give how the installation is."""
        view, revision = self.view, self.revision

        async def make() -> Body:
            found = await self._given.examine(revision, view)
            return write_answer(msgspec.structs.replace(found, clients=self.count_clients()))

        return await self._shelf.of("health", revision, HEALTH_LASTS_MS, make)

    async def what_if(self, request: WhatIfRequest) -> Body:
        """Work out what a change would do; one at a time, others are told to come again."""
        if self._foretelling.locked():
            raise UserError(
                "another change is being worked out", code=BUSY, advice="try again in a moment"
            )
        async with self._foretelling:
            snapshot = await self._given.take()
            return write_body(await self._given.foretell(snapshot, request))

    async def snapshot(self) -> bytes:
        """Give a snapshot of now."""
        return await self._given.take()

    def _ask(self) -> Inquiry:
        """Give the inquiry into what is seen now."""
        world = self._given.source.world()
        if world is None:
            raise UserError(
                "the cluster is not known yet", code=NOT_KNOWN, advice="ask again in a moment"
            )
        if self._inquiry is None or self._inquiry.world is not world:
            self._inquiry = Inquiry(world, self.view, self.revision)
        elif self._inquiry.view is not self.view:
            self._inquiry.renew(self.view, self.revision)
        return self._inquiry

    async def _make(
        self, key: Hashable, lasts_ms: int, make: Callable[[], Answer], version: int | None = None
    ) -> Body:
        async def work() -> Body:
            async with self._turns:
                return await asyncio.to_thread(lambda: write_answer(make()))

        known = self.revision if version is None else version
        return await self._shelf.of(key, known, lasts_ms, work)
