"""The read-only API of a controller: its decisions, and snapshots of what it sees.

`/decisions` lists them (`controller`, `subject`, `since` and `limit` narrow the list), `/decisions/ID`
gives one with its look, `/snapshot?decision=ID` the World it was taken on, and `/snapshot` what the
controller sees now. It listens on the loopback address of its pod alone, and answers nobody who came
there under another name: a page in somebody's browser must not be able to read a cluster.
"""

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from nodewright.journal.documents import ListDocument, write_entry, write_found
from nodewright.journal.reading import LISTED_MAX, Filter, Journal
from nodewright.model.errors import UserError
from nodewright.model.instant import BadInstant, parse_instant

PORT: Final = 8082
LOOPBACK: Final = "127.0.0.1"
_HEAD_MAX_BYTES: Final = 8_192
_REQUEST_LIMIT_S: Final = 60.0
_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_PACK_LEVEL: Final = 4

type Take = Callable[[], Awaitable[bytes]]
"""Takes a snapshot of what the controller sees now."""


class _Reply(msgspec.Struct, frozen=True):
    status: str
    body: bytes
    content_type: str = "text/plain; charset=utf-8"


@asynccontextmanager
async def serve_api(
    journal: Journal, take: Take, port: int = PORT, host: str = LOOPBACK
) -> AsyncIterator[int]:
    """Answer for the length of a block; give the port that is listened on."""
    turn = asyncio.Semaphore(1)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_REQUEST_LIMIT_S):
                head = await reader.readuntil(b"\r\n\r\n")
                # One at a time: reading a journal is work, and the controllers' comes first.
                async with turn:
                    reply = await answer_request(head, journal, take)
                writer.write(_write(reply, head))
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


async def answer_request(head: bytes, journal: Journal, take: Take) -> _Reply:
    """Give the answer to one request."""
    first, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = first.partition(" ")
    if method not in ("GET", "HEAD"):
        return _Reply("405 Method Not Allowed", b"only GET is answered here\n")
    if _host(lines) not in _NAMES:
        return _Reply("403 Forbidden", b"only localhost is answered here\n")
    address = urlsplit(rest.partition(" ")[0])
    query = {name: values[-1] for name, values in parse_qs(address.query).items()}
    parts = [unquote(part) for part in address.path.split("/") if part]
    try:
        match parts:
            case ["snapshot"] if "decision" not in query:
                return _packed(await take())
            case ["snapshot"]:
                found = await asyncio.to_thread(journal.find, query["decision"])
                return _packed(found.document)
            case ["decisions"]:
                return _json(await asyncio.to_thread(_list, journal, query))
            case ["decisions", name]:
                return _json(write_found(await asyncio.to_thread(journal.find, name)))
    except UserError as error:
        return _Reply("404 Not Found", f"{error.message}\n".encode())
    except (BadInstant, ValueError) as error:
        return _Reply("400 Bad Request", f"{error}\n".encode())
    return _Reply("404 Not Found", b"there is /decisions, /decisions/ID and /snapshot\n")


def _list(journal: Journal, query: Mapping[str, str]) -> ListDocument:
    wanted = Filter(
        controller=query.get("controller", ""),
        subject=query.get("subject", ""),
        since_ms=parse_instant(query["since"]) if "since" in query else 0,
        limit=min(LISTED_MAX, int(query.get("limit", LISTED_MAX))),
    )
    listing = journal.entries(wanted)
    return ListDocument(tuple(map(write_entry, listing.entries)), listing.problems)


def _host(lines: list[str]) -> str:
    for line in lines:
        name, _, value = line.partition(":")
        if name.lower() == "host":
            host, _, port = value.strip().rpartition(":")
            return host if host and port.isdecimal() else value.strip()
    return ""


def _json(value: object) -> _Reply:
    return _Reply("200 OK", msgspec.json.encode(value), "application/json")


def _packed(document: bytes) -> _Reply:
    return _Reply("200 OK", gzip.compress(document, _PACK_LEVEL, mtime=0), "application/gzip")


def _write(reply: _Reply, request: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {reply.status}\r\nContent-Type: {reply.content_type}\r\n"
        f"Content-Length: {len(reply.body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (b"" if request.startswith(b"HEAD ") else reply.body)
