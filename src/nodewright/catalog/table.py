"""The EC2 table: what each instance type is, and what each region sells at which price.

A type's shape is the same everywhere and stands once. A region's sheet names the types it sells, in
which zones, for how much, and where that price is from. All of it lies in one file: a magic word, a
header with the sources and the place of each part, then the parts, each compressed on its own, so
that a command that looks at one region decodes that region only. Prices are whole nano-units of
the sheet's currency per hour; a price that was derived and not quoted is marked as an estimate.
"""

import zlib
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

import msgspec

from nodewright.model.errors import UserError

MAGIC: Final = b"nodewright-ec2-1"
UNKNOWN_PRICE: Final = -1
_LENGTH_BYTES: Final = 4
_BUNDLED: Final = Path(__file__).with_name("ec2.table")


class Gpu(msgspec.Struct, frozen=True, array_like=True):
    """One kind of GPU (or Gaudi) in a type."""

    name: str
    manufacturer: str
    count: int
    memory_mib: int


class NeuronDevice(msgspec.Struct, frozen=True, array_like=True):
    """One kind of AWS Neuron device in a type."""

    name: str
    count: int
    cores: int


class Accelerator(msgspec.Struct, frozen=True, array_like=True):
    """One kind of inference accelerator in a type."""

    name: str
    manufacturer: str
    count: int


class Shape(msgspec.Struct, frozen=True, array_like=True):
    """What an instance type is, in any region. Zero and empty mean that EC2 names nothing."""

    name: str
    vcpu: int
    memory_mib: int
    arch: str
    manufacturer: str
    clock_mhz: int
    hypervisor: str
    encrypts_in_transit: bool
    has_enclaves: bool
    usage_classes: tuple[str, ...]
    store_gb: int
    store_is_nvme: bool
    ebs_mbps: int
    network_mbps: int
    card_interfaces: tuple[int, ...]
    default_card: int
    ipv4_per_interface: int
    has_ena: bool
    efa_interfaces: int
    branch_interfaces: int
    gpus: tuple[Gpu, ...]
    neurons: tuple[NeuronDevice, ...]
    accelerators: tuple[Accelerator, ...]
    placements: tuple[str, ...]
    nests_virtualization: bool
    is_bare_metal: bool
    is_current: bool

    @property
    def family(self) -> str:
        """The part of the name before the dot: `m7g`."""
        return self.name.partition(".")[0]


class Source(msgspec.Struct, frozen=True, array_like=True):
    """Where facts of the table are from, and of which day."""

    what: str
    package: str
    date: str
    licence: str


class Sheet(msgspec.Struct, frozen=True, array_like=True):
    """What one region sells; the columns run side by side, one entry for each type sold.

    `zone_masks` has bit i set where the type is sold in `zones[i]`. `spot_prices` is empty where no
    spot price is known, else it has one price for each type and zone.
    """

    region: str
    currency: str
    zones: tuple[str, ...]
    zones_are_assumed: bool
    types: tuple[int, ...]
    zone_masks: tuple[int, ...]
    prices: tuple[int, ...]
    price_sources: tuple[int, ...]
    price_is_estimate: tuple[bool, ...]
    spot_prices: tuple[tuple[int, ...], ...] = ()
    spot_source: int | None = None


class _Part(msgspec.Struct, frozen=True, array_like=True):
    offset: int
    size: int


class _Header(msgspec.Struct, frozen=True, array_like=True):
    sources: tuple[Source, ...]
    shapes: _Part
    sheets: dict[str, _Part]


class Table:
    """An open table; each part is decoded when it is first asked for."""

    def __init__(self, header: _Header, body: bytes, where: str) -> None:
        self._header = header
        self._body = body
        self._where = where
        self._sheets: dict[str, Sheet] = {}

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where the facts are from, in the order that `price_sources` counts."""
        return self._header.sources

    @property
    def regions(self) -> tuple[str, ...]:
        """The regions that the table knows, in order of name."""
        return tuple(sorted(self._header.sheets))

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """Every type of the table."""
        return self._decode(self._header.shapes, tuple[Shape, ...])

    @cached_property
    def shapes_by_name(self) -> dict[str, Shape]:
        """Every type of the table, by its name."""
        return {shape.name: shape for shape in self.shapes}

    def sheet(self, region: str) -> Sheet:
        """Give what a region sells; an unknown region is a user's mistake."""
        known = self._sheets.get(region)
        if known is not None:
            return known
        part = self._header.sheets.get(region)
        if part is None:
            raise UserError(
                f"the instance catalog has no region {region!r}",
                code="NW-9301",
                advice=f"known regions: {', '.join(self.regions)}",
            )
        sheet = self._decode(part, Sheet)
        self._sheets[region] = sheet
        return sheet

    def _decode[T](self, part: _Part, kind: type[T]) -> T:
        packed = self._body[part.offset : part.offset + part.size]
        try:
            return msgspec.msgpack.decode(zlib.decompress(packed), type=kind)
        except (zlib.error, msgspec.MsgspecError) as error:
            raise _broken(self._where) from error


def write_table(
    sources: Sequence[Source], shapes: Sequence[Shape], sheets: Iterable[Sheet]
) -> bytes:
    """Give the bytes of a table file; the same facts always give the same bytes."""
    parts = bytearray()

    def put(value: object) -> _Part:
        packed = zlib.compress(msgspec.msgpack.encode(value), 9)
        part = _Part(len(parts), len(packed))
        parts.extend(packed)
        return part

    header = _Header(
        sources=tuple(sources),
        shapes=put(tuple(shapes)),
        sheets={
            sheet.region: put(sheet) for sheet in sorted(sheets, key=lambda sheet: sheet.region)
        },
    )
    head = msgspec.msgpack.encode(header)
    return MAGIC + len(head).to_bytes(_LENGTH_BYTES, "big") + head + bytes(parts)


def read_table(content: bytes, where: str) -> Table:
    """Open the bytes of a table file; `where` names it in a complaint."""
    start = len(MAGIC) + _LENGTH_BYTES
    if not content.startswith(MAGIC) or len(content) < start:
        raise _broken(where)
    length = int.from_bytes(content[len(MAGIC) : start], "big")
    try:
        header = msgspec.msgpack.decode(content[start : start + length], type=_Header)
    except msgspec.MsgspecError as error:
        raise _broken(where) from error
    return Table(header, content[start + length :], where)


@lru_cache(maxsize=1)
def bundled_table() -> Table:
    """Open the table that came with the program."""
    return read_table(_BUNDLED.read_bytes(), "the bundled instance catalog")


def open_table(path: Path) -> Table:
    """Open a table that a user made."""
    try:
        return read_table(path.read_bytes(), str(path))
    except OSError as error:
        raise UserError(
            f"the instance catalog cannot be read: {error.strerror}",
            code="NW-9302",
            where=str(path),
        ) from error


def _broken(where: str) -> UserError:
    return UserError(
        "this is not an instance catalog of this version of Nodewright",
        code="NW-9302",
        where=where,
        advice="make it again with tools/catalog/make.py",
    )
