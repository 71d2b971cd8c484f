"""The server: an application on a port, for the length of a block, on the event loop that is there.

Signals and logs are left to whoever runs the process. How many connections there are at once is bounded;
those beyond are told to come again.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import uvicorn
from starlette.types import ASGIApp

LOOPBACK: Final = "127.0.0.1"
_CONNECTIONS_MAX: Final = 256
_HEAD_MAX_BYTES: Final = 32 << 10
_IDLE_S: Final = 30
_FAREWELL_S: Final = 2
_BACKLOG: Final = 128


@asynccontextmanager
async def serve(app: ASGIApp, port: int, host: str = LOOPBACK) -> AsyncIterator[int]:
    """Answer for the length of a block; give the port that is listened on."""
    listening = _listen(host, port)
    config = uvicorn.Config(
        app,
        loop="none",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS_MAX,
        h11_max_incomplete_event_size=_HEAD_MAX_BYTES,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_FAREWELL_S,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listening])
    running = asyncio.create_task(server.main_loop())
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        await running
        await server.shutdown(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """Take a port; one that cannot be had is an OSError with its reason."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(_BACKLOG)
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made
