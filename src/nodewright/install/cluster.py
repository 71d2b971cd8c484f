"""The cluster as an installation needs it: objects read, put, changed and taken away by their paths.

`Objects` is the promise; `KubeObjects` keeps it through the Kubernetes client. Objects are put by
server-side apply, so that fields which others own stay theirs unless ours differ.
"""

import base64
import re
from http import HTTPStatus
from typing import Final, Protocol

import msgspec

from nodewright.install.found import Json
from nodewright.install.resources.objects import path_of
from nodewright.install.rights import Right, refusal
from nodewright.kube.answers import judge
from nodewright.kube.client import Client, Reply, Request, Unreachable
from nodewright.kube.session import greet
from nodewright.model.errors import UserError

REFUSED: Final = "NW-9716"
_BUSY: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_PATIENCE_MS: Final = 60_000
_PAUSE_MS: Final = 1_000
_MANAGER: Final = "nodewright-install"
_APPLY: Final = "application/apply-patch+yaml"
_MERGE: Final = "application/merge-patch+json"
_REVIEWS: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_MISSING: Final = re.compile(
    r'cannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?'
)


class Objects(Protocol):
    """A cluster's objects."""

    @property
    def server(self) -> str:
        """The address of the API server."""
        ...

    @property
    def authority(self) -> str:
        """The certificate authority, in base64; nothing where none is named."""
        ...

    async def version(self) -> str:
        """Give the version of the API server."""
        ...

    async def get(self, path: str) -> Json | None:
        """Give an object, or None where it or its kind is not there."""
        ...

    async def list(self, path: str) -> "list[Json]":
        """Give the objects of a kind; none where the kind is not known."""
        ...

    async def text(self, path: str) -> str:
        """Give what a path holds as text, such as a log; nothing where it is not there."""
        ...

    async def apply(self, document: Json) -> None:
        """Put an object there as it is written."""
        ...

    async def merge(self, path: str, patch: Json) -> None:
        """Change some fields of an object."""
        ...

    async def remove(self, path: str) -> None:
        """Take an object away; one that is gone already is fine."""
        ...

    async def evict(self, namespace: str, name: str) -> bool:
        """Ask a pod to go; tell whether its budgets let it."""
        ...

    async def allows(self, right: Right) -> bool:
        """Tell whether whoever asks has a right."""
        ...


class KubeObjects:
    """The objects of a cluster, through its API."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.server = client.access.server
        raw = client.access.authority.read() if client.access.authority else b""
        self.authority = base64.b64encode(raw).decode()

    async def version(self) -> str:
        """Give the version of the API server."""
        return await greet(self._client)

    async def get(self, path: str) -> Json | None:
        """Give an object, or None where it or its kind is not there."""
        reply = await self._ask(Request("GET", path))
        if reply.status == HTTPStatus.NOT_FOUND:
            return None
        found: Json = msgspec.json.decode(_good(reply, path).body)
        return found

    async def list(self, path: str) -> "list[Json]":
        """Give the objects of a kind; none where the kind is not known."""
        found = await self.get(path)
        items: list[Json] = (found or {}).get("items") or []
        return items

    async def text(self, path: str) -> str:
        """Give what a path holds as text, such as a log; nothing where it is not there."""
        reply = await self._ask(Request("GET", path))
        if reply.status == HTTPStatus.NOT_FOUND:
            return ""
        return _good(reply, path).body.decode(errors="replace")

    async def apply(self, document: Json) -> None:
        """Put an object there as it is written."""
        path = path_of(document)
        params = {"fieldManager": _MANAGER, "force": "true"}
        body = msgspec.json.encode(document)
        _good(await self._ask(Request("PATCH", path, params, body, _APPLY)), path)

    async def merge(self, path: str, patch: Json) -> None:
        """Change some fields of an object."""
        params = {"fieldManager": _MANAGER}
        request = Request("PATCH", path, params, msgspec.json.encode(patch), _MERGE)
        _good(await self._ask(request), path)

    async def remove(self, path: str) -> None:
        """Take an object away; one that is gone already is fine."""
        reply = await self._ask(Request("DELETE", path, {"propagationPolicy": "Background"}))
        if reply.status != HTTPStatus.NOT_FOUND:
            _good(reply, path)

    async def evict(self, namespace: str, name: str) -> bool:
        """Ask a pod to go; tell whether its budgets let it."""
        path = f"/api/v1/namespaces/{namespace}/pods/{name}/eviction"
        meta = {"namespace": namespace, "name": name}
        wanted = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": meta}
        # A budget answers as a busy server does: here that is an answer, not a reason to wait.
        reply = await self._try(Request("POST", path, {}, msgspec.json.encode(wanted)))
        if reply.status == HTTPStatus.TOO_MANY_REQUESTS:
            return False
        if reply.status != HTTPStatus.NOT_FOUND:
            _good(reply, path)
        return True

    async def allows(self, right: Right) -> bool:
        """Tell whether whoever asks has a right."""
        resource, _, part = right.resource.partition("/")
        wanted = {
            "group": right.group,
            "resource": resource,
            "subresource": part,
            "verb": right.verb,
            "namespace": right.namespace,
            "name": right.name,
        }
        kind = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
        body = msgspec.json.encode({**kind, "spec": {"resourceAttributes": wanted}})
        reply = _good(await self._ask(Request("POST", _REVIEWS, {}, body)), _REVIEWS)
        return bool(msgspec.json.decode(reply.body)["status"].get("allowed"))

    async def _try(self, request: Request) -> Reply:
        try:
            return await self._client.ask(request)
        except Unreachable as error:
            raise UserError(
                f"the cluster cannot be reached: {error}", code=REFUSED, where=self.server
            ) from None

    async def _ask(self, request: Request) -> Reply:
        """Ask, and ask again while the server only asks for patience, as after a new definition."""
        clock = self._client.machine.clock
        end_ms = clock.ticks_ms() + _PATIENCE_MS
        while True:
            reply = await self._try(request)
            if reply.status not in _BUSY or clock.ticks_ms() >= end_ms:
                return reply
            await clock.sleep_ms(reply.retry_after_ms or _PAUSE_MS)


def _good(reply: Reply, path: str) -> Reply:
    if reply.is_good:
        return reply
    said = judge(reply).message
    if missing := _MISSING.search(said):
        verb, resource, group, space = missing.groups()
        raise refusal([Right(group, resource, verb, space or "")], where=path)
    forbidden = reply.status in (HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED)
    raise UserError(
        f"the cluster refuses: {said}",
        code=REFUSED,
        where=path,
        advice="use a context of a cluster administrator" if forbidden else "",
    )
