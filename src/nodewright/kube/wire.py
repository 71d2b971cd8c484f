"""What the API server writes: pages of a list, lines of a watch, and Status objects.

Objects are cut out of a page or line undecoded and read straight into their narrow struct, which is
where the speed comes from. Kubernetes writes null for "not there" in places where our structs know
only absence: an object that does not fit is read once more without its nulls. If it still does not
fit it becomes `Unreadable`, and spoils only itself.
"""

from typing import Any, Final

import msgspec

from nodewright.kube.sharing import Pool
from nodewright.model.metadata import ObjectMeta
from nodewright.model.resource import Object, Resource, key_of
from nodewright.state.mirror import Unreadable

ADDED: Final = "ADDED"
MODIFIED: Final = "MODIFIED"
DELETED: Final = "DELETED"
BOOKMARK: Final = "BOOKMARK"
ERROR: Final = "ERROR"
INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"


class _Json(msgspec.Struct, frozen=True, rename="camel"):
    """Fields as the API writes them."""


class _ListMeta(_Json, frozen=True):
    resource_version: str = ""
    continue_token: str = msgspec.field(default="", name="continue")


class Page(_Json, frozen=True):
    """One page of a list, its objects not yet read."""

    metadata: _ListMeta = _ListMeta()
    items: list[msgspec.Raw] | None = None


class Line(_Json, frozen=True):
    """One line of a watch, its object not yet read."""

    type: str
    object: msgspec.Raw


class Details(_Json, frozen=True):
    """What a refusal adds."""

    retry_after_seconds: int | None = None
    causes: list[dict[str, Any]] | None = None


class Status(_Json, frozen=True):
    """A refusal in the server's words."""

    code: int = 0
    reason: str = ""
    message: str = ""
    details: Details | None = None


class Header(_Json, frozen=True):
    """Just the name and version of an object."""

    metadata: ObjectMeta = ObjectMeta()


_PAGE: Final = msgspec.json.Decoder(Page)
_LINE: Final = msgspec.json.Decoder(Line)
_STATUS: Final = msgspec.json.Decoder(Status)
_HEADER: Final = msgspec.json.Decoder(Header)


def read_page(body: bytes) -> Page:
    """Read one page of a list."""
    return _PAGE.decode(body)


def read_line(line: bytes) -> Line:
    """Read one line of a watch."""
    return _LINE.decode(line)


def read_status(body: bytes | msgspec.Raw) -> Status:
    """Read a refusal; what is none gives its text as the message."""
    try:
        return _STATUS.decode(body)
    except msgspec.DecodeError:
        return Status(message=bytes(body)[:500].decode(errors="replace").strip())


def read_header(body: bytes | msgspec.Raw) -> Header:
    """Read the name and version of any object."""
    return _HEADER.decode(body)


class Reader[T: Object]:
    """Reads the objects of one kind."""

    def __init__(self, resource: Resource[T]) -> None:
        self._struct = resource.struct
        self._decoder = msgspec.json.Decoder(resource.struct)
        self._pool = Pool()

    def read(self, raw: msgspec.Raw) -> T | Unreadable:
        """Give the object, or say why it does not fit."""
        try:
            thing = self._decoder.decode(raw)
        except msgspec.ValidationError:
            return self._read_again(raw)
        self._pool.share(thing)
        return thing

    def _read_again(self, raw: msgspec.Raw) -> T | Unreadable:
        plain = _without_nulls(msgspec.json.decode(raw))
        try:
            return msgspec.convert(plain, self._struct)
        except msgspec.ValidationError as error:
            meta = read_header(raw).metadata
            return Unreadable(key_of(meta), meta.resource_version, str(error))


def _without_nulls(value: Any) -> Any:
    match value:
        case dict():
            return {name: _without_nulls(each) for name, each in value.items() if each is not None}
        case list():
            return [_without_nulls(each) for each in value]
        case _:
            return value
