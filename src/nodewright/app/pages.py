"""A page over HTTP, rendered anew for each who asks: the metrics."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

import msgspec

_HEAD_MAX_BYTES: Final = 8_192
_REQUEST_LIMIT_S: Final = 30.0


class Page(msgspec.Struct, frozen=True):
    """What is served under a path."""

    render: Callable[[], bytes]
    content_type: str = "text/plain; version=0.0.4; charset=utf-8"


@asynccontextmanager
async def serve_pages(
    pages: Mapping[str, Page], port: int, host: str | None = None
) -> AsyncIterator[int]:
    """Answer each path with its page; give the port that is listened on."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_REQUEST_LIMIT_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(_reply(head, pages))
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            # Somebody who speaks no HTTP, or went away, gets no answer and hurts nobody.
            return
        finally:
            writer.close()

    server = await asyncio.start_server(answer, host, port, limit=_HEAD_MAX_BYTES)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


def _reply(head: bytes, pages: Mapping[str, Page]) -> bytes:
    method, _, rest = head.partition(b"\r\n")[0].decode("latin-1").partition(" ")
    path = rest.partition(" ")[0].partition("?")[0]
    if method not in ("GET", "HEAD"):
        return _write("405 Method Not Allowed", b"only GET is answered here\n", method)
    page = pages.get(path.rstrip("/") or "/")
    if page is None:
        known = ", ".join(sorted(pages))
        return _write("404 Not Found", f"there is {known}\n".encode(), method)
    return _write("200 OK", page.render(), method, page.content_type)


def _write(status: str, body: bytes, method: str, content_type: str = "text/plain") -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (b"" if method == "HEAD" else body)
