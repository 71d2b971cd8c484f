"""A reply without end: what a listener is told, as server-sent events, until one of both goes away.

A client that reads nothing for a while is let go. Now and then a comment is sent, so that proxies do not take
the connection for dead.
"""

import asyncio
from contextlib import suppress
from typing import Final

from starlette.types import Receive, Scope, Send

from nodewright.web.hub import Hub, Listener

QUIET_S: Final = 15.0
STUCK_S: Final = 20.0
_COMMENT: Final = b": still here\n\n"
_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)


class EventStream:
    """A reply that goes on; `first` is told to this client alone, at once."""

    def __init__(self, hub: Hub, listener: Listener, first: bytes, *, has_body: bool) -> None:
        self._hub = hub
        self._listener = listener
        self._first = first
        self._has_body = has_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer until the client or the hub has had enough."""
        del scope
        try:
            headers = list(_HEADERS)
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            if self._has_body:
                await self._stream(receive, send)
            with suppress(OSError):
                await send({"type": "http.response.body", "body": b""})
        finally:
            self._hub.leave(self._listener)

    async def _stream(self, receive: Receive, send: Send) -> None:
        gone = asyncio.create_task(_until_gone(receive))
        sending = asyncio.create_task(self._send_all(send))
        await asyncio.wait((gone, sending), return_when=asyncio.FIRST_COMPLETED)
        for task in (gone, sending):
            task.cancel()
        await asyncio.gather(gone, sending, return_exceptions=True)

    async def _send_all(self, send: Send) -> None:
        message: bytes | None = self._first
        while message is not None:
            async with asyncio.timeout(STUCK_S):
                await send({"type": "http.response.body", "body": message, "more_body": True})
            try:
                async with asyncio.timeout(QUIET_S):
                    message = await self._listener.next()
            except TimeoutError:
                message = _COMMENT


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
