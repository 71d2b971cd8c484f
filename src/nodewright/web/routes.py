"""Routes: paths and queries read into questions, answers written as replies.

What is asked for is checked before anybody works on it: unknown parameters, instants that are none and
names that are too long are refused with a sentence. The routes of the journal's API stand beside, as commands
on the other side of a port-forward know them.
"""

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from nodewright.journal.documents import ListDocument, write_entry, write_found
from nodewright.journal.kin import Wanted
from nodewright.journal.reading import LISTED_MAX, Filter
from nodewright.model.errors import UserError
from nodewright.model.instant import BadInstant, parse_instant
from nodewright.web.answers.shared import Problem
from nodewright.web.answers.whatif import WhatIfRequest
from nodewright.web.clerk import BUSY, NOT_KNOWN, Clerk
from nodewright.web.described import ROUTES
from nodewright.web.foretelling import FAILED
from nodewright.web.gate import Gate, Rules
from nodewright.web.herald import Herald
from nodewright.web.hub import Hub
from nodewright.web.openapi import write_openapi
from nodewright.web.replies import Body, refuse, reply, write_body
from nodewright.web.statics import Statics
from nodewright.web.streaming import EventStream
from nodewright.web.timeline import PAGE_DEFAULT, PAGE_MAX, Records
from nodewright.web.writing.nodes import Asked

BODY_MAX_BYTES: Final = 1 << 20
TEXT_MAX: Final = 400
_PACK_LEVEL: Final = 4
_BAD: Final = "NW-9663"
_ABSENT: Final = frozenset({"NW-9601", "NW-9602", "NW-9606"})
_STATUS: Final = {
    NOT_KNOWN: HTTPStatus.SERVICE_UNAVAILABLE,
    BUSY: HTTPStatus.TOO_MANY_REQUESTS,
    FAILED: HTTPStatus.SERVICE_UNAVAILABLE,
}
_REVISION_MAX: Final = 1 << 53

type Ask = Callable[[Request], Awaitable[Body]]


class Bad(Exception):  # noqa: N818 - it reads as what it is where it is raised.
    """What was asked for cannot be read."""


class Office(msgspec.Struct, frozen=True):
    """Those who answer: the clerk, the herald with the hub, and the journal, if there is one."""

    clerk: Clerk
    herald: Herald
    hub: Hub
    journal: Records | None = None


def build_app(office: Office, rules: Rules, statics: Statics) -> ASGIApp:
    """Make the application, with the gate before it; the pages hold nothing of a cluster and are open."""
    clerk = office.clerk
    openapi = write_body(msgspec.json.encode(write_openapi(ROUTES)))

    async def show_openapi(request: Request) -> Response:
        _query(request)
        return reply(request, openapi)

    routes = [
        Route("/healthz", _fine),
        Route("/api/overview", _route(lambda _: clerk.overview())),
        Route("/api/nodes", _route(lambda one: clerk.nodes(_asked(one)), "since", "label")),
        Route("/api/nodes/{name}", _route(lambda one: clerk.node(_name(one)))),
        Route("/api/pending", _route(lambda _: clerk.pending())),
        Route("/api/decisions", _route(lambda one: _list(clerk, one), *_LISTING)),
        Route("/api/decisions/{name}", _route(lambda one: clerk.decision(_name(one)))),
        Route("/api/pools", _route(lambda _: clerk.pools())),
        Route("/api/budgets", _route(lambda _: clerk.budgets())),
        Route("/api/money", _route(lambda _: clerk.money())),
        Route("/api/manifests", _route(lambda _: clerk.manifests())),
        Route("/api/what-if", _route(lambda one: _what_if(clerk, one)), methods=["POST"]),
        Route("/api/health", _route(lambda _: clerk.health())),
        Route("/api/openapi.json", show_openapi),
        Route("/api/events", _events(office)),
        *_journal_routes(office),
        *statics.routes(),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={
            UserError: _refused,
            Bad: _refused,
            BadInstant: _refused,
            HTTPException: _no_route,
            Exception: _broken,
        },
    )
    app.router.redirect_slashes = False

    async def noted(scope: Scope, receive: Receive, send: Send) -> None:
        clerk.note_asked()
        await app(scope, receive, send)

    return Gate(
        noted,
        msgspec.structs.replace(
            rules,
            open_paths=frozenset({"/healthz", *statics.paths}),
            posting=frozenset({"/api/what-if"}),
        ),
    )


def _route(ask: Ask, *known: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        _query(request, *known)
        return reply(request, await ask(request))

    return answer


def _query(request: Request, *known: str) -> Mapping[str, str]:
    """Give the query; parameters that nobody knows or that are too long are refused."""
    for name, value in request.query_params.multi_items():
        if name not in known:
            raise Bad(f"there is no parameter {name[:50]!r} here: {', '.join(known) or 'none'}")
        if len(value) > TEXT_MAX:
            raise Bad(f"the parameter {name!r} is longer than {TEXT_MAX} letters")
    return request.query_params


def _asked(request: Request) -> Asked:
    since = _number(request.query_params, "since", 0, _REVISION_MAX)
    return Asked(since, tuple(dict.fromkeys(request.query_params.getlist("label"))))


def _number(query: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = query.get(name, "")
    if not text and name not in query:
        return default
    if not (text.isascii() and text.isdecimal()) or int(text) > most:
        raise Bad(f"{name} must be a whole number up to {most}")
    return int(text)


def _name(request: Request) -> str:
    name: str = request.path_params["name"]
    if len(name) > TEXT_MAX:
        raise Bad(f"a name is not longer than {TEXT_MAX} letters")
    return name


_LISTING: Final = ("node", "pod", "pool", "since", "before", "kind", "limit", "all")


async def _list(clerk: Clerk, request: Request) -> Body:
    query = request.query_params
    limit = _number(query, "limit", PAGE_DEFAULT, PAGE_MAX)
    said = query.get("all", "false")
    if said not in ("true", "false"):
        raise Bad("all is true or false")
    if not limit:
        raise Bad("limit must be at least 1")
    wanted = Filter(
        since_ms=_instant(query, "since"),
        before_ms=_instant(query, "before"),
        limit=limit,
        about=Wanted(query.get("node", ""), query.get("pod", ""), query.get("pool", "")),
        kinds=frozenset(filter(None, query.get("kind", "").split(","))),
    )
    return await clerk.decisions(wanted, is_all=said == "true")


def _instant(query: Mapping[str, str], name: str) -> int:
    return parse_instant(query[name]) if name in query else 0


async def _what_if(clerk: Clerk, request: Request) -> Body:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send application/json")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_MAX_BYTES:
            said = f"what is sent must be shorter than {BODY_MAX_BYTES} bytes"
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, said)
    try:
        asked = msgspec.json.decode(bytes(body), type=WhatIfRequest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Bad(f"what was sent cannot be read: {error}") from None
    return await clerk.what_if(asked)


def _events(office: Office) -> Callable[[Request], Awaitable[Any]]:
    async def answer(request: Request) -> Response | EventStream:
        _query(request)
        listener = office.hub.join()
        if listener is None:
            said = Problem("as many listen as may", BUSY, "close another page, or ask again later")
            return refuse(HTTPStatus.SERVICE_UNAVAILABLE, said)
        has_body = request.method != "HEAD"
        return EventStream(office.hub, listener, office.herald.greeting(), has_body=has_body)

    return answer


def _journal_routes(office: Office) -> list[Route]:
    """Give the routes that commands know: decisions, and snapshots, packed."""
    turn = asyncio.Semaphore(1)

    async def snapshot(request: Request) -> Response:
        name = _query(request, "decision").get("decision", "")
        async with turn:
            if name:
                found = await asyncio.to_thread(_journal(office).find, name)
                return await _packed(found.document)
            return await _packed(await office.clerk.snapshot())

    async def decisions(request: Request) -> Response:
        known = ("controller", "subject", "node", "pod", "pool", "since", "before", "kind", "limit")
        query = _query(request, *known)
        wanted = Filter(
            controller=query.get("controller", ""),
            subject=query.get("subject", ""),
            since_ms=_instant(query, "since"),
            before_ms=_instant(query, "before"),
            limit=_number(query, "limit", LISTED_MAX, LISTED_MAX),
            about=Wanted(query.get("node", ""), query.get("pod", ""), query.get("pool", "")),
            kinds=frozenset(filter(None, query.get("kind", "").split(","))),
        )
        async with turn:
            listing = await asyncio.to_thread(_journal(office).entries, wanted)
        written = ListDocument(tuple(map(write_entry, listing.entries)), listing.problems)
        return Response(msgspec.json.encode(written), media_type="application/json")

    async def decision(request: Request) -> Response:
        _query(request)
        async with turn:
            found = await asyncio.to_thread(_journal(office).find, _name(request))
        return Response(msgspec.json.encode(write_found(found)), media_type="application/json")

    return [
        Route("/snapshot", snapshot),
        Route("/decisions", decisions),
        Route("/decisions/{name}", decision),
    ]


def _journal(office: Office) -> Records:
    if office.journal is None:
        raise UserError("no journal is kept here", code="NW-9601")
    return office.journal


async def _packed(document: bytes) -> Response:
    packed = await asyncio.to_thread(gzip.compress, document, _PACK_LEVEL, mtime=0)
    return Response(packed, media_type="application/gzip")


async def _fine(request: Request) -> Response:
    _query(request)
    return Response("ok\n", media_type="text/plain")


async def _refused(_: Request, error: Exception) -> Response:
    if isinstance(error, UserError):
        status = _STATUS.get(error.code)
        if status is None:
            status = HTTPStatus.NOT_FOUND if error.code in _ABSENT else HTTPStatus.BAD_REQUEST
        return refuse(status, Problem(error.message, error.code, error.advice))
    return refuse(HTTPStatus.BAD_REQUEST, Problem(str(error)[:TEXT_MAX], _BAD))


async def _no_route(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = "there is no such page" if error.status_code == HTTPStatus.NOT_FOUND else error.detail
    return refuse(HTTPStatus(error.status_code), Problem(said, _BAD, "see /api/openapi.json"))


async def _broken(_: Request, error: Exception) -> Response:
    """Say that something is broken; what it is goes to the log, not to whoever asks."""
    del error
    said = Problem("this could not be answered", "NW-9664", "the log of the server says why")
    return refuse(HTTPStatus.INTERNAL_SERVER_ERROR, said)
