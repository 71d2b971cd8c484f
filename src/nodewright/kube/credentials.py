"""Credentials that stay fresh: token files that rotate, and exec plugins whose answers expire.

A token file is read again once a minute, as the kubelet replaces it well before it expires. A
plugin is asked again shortly before its answer expires, or when the server no longer believes it. A
plugin may answer with a client certificate; then the connection itself has to be made anew, which
`generation` tells.
"""

import asyncio
import base64
import json
import os
from typing import Final

import msgspec

from nodewright.kube.access import Access, ExecPlugin
from nodewright.kube.machine import Counter
from nodewright.model.errors import UserError
from nodewright.model.instant import BadInstant, parse_instant

_REREAD_MS: Final = 60_000
_EARLY_MS: Final = 30_000
_PLUGIN_LIMIT_S: Final = 60.0
PLUGIN_FAILED: Final = "NW-9402"


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    token: str = ""
    expiration_timestamp: str | None = None
    client_certificate_data: str = ""
    client_key_data: str = ""


class _ExecCredential(msgspec.Struct, frozen=True, rename="camel"):
    status: _Status | None = None


class Credentials:
    """Who we are, as headers and as a certificate, at any moment."""

    def __init__(self, access: Access, clock: Counter) -> None:
        self._access = access
        self._clock = clock
        self._token = ""
        self._stale_at_ms: int | None = 0
        self._expires_now_ms: int | None = None
        self._lock = asyncio.Lock()
        self.certificate: tuple[bytes, bytes] | None = None
        self.generation = 0

    async def headers(self) -> dict[str, str]:
        """Give the headers that say who we are."""
        user = self._access.user
        if user.basic and not user.plugin:
            pair = f"{user.basic[0]}:{user.basic[1]}".encode()
            return {"Authorization": "Basic " + base64.b64encode(pair).decode()}
        if user.plugin or user.token:
            async with self._lock:
                if self._is_stale():
                    await self._refresh()
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}

    def distrust(self) -> None:
        """Forget what the server has refused, so that the next request reads anew."""
        self._stale_at_ms = 0

    def _is_stale(self) -> bool:
        if self._stale_at_ms is not None and self._clock.ticks_ms() >= self._stale_at_ms:
            return True
        # An expiry is written by the calendar and must be compared with it.
        expires_ms = self._expires_now_ms
        return expires_ms is not None and self._clock.now_ms() >= expires_ms - _EARLY_MS

    async def _refresh(self) -> None:
        user = self._access.user
        if user.plugin is None:
            self._token = user.token.read().decode().strip()
            self._stale_at_ms = self._clock.ticks_ms() + _REREAD_MS if user.token.path else None
            return
        status = await _ask_plugin(user.plugin, self._access)
        self._token = status.token
        self._stale_at_ms = None
        self._expires_now_ms = _read_expiry(status, user.plugin)
        if status.client_certificate_data:
            pair = (status.client_certificate_data.encode(), status.client_key_data.encode())
            if pair != self.certificate:
                self.certificate = pair
                self.generation += 1


def _read_expiry(status: _Status, plugin: ExecPlugin) -> int | None:
    if status.expiration_timestamp is None:
        return None
    try:
        return parse_instant(status.expiration_timestamp)
    except BadInstant as error:
        raise _plugin_error(plugin, f"its expirationTimestamp is wrong: {error}") from None


async def _ask_plugin(plugin: ExecPlugin, access: Access) -> _Status:
    environment = dict(os.environ) | dict(plugin.env)
    environment["KUBERNETES_EXEC_INFO"] = _exec_info(plugin, access)
    try:
        process = await asyncio.create_subprocess_exec(
            plugin.command,
            *plugin.args,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise _plugin_error(plugin, f"cannot be started: {error.strerror}") from None
    try:
        async with asyncio.timeout(_PLUGIN_LIMIT_S):
            said, complaint = await process.communicate()
    except TimeoutError:
        raise _plugin_error(plugin, f"did not answer within {_PLUGIN_LIMIT_S:.0f} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        lines = complaint.decode(errors="replace").strip().splitlines() or ["without a word"]
        raise _plugin_error(plugin, f"failed with status {process.returncode}: {lines[-1]}")
    try:
        answer = msgspec.json.decode(said, type=_ExecCredential)
    except msgspec.DecodeError as error:
        raise _plugin_error(plugin, f"did not print an ExecCredential: {error}") from None
    if answer.status is None or not (answer.status.token or answer.status.client_certificate_data):
        raise _plugin_error(plugin, "printed neither a token nor a certificate")
    return answer.status


def _exec_info(plugin: ExecPlugin, access: Access) -> str:
    spec: dict[str, object] = {"interactive": False}
    if plugin.provide_cluster_info:
        cluster: dict[str, object] = {"server": access.server}
        if access.authority:
            encoded = base64.b64encode(access.authority.read()).decode()
            cluster["certificate-authority-data"] = encoded
        if access.tls_server_name:
            cluster["tls-server-name"] = access.tls_server_name
        spec["cluster"] = cluster
    return json.dumps({"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec})


def _plugin_error(plugin: ExecPlugin, problem: str) -> UserError:
    shown = " ".join((plugin.command, *plugin.args))
    return UserError(
        f"the credential program of the kubeconfig {problem}",
        code=PLUGIN_FAILED,
        where=shown,
        advice=plugin.install_hint or f"run `{shown}` by hand and mend what it says",
    )
