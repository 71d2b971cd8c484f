"""Records: what one line of a journal holds.

A look is one World and everything that a controller decided on it. The World is not in its line: the
sheets of the lines before it are. A sheet is one field of a World as the difference to the sheet of
the same field before it, so a cluster of which little changes takes little room. The name of a sheet
is a hash of what it holds, and so is the name of a World: equal ones are stored once.
"""

from typing import Final

import msgspec

from nodewright.model.decision import Basis

EMPTY: Final = ""


class Record(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="record"):
    """One line."""


class Sheet(Record, frozen=True, tag="sheet"):
    """A field of a World: what is to be put and taken away to get from one to the next.

    The objects stand in the order of their keys, or in the order that is written.
    """

    field: str
    name: str
    base: str = EMPTY
    put: dict[str, msgspec.Raw] = {}
    gone: tuple[str, ...] = ()
    order: tuple[str, ...] | None = None


class WorldRef(msgspec.Struct, frozen=True, rename="camel"):
    """A World by the names of its sheets, with what is no object."""

    name: str
    sheets: dict[str, str]
    pools: dict[str, str]
    options: msgspec.Raw
    state: msgspec.Raw


class Look(Record, frozen=True, tag="look"):
    """One look at a World: when, why, how long deciding took, and a hash of the whole answer."""

    id: str
    controller: str
    at_ms: int
    cause: str
    duration_ms: int
    count: int
    answer: str
    world: WorldRef


class Decided(Record, frozen=True, tag="decision"):
    """One decision that is new; `content` is what its kind holds beside what all have."""

    id: str
    look: str
    at_ms: int
    controller: str
    kind: str
    subject: str
    reason: str
    uid: str = ""
    note: str = ""
    cause: str = ""
    basis: Basis = ()
    content: dict[str, object] = {}


class CameOf(Record, frozen=True, tag="outcome"):
    """What came of acting on a decision."""

    id: str
    at_ms: int
    outcome: str
    message: str = ""
    duration_ms: int = 0


type Line = Sheet | Look | Decided | CameOf

_READER: Final[msgspec.json.Decoder[Line]] = msgspec.json.Decoder(Sheet | Look | Decided | CameOf)


def write_line(record: Line) -> bytes:
    """Write a record as one line."""
    return msgspec.json.encode(record, order="deterministic") + b"\n"


def read_line(line: bytes) -> Line:
    """Read one line; what is none raises msgspec.DecodeError."""
    return _READER.decode(line)
