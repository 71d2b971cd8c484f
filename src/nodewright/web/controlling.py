"""The dashboard of a controller: on loopback always, and where it is told to, for others with a token.

Whoever reaches the loopback address of the pod has gone through the API server's port-forward, and has been
let in there. The other port is open to the network of the cluster, so everybody is asked who they are.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from starlette.types import ASGIApp

from nodewright.app.faces import Exhibit, Face
from nodewright.app.viewing_controller import ControllerSource
from nodewright.journal.api import Take
from nodewright.journal.reading import Journal
from nodewright.view.notebook import Notebook
from nodewright.view.values import View
from nodewright.web.answers.health import Health, Queue
from nodewright.web.answers.shared import Condition
from nodewright.web.clerk import Given
from nodewright.web.doors import Door, ReviewDoor, TokenDoor
from nodewright.web.foretelling import foretell
from nodewright.web.gate import Rules
from nodewright.web.herald import stop
from nodewright.web.opening import open_dashboard
from nodewright.web.server import serve
from nodewright.web.writing.health import Examined, write_health

EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - a token is asked for there.
WANTED_MS: Final = 30_000
"""For how long after a question somebody is taken to be looking."""

_log: Final = logging.getLogger("nodewright.dashboard")


def show_controller(exhibit: Exhibit) -> Face:
    """Give the dashboard of a controller."""
    notebook = Notebook()
    shown = _Shown(exhibit, notebook)
    return Face(notebook, shown.serve)


class _Shown:
    def __init__(self, exhibit: Exhibit, notebook: Notebook) -> None:
        self._exhibit = exhibit
        self._source = ControllerSource(exhibit.session, exhibit.sight, notebook, exhibit.identity)

    @asynccontextmanager
    async def serve(self, journal: Journal, take: Take, port: int) -> AsyncIterator[int]:
        """Serve for the length of a block; give the port on loopback."""
        source, clock = self._source, self._exhibit.session.client.machine.clock
        given = Given(source, take, self._examine, foretell, journal)
        async with open_dashboard(given, clock) as dashboard:
            office = dashboard.office
            source.is_wanted = lambda: office.hub.count > 0 or office.clerk.was_asked(WANTED_MS)
            async with serve(dashboard.app(Rules()), port) as listening, AsyncExitStack() as stack:
                await self._expose(stack, dashboard.app(Rules(self._door())))
                looking = asyncio.create_task(self._look(journal))
                try:
                    yield listening
                finally:
                    await stop(looking)

    async def _look(self, journal: Journal) -> None:
        await self._source.remember(journal)
        await self._source.run()

    async def _expose(self, stack: AsyncExitStack, app: ASGIApp) -> None:
        """Listen for others too, where that is wanted."""
        port = self._exhibit.order.written.dashboard_port
        if not port:
            return
        try:
            found = await stack.enter_async_context(serve(app, port, EVERYWHERE))
        except OSError as error:
            # Nodes do not wait for whoever wants to look.
            _log.warning("no dashboard on port %d: %s", port, error.strerror or error)
            return
        auth = self._exhibit.order.written.dashboard_auth
        _log.info("the dashboard is open", extra={"facts": {"port": found, "auth": auth}})

    def _door(self) -> Door:
        written, session = self._exhibit.order.written, self._exhibit.session
        if written.dashboard_auth == "token":
            return TokenDoor(written.dashboard_token)
        return ReviewDoor(session.client, session.client.machine.clock.ticks_ms)

    def _queue(self) -> Queue | None:
        heard = self._exhibit.hearing.latest
        if heard is None:
            return None
        lag_s = heard.lag_ms / 1000 if heard.lag_ms is not None else None
        return Queue(self._exhibit.order.aws.written.interruption_queue, lag_s, heard.fault)

    async def _examine(self, revision: int, view: View) -> Health:
        said = tuple(
            Condition(one.type, "True" if one.status else "False", "", one.message)
            for one in self._exhibit.conditions()
        )
        known = Examined(
            by_whom="the controller's own checkups", conditions=said, queue=self._queue()
        )
        world = self._source.world()
        return await asyncio.to_thread(write_health, view, revision, world, known)
