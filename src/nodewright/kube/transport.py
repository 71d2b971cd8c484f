"""Connections: trust, client certificates, proxies and dead peers.

Certificates and authorities may be replaced on disk while we run. A pool of connections remembers
what it was made from; when that has changed, a new pool takes over and the old one is closed after
its last request, so that a rotation breaks nothing.
"""

import ipaddress
import os
import socket
import ssl
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx2

from nodewright.kube.access import NO_ACCESS, Access
from nodewright.model.errors import UserError

_CONNECTIONS_MAX: Final = 128
# Making a connection costs more than a request: those of a storm are kept for the next one.
_IDLE_MAX: Final = 64
_IDLE_S: Final = 30.0
# A peer that vanished without a word is noticed after about half a minute.
_KEEPALIVE: Final = tuple(
    (level, getattr(socket, name), value)
    for level, name, value in (
        (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
        (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 15),
        (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 5),
        (socket.IPPROTO_TCP, "TCP_KEEPCNT", 3),
        (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
    )
    if hasattr(socket, name)
)


class Pool:
    """Connections that share one trust and one certificate."""

    def __init__(self, access: Access, certificate: tuple[bytes, bytes] | None) -> None:
        self.stamp = stamp_of(access, certificate)
        proxy = choose_proxy(access, os.environ)
        try:
            self.transport = httpx2.AsyncHTTPTransport(
                verify=make_context(access, certificate),
                limits=httpx2.Limits(
                    max_connections=_CONNECTIONS_MAX,
                    max_keepalive_connections=_IDLE_MAX,
                    keepalive_expiry=_IDLE_S,
                ),
                proxy=proxy or None,
                socket_options=_KEEPALIVE,
            )
        except ValueError as error:
            raise UserError(
                f"the proxy cannot be used: {error}", code=NO_ACCESS, where=proxy
            ) from None
        self.http = httpx2.AsyncClient(base_url=access.server, transport=self.transport)
        self.user_count = 0
        self.retired = False

    async def leave(self) -> None:
        """End one use; the last one closes a pool that another has replaced."""
        self.user_count -= 1
        if self.retired and self.user_count == 0:
            await self.http.aclose()

    async def retire(self) -> None:
        """Close as soon as nobody uses it."""
        self.retired = True
        if self.user_count == 0:
            await self.http.aclose()


def stamp_of(access: Access, certificate: tuple[bytes, bytes] | None) -> tuple[object, ...]:
    """Give what a pool is made from, to be compared."""
    user = access.user
    return (
        access.authority.stamp(),
        user.certificate.stamp(),
        user.key.stamp(),
        certificate,
    )


def make_context(access: Access, certificate: tuple[bytes, bytes] | None) -> ssl.SSLContext:
    """Say whom to trust and which certificate to show."""
    try:
        context = ssl.create_default_context(
            cadata=access.authority.read().decode() if access.authority else None
        )
    except (ssl.SSLError, ValueError) as error:
        raise UserError(
            f"the certificate authority of the cluster cannot be read: {error}",
            code=NO_ACCESS,
            where=access.authority.path or access.context,
        ) from None
    if access.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    user = access.user
    pair = certificate
    if pair is None and user.certificate:
        pair = (user.certificate.read(), user.key.read())
    if pair is not None:
        _load_pair(context, pair, user.certificate.path or access.context)
    return context


def _load_pair(context: ssl.SSLContext, pair: tuple[bytes, bytes], where: str) -> None:
    # The ssl module reads certificates from files only; these exist for a moment, for us alone.
    with tempfile.TemporaryDirectory(prefix="nodewright-") as folder:
        certificate, key = Path(folder) / "tls.crt", Path(folder) / "tls.key"
        for path, content in ((certificate, pair[0]), (key, pair[1])):
            path.touch(mode=0o600)
            path.write_bytes(content)
        try:
            context.load_cert_chain(certificate, key)
        except (ssl.SSLError, OSError) as error:
            raise UserError(
                f"the client certificate or its key cannot be read: {error}",
                code=NO_ACCESS,
                where=where,
            ) from None


def choose_proxy(access: Access, environment: Mapping[str, str]) -> str:
    """Give the proxy to go through: the kubeconfig's, the environment's, or none."""
    if access.proxy_url:
        return access.proxy_url
    target = urlsplit(access.server)
    host = target.hostname or ""
    proxy = _read_either(environment, f"{target.scheme}_proxy")
    if not proxy or _is_local(host):
        return ""
    exempt = _read_either(environment, "no_proxy").split(",")
    return "" if any(_exempts(rule.strip(), host) for rule in exempt) else proxy


def _read_either(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name.upper()) or environment.get(name, "")


def _is_local(host: str) -> bool:
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _exempts(rule: str, host: str) -> bool:
    if rule == "*":
        return True
    address = _address(host)
    if address is None:
        suffix = rule.removeprefix("*").removeprefix(".")
        return bool(suffix) and (host == suffix or host.endswith("." + suffix))
    try:
        return address in ipaddress.ip_network(rule, strict=False)
    except ValueError:
        return False


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
