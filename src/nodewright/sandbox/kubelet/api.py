"""The Kubernetes API as the kubelets and the cloud's part of the control plane use it."""

from http import HTTPStatus
from typing import Any, Final

import msgspec

from nodewright.kube.client import Client, Reply, Request, Unreachable
from nodewright.sandbox.kubelet.daemons import Daemon, read_daemon

_MERGE: Final = "application/strategic-merge-patch+json"
_NODES: Final = "/api/v1/nodes"
_AWS_AUTH: Final = "/api/v1/namespaces/kube-system/configmaps/aws-auth"
_PLUGIN_ACCOUNT: Final = "/api/v1/namespaces/kube-system/serviceaccounts/aws-node"
_ROLE_ANNOTATION: Final = "eks.amazonaws.com/role-arn"


class Surroundings(msgspec.Struct, frozen=True):
    """What of the cluster decides about its nodes."""

    version: str
    aws_auth: str | None
    daemons: tuple[Daemon, ...]
    plugin_has_role: bool


class Api:
    """One API server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def server(self) -> str:
        """Its address."""
        return self._client.access.server

    async def nodes(self) -> tuple[dict[str, Any], ...]:
        """Give all nodes."""
        return tuple((await self._get(_NODES))["items"])

    async def surroundings(self) -> Surroundings:
        """Give what of the cluster decides about its nodes."""
        version = await self._get("/version")
        aws_auth = await self._find(_AWS_AUTH)
        account = await self._find(_PLUGIN_ACCOUNT)
        daemons = (await self._get("/apis/apps/v1/daemonsets"))["items"]
        annotations = (account or {}).get("metadata", {}).get("annotations", {})
        return Surroundings(
            version=str(version["gitVersion"]),
            aws_auth=None if aws_auth is None else aws_auth.get("data", {}).get("mapRoles", ""),
            daemons=tuple(read_daemon(one) for one in daemons),
            plugin_has_role=_ROLE_ANNOTATION in annotations,
        )

    async def create(self, node: dict[str, Any]) -> bool:
        """Register a node, and tell whether that was done; one of that name is left as it is."""
        reply = await self._client.ask(Request("POST", _NODES, {}, msgspec.json.encode(node)))
        _check(reply, HTTPStatus.CONFLICT)
        return reply.status != HTTPStatus.CONFLICT

    async def patch(self, name: str, change: dict[str, Any], part: str = "") -> None:
        """Change a node, or one of its subresources; one that is gone is left alone."""
        path = f"{_NODES}/{name}/{part}".rstrip("/")
        body = msgspec.json.encode(change)
        _check(
            await self._client.ask(Request("PATCH", path, {}, body, _MERGE)), HTTPStatus.NOT_FOUND
        )

    async def delete(self, name: str) -> None:
        """Remove a node, or ask for it where finalizers hold it."""
        _check(await self._client.ask(Request("DELETE", f"{_NODES}/{name}")), HTTPStatus.NOT_FOUND)

    async def _get(self, path: str) -> dict[str, Any]:
        reply = await self._client.ask(Request("GET", path))
        _check(reply)
        return msgspec.json.decode(reply.body, type=dict[str, Any])

    async def _find(self, path: str) -> dict[str, Any] | None:
        reply = await self._client.ask(Request("GET", path))
        if reply.status == HTTPStatus.NOT_FOUND:
            return None
        _check(reply)
        return msgspec.json.decode(reply.body, type=dict[str, Any])


def _check(reply: Reply, *fine: HTTPStatus) -> None:
    if not reply.is_good and reply.status not in fine:
        said = reply.body[:300].decode(errors="replace")
        raise Unreachable(f"the API server answered {reply.status}: {said}")
