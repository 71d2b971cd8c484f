"""Answering over HTTP: one request, one reply, and the connection is closed.

Nothing here is meant for a browser or for the world: probers, scrapers and our own commands ask, with
GET and without a body. Who speaks no HTTP, says too much or takes too long gets no answer and hurts
nobody.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import msgspec

TEXT: Final = "text/plain; charset=utf-8"
_HEAD_MAX_BYTES: Final = 8_192


class Request(msgspec.Struct, frozen=True):
    """What is asked for: the target with its query, and by which name the server was called."""

    target: str
    host: str = ""

    @property
    def path(self) -> str:
        """The target without its query and without a slash at the end."""
        return self.target.partition("?")[0].rstrip("/") or "/"


class Reply(msgspec.Struct, frozen=True):
    """What is answered."""

    status: str
    body: bytes
    content_type: str = TEXT


type Answer = Callable[[Request], Awaitable[Reply]]


@asynccontextmanager
async def serve(
    answer: Answer, port: int, host: str | None = None, limit_s: float = 30.0
) -> AsyncIterator[int]:
    """Answer for the length of a block; give the port that is listened on."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(limit_s):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(await _reply(head, answer))
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(meet, host, port, limit=_HEAD_MAX_BYTES)
    try:
        # Any port is another one for IPv6; the one that everybody reaches is named.
        first = min(server.sockets, key=lambda one: one.family != socket.AF_INET)
        yield first.getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


async def _reply(head: bytes, answer: Answer) -> bytes:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = first.partition(" ")
    if method not in ("GET", "HEAD"):
        reply = Reply("405 Method Not Allowed", b"only GET is answered here\n")
    else:
        reply = await answer(Request(rest.partition(" ")[0], _host(lines)))
    written = (
        f"HTTP/1.1 {reply.status}\r\nContent-Type: {reply.content_type}\r\n"
        f"Content-Length: {len(reply.body)}\r\nConnection: close\r\n\r\n"
    )
    return written.encode() + (b"" if method == "HEAD" else reply.body)


def _host(lines: list[str]) -> str:
    for line in lines:
        name, _, value = line.partition(":")
        if name.lower() == "host":
            host, _, port = value.strip().rpartition(":")
            return host if host and port.isdecimal() else value.strip()
    return ""
