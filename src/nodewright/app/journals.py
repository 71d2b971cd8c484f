"""Where commands find a journal: in a folder, or behind the API of a running controller."""

import gzip
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote

import httpx2
import msgspec

from nodewright.journal.documents import FoundDocument, ListDocument, read_entry, read_found
from nodewright.journal.reading import Filter, Found, Journal, Listing
from nodewright.model.errors import UserError
from nodewright.model.instant import print_instant

_LIMIT_S: Final = 60.0
_CODE: Final = "NW-9604"
_ADVICE: Final = "kubectl -n nodewright port-forward deploy/nodewright 8082 makes it reachable"


class Decisions(Protocol):
    """A journal that can be asked."""

    def entries(self, wanted: Filter) -> Listing:
        """Give the decisions that are wanted."""
        ...

    def find(self, name: str) -> Found:
        """Give a decision with its World."""
        ...


class Api(msgspec.Struct, frozen=True):
    """The API of a running controller."""

    url: str

    def entries(self, wanted: Filter) -> Listing:
        """Give the decisions that are wanted."""
        asked = {
            "controller": wanted.controller,
            "subject": wanted.subject,
            "since": print_instant(wanted.since_ms) if wanted.since_ms else "",
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

    def ask(self, path: str) -> bytes:
        """Give what the API answers; anything but an answer is one sentence."""
        address = f"{self.url.rstrip('/')}{path}"
        try:
            reply = httpx2.get(address, timeout=_LIMIT_S, trust_env=False)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise UserError(
                f"the controller's API cannot be reached: {error or type(error).__name__}",
                code=_CODE,
                where=self.url,
                advice=_ADVICE,
            ) from None
        if not reply.is_success:
            raise UserError(reply.text.strip(), code=_CODE, where=address)
        return reply.content

    def _unpack(self, data: bytes) -> bytes:
        try:
            return gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise UserError(
                f"this is not the API of a controller: {error}", code=_CODE, where=self.url
            ) from None

    def _decode[T](self, data: bytes, shape: type[T]) -> T:
        try:
            return msgspec.json.decode(data, type=shape)
        except msgspec.DecodeError as error:
            raise UserError(
                f"this is not the API of a controller: {error}", code=_CODE, where=self.url
            ) from None


def open_journal(folder: str, api: str) -> Decisions:
    """Give the journal that was named; naming none, or two, is one sentence."""
    if bool(folder) == bool(api):
        raise UserError(
            "one of --journal and --api says whose decisions are meant",
            code=_CODE,
            advice=_ADVICE,
        )
    return Api(api) if api else Journal(Path(folder))
