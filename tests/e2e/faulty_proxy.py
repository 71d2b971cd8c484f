"""A proxy in front of an API server that misbehaves on purpose.

It speaks plain HTTP on the loopback address and TLS to the server behind it; one connection carries
one request. What goes wrong is drawn from a seed, so a failure can be had again.
"""

import asyncio
import random
import ssl
from contextlib import asynccontextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

_HEAD_LIMIT = 1 << 20


class Faults(NamedTuple):
    """How often a request fails, in which ways, and how long a watch lives."""

    rate: float = 0.0
    kinds: tuple[str, ...] = ("500", "429", "hang", "drop", "lose")
    hang_s: float = 1.5
    watch_s: float | None = None


class FaultyProxy:
    """Passes requests on, or does not."""

    def __init__(self, server: str, authority: str, faults: Faults, seed: int) -> None:
        target = urlsplit(server)
        self._host, self._port = target.hostname, target.port
        self._tls = ssl.create_default_context(cafile=authority)
        self.faults = faults
        self._draw = random.Random(seed)
        self.counts: dict[str, int] = {}
        self.url = ""

    async def answer(self, reader, writer):
        """Serve one connection."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(content_length(head))
            dealing = asyncio.ensure_future(self._deal(head, body, writer))
            # A client that goes away takes its request with it.
            leaving = asyncio.ensure_future(reader.read(1))
            try:
                await asyncio.wait((dealing, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (dealing, leaving):
                    task.cancel()
                await asyncio.gather(dealing, leaving, return_exceptions=True)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            self._count("broken")
        finally:
            writer.close()

    def _count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    async def _deal(self, head, body, writer):
        fault = ""
        if self._draw.random() < self.faults.rate:
            fault = self._draw.choice(self.faults.kinds)
        self._count(fault or "passed")
        match fault:
            case "500":
                await refuse(writer, "500 Internal Server Error")
            case "429":
                await refuse(writer, "429 Too Many Requests", "Retry-After: 1\r\n")
            case "hang":
                await asyncio.sleep(self.faults.hang_s)
            case "drop":
                return
            case _:
                # A lost answer: the server did what was asked, and nobody hears of it.
                await self._pass_on(head, body, None if fault == "lose" else writer)

    async def _pass_on(self, head, body, writer):
        back, out = await asyncio.open_connection(self._host, self._port, ssl=self._tls)
        try:
            out.write(with_close(head, f"{self._host}:{self._port}") + body)
            await out.drain()
            is_watch = b"watch=true" in head.partition(b"\r\n")[0]
            limit_s = self.faults.watch_s if is_watch else None
            try:
                async with asyncio.timeout(limit_s):
                    while chunk := await back.read(1 << 16):
                        if writer is not None:
                            writer.write(chunk)
                            await writer.drain()
            except TimeoutError:
                self._count("cut")
        finally:
            out.close()


def content_length(head):
    """Give the length of the body that follows a head."""
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def with_close(head, host):
    """Give a head that asks for one answer and then the end of the connection."""
    first, *lines = head.rstrip(b"\r\n").split(b"\r\n")
    dropped = (b"connection", b"host")
    kept = [line for line in lines if line.partition(b":")[0].lower() not in dropped]
    return b"\r\n".join([first, *kept, b"Host: " + host.encode(), b"Connection: close", b"", b""])


async def refuse(writer, status, headers=""):
    """Answer with a status and nothing else."""
    writer.write(
        f"HTTP/1.1 {status}\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n".encode()
    )
    await writer.drain()


@asynccontextmanager
async def faulty_proxy(server, authority, faults, seed=1):
    """Have a proxy for the length of a block."""
    proxy = FaultyProxy(server, authority, faults, seed)
    running = set()

    async def serve(reader, writer):
        task = asyncio.current_task()
        running.add(task)
        try:
            await proxy.answer(reader, writer)
        except asyncio.CancelledError:
            # The end of the block; asyncio's streams complain of a task that ends cancelled.
            writer.close()
        finally:
            running.discard(task)

    listener = await asyncio.start_server(serve, "127.0.0.1", 0, limit=_HEAD_LIMIT)
    proxy.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        listener.close()
        for task in list(running):
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
