"""Time and a server as the tests of this room want them."""

import asyncio

import pytest

from kube.scripted import JumpingClock, Server
from nodewright.kube.access import Access
from nodewright.kube.client import Client
from nodewright.kube.machine import Machine, MachineRandom


@pytest.fixture
def clock():
    return JumpingClock()


@pytest.fixture
def machine(clock):
    return Machine(clock, MachineRandom(1))


@pytest.fixture
async def server():
    found = Server()
    running = set()

    async def serve(reader, writer):
        running.add(asyncio.current_task())
        await found.serve(reader, writer)
        running.discard(asyncio.current_task())

    listener = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 24)
    found.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    yield found
    listener.close()
    for task in list(running):
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


@pytest.fixture
async def client(server, machine):
    found = Client(Access(server=server.url), machine)
    yield found
    await found.close()
