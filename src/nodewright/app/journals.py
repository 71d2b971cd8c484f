"""Where commands find a journal: in a folder, or behind the API of a running controller.

That API listens on the loopback address of its pod. Where neither a folder nor an address is named, the
controller of the live cluster is asked, through the API server's own port-forward.
"""

import asyncio
import gzip
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote

import httpx2
import msgspec

from nodewright.core.disruption.cost import Prices
from nodewright.journal.api import PORT
from nodewright.journal.documents import FoundDocument, ListDocument, read_entry, read_found
from nodewright.journal.reading import Filter, Found, Journal, Listing
from nodewright.kube.access import Access, find_access
from nodewright.kube.client import Client, Reply
from nodewright.kube.forwarding import NO_CONTROLLER, ask_pod, find_controller
from nodewright.kube.machine import this_machine
from nodewright.model.errors import UserError
from nodewright.model.instance import NanoUSD
from nodewright.model.instant import print_instant
from nodewright.model.resource import Ref

_LIMIT_S: Final = 60.0
_ADVICE: Final = "without --api the controller is asked through the Kubernetes API"


class Source(msgspec.Struct, frozen=True):
    """Whose decisions: a folder's, an address's, or those of a cluster's controller."""

    journal: str = ""
    api: str = ""
    kubeconfig: str = ""
    context: str = ""


class Decisions(Protocol):
    """A journal that can be asked."""

    def entries(self, wanted: Filter) -> Listing:
        """Give the decisions that are wanted."""
        ...

    def find(self, name: str) -> Found:
        """Give a decision with its World."""
        ...


class Remote(ABC):
    """The API of a running controller, however it is reached."""

    def __init__(self, where: str) -> None:
        self.where = where

    @abstractmethod
    def ask(self, path: str) -> bytes:
        """Give what the API answers; anything but an answer is one sentence."""

    def entries(self, wanted: Filter) -> Listing:
        """Give the decisions that are wanted."""
        asked = {
            "controller": wanted.controller,
            "subject": wanted.subject,
            "node": wanted.about.node,
            "pod": wanted.about.pod,
            "pool": wanted.about.pool,
            "since": print_instant(wanted.since_ms) if wanted.since_ms else "",
            "before": print_instant(wanted.before_ms) if wanted.before_ms else "",
            "kind": ",".join(sorted(wanted.kinds)),
            "limit": str(wanted.limit),
        }
        query = "&".join(f"{name}={quote(value)}" for name, value in asked.items() if value)
        written = self._decode(self.ask(f"/decisions?{query}"), ListDocument)
        return Listing(tuple(map(read_entry, written.decisions)), written.problems)

    def find(self, name: str) -> Found:
        """Give a decision with its World."""
        written = self._decode(self.ask(f"/decisions/{quote(name)}"), FoundDocument)
        return read_found(written, self._unpack(self.ask(f"/snapshot?decision={quote(name)}")))

    def snapshot(self) -> bytes:
        """Give the snapshot of what the controller sees now."""
        return self._unpack(self.ask("/snapshot"))

    def _unpack(self, data: bytes) -> bytes:
        try:
            return gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise UserError(
                f"this is not the API of a controller: {error}",
                code=NO_CONTROLLER,
                where=self.where,
            ) from None

    def _decode[T](self, data: bytes, shape: type[T]) -> T:
        try:
            return msgspec.json.decode(data, type=shape)
        except msgspec.DecodeError as error:
            raise UserError(
                f"this is not the API of a controller: {error}",
                code=NO_CONTROLLER,
                where=self.where,
            ) from None


class Api(Remote):
    """The API at an address."""

    def ask(self, path: str) -> bytes:
        """Give what the API answers; anything but an answer is one sentence."""
        address = f"{self.where.rstrip('/')}{path}"
        try:
            reply = httpx2.get(address, timeout=_LIMIT_S, trust_env=False)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise UserError(
                f"the controller's API cannot be reached: {error or type(error).__name__}",
                code=NO_CONTROLLER,
                where=self.where,
                advice=_ADVICE,
            ) from None
        if not reply.is_success:
            raise UserError(reply.text.strip(), code=NO_CONTROLLER, where=address)
        return reply.content


class Forwarded(Remote):
    """The API of the controller of a cluster, through the API server."""

    def __init__(self, access: Access, port: int = PORT) -> None:
        super().__init__(access.context or access.server)
        self._access = access
        self._port = port
        self._pod: Ref | None = None

    def ask(self, path: str) -> bytes:
        """Give what the API answers; anything but an answer is one sentence."""
        reply = asyncio.run(self._ask(path))
        if not reply.is_good:
            said = reply.body.decode(errors="replace").strip()
            raise UserError(said, code=NO_CONTROLLER, where=self.where)
        return reply.body

    async def _ask(self, path: str) -> Reply:
        client = Client(self._access, this_machine())
        try:
            if self._pod is None:
                self._pod = await find_controller(client)
            return await ask_pod(client, self._pod, self._port, path)
        finally:
            await client.close()


def open_journal(source: Source, environment: Mapping[str, str]) -> Decisions:
    """Give the journal that was named, or the one of the cluster; naming two is one sentence."""
    if source.journal and source.api:
        raise UserError(
            "only one of --journal and --api can say whose decisions are meant",
            code=NO_CONTROLLER,
            advice=_ADVICE,
        )
    if source.journal:
        return Journal(Path(source.journal))
    if source.api:
        return Api(source.api)
    return Forwarded(find_access(environment, source.kubeconfig or None, source.context or None))


class PriceBook:
    """What nodes cost in the Worlds of a journal; a World is opened once, and one that is lost has no prices."""

    def __init__(self, journal: Decisions) -> None:
        self._journal = journal
        self._prices: dict[str, Prices | None] = {}

    def price_of(self, decision: str, labels: Mapping[str, str]) -> NanoUSD | None:
        """Give what a node with these labels cost when something was decided."""
        if decision not in self._prices:
            try:
                self._prices[decision] = Prices(self._journal.find(decision).open().world)
            except UserError:
                self._prices[decision] = None
        prices = self._prices[decision]
        return None if prices is None else prices.of(labels)
