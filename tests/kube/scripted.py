"""A clock that jumps, and a server that says what a test wants it to say."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import msgspec


class JumpingClock:
    """Time that passes only when somebody waits for it."""

    def __init__(self):
        self.ticks = 1_000_000
        self.skew = 0
        self.slept = []

    def now_ms(self):
        return self.ticks + self.skew

    def ticks_ms(self):
        return self.ticks

    async def sleep_ms(self, duration_ms):
        self.slept.append(duration_ms)
        self.ticks += duration_ms
        await asyncio.sleep(0)


class Asked(NamedTuple):
    """What a client asked for."""

    method: str
    path: str
    params: dict
    body: bytes
    headers: dict

    @property
    def json(self):
        return msgspec.json.decode(self.body)


class Said(NamedTuple):
    """What the server answers, and after how long: a body, or a stream that may break off."""

    status: int = 200
    body: object = b""
    headers: dict = {}
    chunks: tuple | None = None
    stay_s: float = 0.0
    begin_s: float = 0.0


class Server:
    """Answers every request by a function of the test's own, and remembers what was asked."""

    def __init__(self):
        self.asked: list[Asked] = []
        self.answer: Callable[[Asked], Said] = lambda _: Said(404)
        self.url = ""

    async def serve(self, reader, writer):
        try:
            while True:
                asked = await self._read(reader)
                self.asked.append(asked)
                said = self.answer(asked)
                await self._write(writer, said)
                if said.chunks is not None:
                    return
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return
        finally:
            writer.close()

    async def _read(self, reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        method, target, _ = first.split(" ")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        parts = urlsplit(target)
        return Asked(method, parts.path, dict(parse_qsl(parts.query)), body, headers)

    async def _write(self, writer, said):
        await asyncio.sleep(said.begin_s)
        body = said.body if isinstance(said.body, bytes) else msgspec.json.encode(said.body)
        extra = "".join(f"{name}: {value}\r\n" for name, value in said.headers.items())
        if said.chunks is None:
            head = f"HTTP/1.1 {said.status} X\r\n{extra}Content-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            await writer.drain()
            return
        writer.write(f"HTTP/1.1 {said.status} X\r\n{extra}Connection: close\r\n\r\n".encode())
        for chunk in said.chunks:
            writer.write(chunk)
            await writer.drain()
            await asyncio.sleep(0.005)
        await asyncio.sleep(said.stay_s)
