"""The journal of a running controller: written in the background, and served on loopback.

Whoever leads tells it; whoever stands by serves what it wrote before. A snapshot of now is what the
controller sees, with what it expects while it leads.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from nodewright.controllers.onsale import ask_for_types
from nodewright.controllers.ports import Memory, Ports
from nodewright.journal.api import PORT, Take, serve_api
from nodewright.journal.background import BackgroundRecorder
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder
from nodewright.journal.segments import Limits
from nodewright.model.errors import UserError
from nodewright.model.world import Options, World
from nodewright.ports.clock import Clock
from nodewright.state.expectations import Held
from nodewright.state.live import find_pools, take_snapshot, with_machines
from nodewright.state.writing import SnapshotMetadata, write_snapshot

_log: Final = logging.getLogger("nodewright.journal")


type Serve = Callable[[Journal, Take, int], AbstractAsyncContextManager[int]]
"""Answers for a journal on a port of loopback, for the length of a block; gives the port."""


class Kept(NamedTuple):
    """A journal that is being kept: the witness to be told, and the port that answers, if one does."""

    witness: BackgroundRecorder
    port: int | None


class Sight:
    """What the controller of this process sees now; nothing before it has looked."""

    def __init__(self, metadata: SnapshotMetadata, options: Options) -> None:
        self._metadata = metadata
        self._options = options
        self._ports: Ports | None = None
        self._memory: Memory | None = None

    def place(self, region: str) -> None:
        """Take note of where the machines are, once that is known."""
        self._metadata = msgspec.structs.replace(self._metadata, region=region)

    def lead(self, ports: Ports, memory: Memory | None = None) -> None:
        """See through these ports from now on, with what is expected where we lead."""
        self._ports, self._memory = ports, memory

    @property
    def place_of_machines(self) -> SnapshotMetadata:
        """Whose cluster it is, and where."""
        return self._metadata

    async def see(self) -> World:
        """Give the World of now, with what is on sale."""
        ports = self._ports
        if ports is None or ports.mirror.waiting_for():
            raise UserError("the cluster is not known yet; ask again in a moment", code="NW-9605")
        types = await ask_for_types(ports, find_pools(ports.mirror))
        if types is None:
            raise UserError("the cloud does not say what is on sale; ask again", code="NW-9605")
        seen = take_snapshot(ports.mirror, ports.clock.now_ms(), types, self._options)
        return with_machines(seen, ports.mirror)

    async def take(self) -> bytes:
        """Take a snapshot of now."""
        world = await self.see()
        held = Held() if self._memory is None else self._memory.expectations.hold()
        return await asyncio.to_thread(write_snapshot, world, self._metadata, held=held)


@asynccontextmanager
async def keep_journal(
    folder: Path, clock: Clock, sight: Sight, port: int = PORT, serve: Serve = serve_api
) -> AsyncIterator[Kept]:
    """Keep a journal in a folder and answer on loopback, for the length of a block."""
    recorder = BackgroundRecorder(Recorder(folder, clock, Limits()))
    recorder.start()
    try:
        async with AsyncExitStack() as stack:
            answering = serve(Journal(folder), sight.take, port)
            yield Kept(recorder, await _answer(stack, answering, port))
    finally:
        await asyncio.to_thread(recorder.close)


async def _answer(
    stack: AsyncExitStack, answering: AbstractAsyncContextManager[int], port: int
) -> int | None:
    try:
        return await stack.enter_async_context(answering)
    except OSError as error:
        # Nodes do not wait for whoever wants to read: the journal is kept all the same.
        _log.warning("the journal does not answer on port %d: %s", port, error.strerror or error)
        return None
