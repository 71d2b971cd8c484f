"""A dashboard for the length of a block: its application, and those who work behind it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from starlette.types import ASGIApp

from nodewright.kube.machine import Counter
from nodewright.web.clerk import Clerk, Given
from nodewright.web.gate import Rules
from nodewright.web.herald import Herald, stop
from nodewright.web.hub import Hub
from nodewright.web.routes import Office, build_app
from nodewright.web.statics import Statics


class Dashboard(msgspec.Struct, frozen=True):
    """A dashboard that is open; it can stand behind several gates."""

    office: Office

    def app(self, rules: Rules) -> ASGIApp:
        """Give the application behind a gate with these rules."""
        return build_app(self.office, rules, Statics())


@asynccontextmanager
async def open_dashboard(given: Given, clock: Counter) -> AsyncIterator[Dashboard]:
    """Have a dashboard for the length of a block."""
    hub = Hub()
    clerk = Clerk(given, clock.now_ms(), clock.ticks_ms)
    clerk.count_clients = lambda: hub.count
    herald = Herald(given.source, clerk, hub)
    watching = asyncio.create_task(herald.run(clock))
    try:
        yield Dashboard(Office(clerk, herald, hub, given.journal))
    finally:
        hub.close()
        await stop(watching)
