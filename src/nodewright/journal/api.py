"""The read-only API of a controller: its decisions, and snapshots of what it sees.

`/decisions` lists them (`controller`, `subject`, `node`, `pod`, `pool`, `since`, `before`, `kind` and `limit` narrow the list), `/decisions/ID`
gives one with its look, `/snapshot?decision=ID` the World it was taken on, and `/snapshot` what the
controller sees now. It listens on the loopback address of its pod alone, and answers nobody who came
there under another name: a page in somebody's browser must not be able to read a cluster.
"""

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from nodewright.journal.documents import ListDocument, write_entry, write_found
from nodewright.journal.kin import Wanted
from nodewright.journal.reading import LISTED_MAX, Filter, Journal
from nodewright.model.errors import UserError
from nodewright.model.instant import BadInstant, parse_instant
from nodewright.serving.server import Reply, Request, serve

PORT: Final = 8082
LOOPBACK: Final = "127.0.0.1"
_REQUEST_LIMIT_S: Final = 60.0
_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_PACK_LEVEL: Final = 4

type Take = Callable[[], Awaitable[bytes]]
"""Takes a snapshot of what the controller sees now."""


def serve_api(
    journal: Journal, take: Take, port: int = PORT, host: str = LOOPBACK
) -> AbstractAsyncContextManager[int]:
    """Answer for the length of a block; give the port that is listened on."""
    turn = asyncio.Semaphore(1)

    async def answer(request: Request) -> Reply:
        # One at a time: reading a journal is work, and the controllers' comes first.
        async with turn:
            return await answer_request(request, journal, take)

    return serve(answer, port, host, _REQUEST_LIMIT_S)


async def answer_request(request: Request, journal: Journal, take: Take) -> Reply:
    """Give the answer to one request."""
    if request.host not in _NAMES:
        return Reply("403 Forbidden", b"only localhost is answered here\n")
    address = urlsplit(request.target)
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
        return Reply("404 Not Found", f"{error.message}\n".encode())
    except (BadInstant, ValueError) as error:
        return Reply("400 Bad Request", f"{error}\n".encode())
    return Reply("404 Not Found", b"there is /decisions, /decisions/ID and /snapshot\n")


def _list(journal: Journal, query: Mapping[str, str]) -> ListDocument:
    wanted = Filter(
        controller=query.get("controller", ""),
        subject=query.get("subject", ""),
        since_ms=parse_instant(query["since"]) if "since" in query else 0,
        limit=min(LISTED_MAX, int(query.get("limit", LISTED_MAX))),
        about=Wanted(query.get("node", ""), query.get("pod", ""), query.get("pool", "")),
        before_ms=parse_instant(query["before"]) if "before" in query else 0,
        kinds=frozenset(filter(None, query.get("kind", "").split(","))),
    )
    listing = journal.entries(wanted)
    return ListDocument(tuple(map(write_entry, listing.entries)), listing.problems)


def _json(value: object) -> Reply:
    return Reply("200 OK", msgspec.json.encode(value), "application/json")


def _packed(document: bytes) -> Reply:
    return Reply("200 OK", gzip.compress(document, _PACK_LEVEL, mtime=0), "application/gzip")
