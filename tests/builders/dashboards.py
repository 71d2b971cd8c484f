"""Dashboards of snapshots, asked without a network."""

from contextlib import asynccontextmanager
from importlib.resources import files

import httpx2

from nodewright.app.viewing_snapshot import SnapshotSource
from nodewright.kube.machine import this_machine
from nodewright.state.expectations import Held
from nodewright.state.snapshot import read_snapshot
from nodewright.state.writing import SnapshotMetadata, write_snapshot
from nodewright.web.clerk import Given
from nodewright.web.gate import Rules
from nodewright.web.opening import open_dashboard
from nodewright.web.writing.health import Examined, write_health

EXAMPLE = files("nodewright.examples") / "first-cluster.json"


def given_by(source, journal=None, foretell=None):
    """Give what a dashboard of a source is made from; what-if says what it was asked."""

    taken = []

    async def take():
        if not taken:
            metadata = SnapshotMetadata(region="eu-west-1")
            taken.append(write_snapshot(source.world(), metadata, held=Held()))
        return taken[0]

    async def examine(revision, view):
        return write_health(view, revision, source.world(), Examined())

    async def echo(snapshot, request):
        return b'{"asked":true}'

    return Given(source, take, examine, foretell or echo, journal)


@asynccontextmanager
async def asking(source, rules=None, journal=None, foretell=None):
    """Have a client of a dashboard, and the dashboard, for the length of a block."""
    async with open_dashboard(given_by(source, journal, foretell), this_machine().clock) as shown:
        transport = httpx2.ASGITransport(app=shown.app(rules or Rules()))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client, shown


async def looked_at(data: bytes):
    """Give a source that has seen all of a snapshot."""
    source = SnapshotSource(lambda: read_snapshot(data, "the snapshot"), "example")
    await source.run()
    return source
