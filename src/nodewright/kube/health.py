"""Probes: `/healthz` says that the process lives, `/readyz` that it knows the cluster.

A check gives the empty text when all is well, else what is not. Liveness does not ask whether the
API server can be reached: a restart would not mend that, and would lose what the mirror holds.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

_HEAD_MAX_BYTES: Final = 8_192
_REQUEST_LIMIT_S: Final = 5.0

type Check = Callable[[], str]


def say_fine() -> str:
    """Find nothing wrong; that this can be asked at all shows that the process lives."""
    return ""


@asynccontextmanager
async def serve_probes(
    checks: Mapping[str, Check], port: int, host: str | None = None
) -> AsyncIterator[int]:
    """Answer each path with what its check says; give the port that is listened on."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_REQUEST_LIMIT_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(_reply(head, checks))
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            # A prober that speaks no HTTP, or went away, gets no answer and hurts nobody.
            return
        finally:
            writer.close()

    server = await asyncio.start_server(answer, host, port, limit=_HEAD_MAX_BYTES)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


def _reply(head: bytes, checks: Mapping[str, Check]) -> bytes:
    method, _, rest = head.partition(b"\r\n")[0].decode("latin-1").partition(" ")
    path = rest.partition(" ")[0].partition("?")[0]
    if method not in ("GET", "HEAD"):
        return _write("405 Method Not Allowed", "only GET is answered here", method)
    check = checks.get(path.rstrip("/") or "/")
    if check is None:
        return _write("404 Not Found", f"there is {', '.join(sorted(checks))}", method)
    problem = check()
    if problem:
        return _write("503 Service Unavailable", problem, method)
    return _write("200 OK", "ok", method)


def _write(status: str, text: str, method: str) -> bytes:
    body = (text + "\n").encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (b"" if method == "HEAD" else body)
