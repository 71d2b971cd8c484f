"""The client: one request, one reply, whatever its status; or a stream of lines.

A reply of any status is a value. What is raised is `Unreachable`: no reply came, so nobody knows
whether the request was carried out. A reply of 401 is tried once more with credentials read anew,
since tokens rotate. What to try again, and when, is left to those who know what they asked for.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version
from typing import Final

import httpcore2
import httpx2
import msgspec

from nodewright.kube.access import Access
from nodewright.kube.credentials import Credentials
from nodewright.kube.machine import Machine
from nodewright.kube.transport import Pool, stamp_of
from nodewright.model.errors import UserError

JSON: Final = "application/json"
_CONNECT_S: Final = 10.0
_REQUEST_S: Final = 30.0
_LINE_MAX_BYTES: Final = 64 << 20
_CHUNK_BYTES: Final = 1 << 16
_BROKEN: Final = (httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError)

type Observe = Callable[[str, str, int], None]


class Unreachable(Exception):  # noqa: N818 - it reads as what it is where it is caught.
    """No reply came, or one that only asks for patience."""

    def __init__(self, message: str, retry_after_ms: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_ms = retry_after_ms


class Request(msgspec.Struct, frozen=True):
    """Something to ask of the API server."""

    method: str
    path: str
    params: Mapping[str, str] = {}
    body: bytes = b""
    content_type: str = JSON
    limit_s: float = _REQUEST_S
    headers: tuple[tuple[str, str], ...] = ()


class Reply(msgspec.Struct, frozen=True):
    """What the API server said."""

    status: int
    body: bytes = b""
    retry_after_ms: int | None = None

    @property
    def is_good(self) -> bool:
        """Tell whether the request was carried out."""
        return 200 <= self.status < 300


class Stream:
    """A reply that goes on: its lines as they come."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        self.status = response.status_code

    async def read(self) -> Reply:
        """Read the reply to its end, where it is a refusal rather than a stream."""
        body = await self._response.aread()
        return Reply(self.status, body, _retry_after_ms(self._response))

    def header(self, name: str) -> str:
        """Give a header of the reply, or nothing."""
        return self._response.headers.get(name, "")

    def tunnel(self, silence_s: float) -> "Tunnel":
        """Give the connection itself, once the server has agreed to speak something else on it."""
        return Tunnel(self._response.extensions["network_stream"], silence_s)

    async def lines(self) -> AsyncIterator[bytes]:
        """Give each whole line; a last piece without an end is not one."""
        parts: list[bytes] = []
        held = 0
        async for chunk in self._response.aiter_bytes():
            first, *rest = chunk.split(b"\n")
            parts.append(first)
            held += len(first)
            for piece in rest:
                yield b"".join(parts)
                parts = [piece]
                held = len(piece)
            if held > _LINE_MAX_BYTES:
                raise Unreachable(f"a line of the watch is longer than {_LINE_MAX_BYTES} bytes")


class Tunnel:
    """A connection that was upgraded: bytes both ways; trouble is `Unreachable` here too."""

    def __init__(self, raw: httpcore2.AsyncNetworkStream, silence_s: float) -> None:
        self._raw = raw
        self._silence_s = silence_s

    async def read(self) -> bytes:
        """Give what came; nothing at the end."""
        try:
            return await self._raw.read(_CHUNK_BYTES, self._silence_s)
        except _BROKEN as error:
            raise Unreachable(str(error) or type(error).__name__) from None

    async def write(self, data: bytes) -> None:
        """Send bytes."""
        try:
            await self._raw.write(data, self._silence_s)
        except _BROKEN as error:
            raise Unreachable(str(error) or type(error).__name__) from None


class Client:
    """Talks to one API server."""

    def __init__(self, access: Access, machine: Machine, observe: Observe | None = None) -> None:
        self.access = access
        self.machine = machine
        self._credentials = Credentials(access, machine.clock)
        self._observe = observe
        self._pool: Pool | None = None
        self._trouble_ticks_ms: int | None = None
        self._fixed = {"Accept": JSON, "User-Agent": f"nodewright/{version('nodewright')}"}
        self._extensions = (
            {"sni_hostname": access.tls_server_name} if access.tls_server_name else {}
        )

    async def close(self) -> None:
        """Close all connections."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.http.aclose()

    def was_in_trouble(self, within_ms: int) -> bool:
        """Tell whether the server could not be reached a while ago; it may have started anew."""
        last_ms = self._trouble_ticks_ms
        return last_ms is not None and self.machine.clock.ticks_ms() - last_ms < within_ms

    async def ask(self, request: Request) -> Reply:
        """Ask once and give the reply."""
        try:
            async with asyncio.timeout(request.limit_s):
                reply = await self._ask_once(request)
                if reply.status == HTTPStatus.UNAUTHORIZED:
                    self._credentials.distrust()
                    reply = await self._ask_once(request)
        except TimeoutError:
            self._trouble_ticks_ms = self.machine.clock.ticks_ms()
            raise Unreachable(
                f"{request.method} {request.path}: no answer within {request.limit_s:g} s"
            ) from None
        return reply

    async def _ask_once(self, request: Request) -> Reply:
        async with self._send(request, request.limit_s) as response:
            body = await response.aread()
        return Reply(response.status_code, body, _retry_after_ms(response))

    @asynccontextmanager
    async def open(self, request: Request, silence_s: float) -> AsyncIterator[Stream]:
        """Have a stream for the length of a block; silence longer than given ends it.

        The request's own limit is that for the stream to begin.
        """
        async with self._send(request, silence_s) as response:
            if response.status_code == HTTPStatus.UNAUTHORIZED:
                self._credentials.distrust()
            yield Stream(response)

    @asynccontextmanager
    async def _send(self, request: Request, read_s: float) -> AsyncIterator[httpx2.Response]:
        pool = None
        try:
            headers = await self._headers(request)
            pool = await self._current_pool()
            pool.user_count += 1
            sent = pool.http.build_request(
                request.method,
                request.path,
                params=dict(request.params) or None,
                content=request.body or None,
                headers=headers,
                timeout=httpx2.Timeout(read_s, connect=_CONNECT_S, pool=_CONNECT_S),
                extensions=self._extensions,
            )
            response = await _await_answer(pool.http.send(sent, stream=True), request.limit_s)
            if self._observe is not None:
                self._observe(request.method, request.path, response.status_code)
            try:
                yield response
            finally:
                await response.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, UserError) as error:
            said = str(error) or type(error).__name__
            self._trouble_ticks_ms = self.machine.clock.ticks_ms()
            raise Unreachable(f"{request.method} {request.path}: {said}") from error
        finally:
            if pool is not None:
                await pool.leave()

    async def _headers(self, request: Request) -> list[tuple[str, str]]:
        headers = self._fixed | await self._credentials.headers()
        if request.body:
            headers["Content-Type"] = request.content_type
        # Groups to impersonate repeat one header, so this is a list and no mapping.
        return [*headers.items(), *request.headers, *self.access.user.impersonate]

    async def _current_pool(self) -> Pool:
        stamp = stamp_of(self.access, self._credentials.certificate)
        pool = self._pool
        if pool is None or pool.stamp != stamp:
            self._pool = Pool(self.access, self._credentials.certificate)
            if pool is not None:
                await pool.retire()
        assert self._pool is not None
        return self._pool


async def _await_answer(
    answer: Coroutine[None, None, httpx2.Response], limit_s: float
) -> httpx2.Response:
    try:
        async with asyncio.timeout(limit_s):
            return await answer
    except TimeoutError:
        raise httpx2.ReadTimeout(f"no answer within {limit_s:g} s") from None


def _retry_after_ms(response: httpx2.Response) -> int | None:
    written = response.headers.get("Retry-After", "")
    return int(written) * 1000 if written.isdecimal() else None
