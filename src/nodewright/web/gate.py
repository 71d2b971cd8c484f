"""The gate: what holds for every request, whatever it asks for.

Without a door only those are answered who called the server by a name of this very machine: a page in
somebody's browser must not be able to read a cluster through a name of its own. With a door a token is asked
for instead, which such a page does not have; the pages themselves hold nothing secret and are given to
anybody, so that they can ask for the token. Nothing can be changed: all methods but GET and HEAD are refused,
and one route takes a POST, to compute. Every reply forbids browsers to load or frame anything foreign.
"""

from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nodewright.web.answers.shared import Problem
from nodewright.web.doors import Admission, Door
from nodewright.web.replies import refuse

LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_READING: Final = ("GET", "HEAD")
_SECURITY: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_SAID: Final = {
    Admission.UNKNOWN: (
        HTTPStatus.UNAUTHORIZED,
        Problem("a token is needed", "NW-9661", "send it as `Authorization: Bearer TOKEN`"),
    ),
    Admission.FORBIDDEN: (
        HTTPStatus.FORBIDDEN,
        Problem(
            "whose token this is may not look at the dashboard",
            "NW-9661",
            "bind the ClusterRole `nodewright-dashboard` to that user or service account",
        ),
    ),
    Admission.UNDECIDED: (
        HTTPStatus.SERVICE_UNAVAILABLE,
        Problem("the API server does not say whose token this is", "NW-9661", "try again"),
    ),
}


class Rules(msgspec.Struct, frozen=True):
    """Who is answered, and what may be sent: paths that need no token, and those that take a POST."""

    door: Door | None = None
    open_paths: frozenset[str] = frozenset()
    posting: frozenset[str] = frozenset()
    hosts: frozenset[str] = LOCAL_NAMES


class Gate:
    """Stands before an application."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or let through."""
        assert scope["type"] == "http"
        headers = Headers(scope=scope)

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_SECURITY)
            await send(message)

        refusal = self._judge(scope["method"], scope["path"], headers)
        if refusal is None:
            refusal = await self._ask_door(scope["path"], headers)
        answer = self._app if refusal is None else refuse(*refusal)
        await answer(scope, receive, secured)

    def _judge(self, method: str, path: str, headers: Headers) -> tuple[HTTPStatus, Problem] | None:
        host = headers.get("host", "")
        if self._rules.door is None and _name_in(host) not in self._rules.hosts:
            return HTTPStatus.FORBIDDEN, Problem("only localhost is answered here", "NW-9662")
        if method == "POST" and path in self._rules.posting:
            origin = headers.get("origin")
            if origin is not None and _authority(origin) != host:
                return HTTPStatus.FORBIDDEN, Problem("another page may not ask this", "NW-9662")
            return None
        if method not in _READING:
            said = Problem("only GET is answered here: nothing can be changed", "NW-9662")
            return HTTPStatus.METHOD_NOT_ALLOWED, said
        return None

    async def _ask_door(self, path: str, headers: Headers) -> tuple[HTTPStatus, Problem] | None:
        door = self._rules.door
        if door is None or path in self._rules.open_paths:
            return None
        kind, _, token = headers.get("authorization", "").partition(" ")
        said = await door.judge(token.strip() if kind.lower() == "bearer" else "")
        return _SAID.get(said)


def _name_in(host: str) -> str:
    """Give the name of a Host header without its port."""
    name, colon, port = host.rpartition(":")
    return name.lower() if colon and port.isdecimal() and name else host.lower()


def _authority(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
