"""Doors: who may look. On loopback there is none; where others can reach the port, a token is needed.

A token is either one that was agreed on, or one of the cluster's own: then the API server says whose it is
(TokenReview) and whether that one may look (SubjectAccessReview on a path of ours, which a ClusterRole
grants). What it said is remembered for a minute, by a hash of the token.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Callable
from enum import Enum
from typing import Final, Protocol

import msgspec

from nodewright.kube.client import Client, Request, Unreachable

PATH: Final = "/nodewright/dashboard"
"""The path on which whoever looks needs the verb `get`."""

TOKEN_MAX: Final = 16_384
_REMEMBERED_MAX: Final = 1_000
_GRANTED_MS: Final = 60_000
_REFUSED_MS: Final = 5_000
_AT_ONCE: Final = 4
_REVIEW_S: Final = 10.0
_TOKEN_REVIEWS: Final = "/apis/authentication.k8s.io/v1/tokenreviews"  # noqa: S105 - a path.
_ACCESS_REVIEWS: Final = "/apis/authorization.k8s.io/v1/subjectaccessreviews"

type Now = Callable[[], int]


class Admission(Enum):
    """What the door says."""

    GRANTED = "granted"
    UNKNOWN = "unknown"
    FORBIDDEN = "forbidden"
    UNDECIDED = "undecided"


class Door(Protocol):
    """Somebody who says who may look."""

    async def judge(self, token: str) -> Admission:
        """Judge a token; an empty one is none."""
        ...


class TokenDoor:
    """Lets in whoever knows the token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def judge(self, token: str) -> Admission:
        """Judge a token; how long that takes says nothing about it."""
        is_known = hmac.compare_digest(token.encode(), self._token)
        return Admission.GRANTED if token and is_known else Admission.UNKNOWN


class _User(msgspec.Struct, frozen=True):
    username: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: dict[str, tuple[str, ...]] = {}


class _TokenStatus(msgspec.Struct, frozen=True):
    authenticated: bool = False
    user: _User = _User()


class _TokenReview(msgspec.Struct, frozen=True):
    status: _TokenStatus = _TokenStatus()


class _AccessStatus(msgspec.Struct, frozen=True):
    allowed: bool = False


class _AccessReview(msgspec.Struct, frozen=True):
    status: _AccessStatus = _AccessStatus()


class ReviewDoor:
    """Lets in whom the cluster knows and lets look."""

    def __init__(self, client: Client, now_ms: Now) -> None:
        self._client = client
        self._now_ms = now_ms
        self._known: dict[bytes, tuple[int, Admission]] = {}
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def judge(self, token: str) -> Admission:
        """Judge a token, by what the API server says of it."""
        if not token or len(token) > TOKEN_MAX:
            return Admission.UNKNOWN
        key = hashlib.blake2b(token.encode(), digest_size=32).digest()
        async with self._turn:
            until_ms, said = self._known.get(key, (0, Admission.UNKNOWN))
            if self._now_ms() < until_ms:
                return said
            said = await self._review(token)
        if said is not Admission.UNDECIDED:
            self._remember(key, said)
        return said

    def _remember(self, key: bytes, said: Admission) -> None:
        if len(self._known) >= _REMEMBERED_MAX:
            del self._known[next(iter(self._known))]
        lasts_ms = _GRANTED_MS if said is Admission.GRANTED else _REFUSED_MS
        self._known[key] = (self._now_ms() + lasts_ms, said)

    async def _review(self, token: str) -> Admission:
        spoken = _review("authentication", "TokenReview", {"token": token})
        whose = await self._ask(_TOKEN_REVIEWS, spoken, _TokenReview)
        if whose is None:
            return Admission.UNDECIDED
        if not whose.status.authenticated:
            return Admission.UNKNOWN
        user = whose.status.user
        about = {
            "user": user.username,
            "uid": user.uid,
            "groups": user.groups,
            "extra": user.extra,
            "nonResourceAttributes": {"path": PATH, "verb": "get"},
        }
        spoken = _review("authorization", "SubjectAccessReview", about)
        access = await self._ask(_ACCESS_REVIEWS, spoken, _AccessReview)
        if access is None:
            return Admission.UNDECIDED
        return Admission.GRANTED if access.status.allowed else Admission.FORBIDDEN

    async def _ask[T](self, path: str, body: bytes, kind: type[T]) -> T | None:
        """Ask the API server; nothing where it does not say."""
        try:
            reply = await self._client.ask(Request("POST", path, body=body, limit_s=_REVIEW_S))
        except Unreachable:
            return None
        return msgspec.json.decode(reply.body, type=kind) if reply.is_good else None


def _review(group: str, kind: str, spec: object) -> bytes:
    return msgspec.json.encode({"apiVersion": f"{group}.k8s.io/v1", "kind": kind, "spec": spec})
