"""Replies: JSON with an ETag, packed where the client takes that; and refusals in one sentence.

What a reply says is written and packed once for all who ask while nothing has changed.
"""

import gzip
import hashlib
from http import HTTPStatus
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from nodewright.web.answers.shared import Answer, Problem

JSON: Final = "application/json"
_PACK_LEVEL: Final = 4
_PACKED_FROM_BYTES: Final = 1_000
_ALLOWED: Final = "GET, HEAD"


class Body(msgspec.Struct, frozen=True):
    """What is sent: as it is, packed, and by which mark it is known again."""

    plain: bytes
    packed: bytes | None
    mark: str
    media: str = JSON

    @property
    def size(self) -> int:
        """How many bytes it takes in memory."""
        return len(self.plain) + len(self.packed or b"")


def write_body(plain: bytes, media: str = JSON) -> Body:
    """Make a body, packed where that is worth it."""
    packed = None
    if len(plain) >= _PACKED_FROM_BYTES:
        packed = gzip.compress(plain, _PACK_LEVEL, mtime=0)
    mark = hashlib.blake2b(plain, digest_size=12).hexdigest()
    return Body(plain, packed, mark, media)


def write_answer(answer: Answer) -> Body:
    """Make the body of an answer."""
    return write_body(msgspec.json.encode(answer))


def reply(request: Request, body: Body, caching: str = "no-cache") -> Response:
    """Reply with a body, or with the news that the client has it already."""
    headers = {
        "ETag": f'W/"{body.mark}"',
        "Cache-Control": caching,
        "Vary": "Accept-Encoding, Authorization",
    }
    if _has_mark(request.headers.get("if-none-match", ""), body.mark):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    content = body.plain
    if body.packed is not None and _takes_gzip(request.headers.get("accept-encoding", "")):
        content, headers["Content-Encoding"] = body.packed, "gzip"
    return Response(content, media_type=body.media, headers=headers)


def refuse(status: HTTPStatus, problem: Problem) -> Response:
    """Say in one sentence why there is no answer."""
    headers = {"Cache-Control": "no-store"}
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = _ALLOWED
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="nodewright"'
    if status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        headers["Retry-After"] = "2"
    return Response(msgspec.json.encode(problem), status, headers, JSON)


def _has_mark(said: str, mark: str) -> bool:
    marks = (one.strip().removeprefix("W/").strip('"') for one in said.split(","))
    return any(one in (mark, "*") for one in marks)


def _takes_gzip(said: str) -> bool:
    for one in said.lower().split(","):
        name, _, weight = one.partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
