"""Questions to the table: which types of a region fit a few plain conditions, in which order.

A range is written `4..16`, `4..`, `..16` or `8`; both ends belong to it. Only what is asked for is
computed, so that a list of a region's types does not need every label of every type.
"""

from collections.abc import Callable
from typing import Final, Literal, Self

import msgspec

from nodewright.catalog.capacity import capacity_of, overhead_of
from nodewright.catalog.labels import capacity_types_of
from nodewright.catalog.offerings import Tag, on_demand_tag, spot_tag, zones_of
from nodewright.catalog.settings import DEFAULT
from nodewright.catalog.table import Shape, Sheet, Table
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.labels import SPOT
from nodewright.model.quantity import MILLI, BadQuantity, Milli, Resources, parse_quantity
from nodewright.model.requirements import Requirements

type Order = Literal["name", "price", "cpu", "memory"]

_MIB: Final = 1024**2
_ENDLESS: Final = 2**63
_BAD_QUERY: Final = "NW-9307"


class Range(msgspec.Struct, frozen=True):
    """From one number to another, both included."""

    low: int = 0
    high: int = _ENDLESS

    def __contains__(self, number: int) -> bool:
        return self.low <= number <= self.high

    @classmethod
    def read(cls, text: str, option: str, number: Callable[[str, str], int]) -> Self:
        """Read a range whose ends are written the way `number` reads them."""
        low, dots, high = text.partition("..")
        if not dots:
            only = number(low, option)
            return cls(only, only)
        if not (low or high):
            raise UserError(
                f"{option} {text!r} has no end: write 4.., ..16 or 4..16", code=_BAD_QUERY
            )
        found = cls(number(low, option) if low else 0, number(high, option) if high else _ENDLESS)
        if found.low > found.high:
            raise UserError(
                f"{option} {text!r} ends before it begins: write the smaller side first",
                code=_BAD_QUERY,
            )
        return found


class Query(msgspec.Struct, frozen=True):
    """Conditions that a type must meet; empty ones do not count."""

    vcpu: Range = Range()
    memory: Range = Range()
    arch: str = ""
    families: tuple[str, ...] = ()
    zone: str = ""
    capacity_type: str = ""
    needs_gpu: bool = False


class Entry(msgspec.Struct, frozen=True):
    """A type that a region sells: what it is, where, and at which prices.

    `spot` is the cheapest of the zones that were asked for, or nothing where spot is not sold.
    """

    shape: Shape
    zones: tuple[str, ...]
    on_demand: Tag
    spot: Tag | None
    source: int

    @property
    def allocatable(self) -> Resources:
        """What pods can use of it with the default settings."""
        capacity = capacity_of(self.shape, DEFAULT)
        overhead = overhead_of(self.shape, DEFAULT, capacity)
        return InstanceType(self.shape.name, Requirements(), capacity, overhead).allocatable


def find(table: Table, region: str, query: Query, order: Order = "name") -> tuple[Entry, ...]:
    """Give the types of a region that meet the query, in order."""
    sheet = table.sheet(region)
    _check(table, sheet, query)
    found = [
        _entry(shape, sheet, row, query.zone)
        for row, shape in ((row, table.shapes[number]) for row, number in enumerate(sheet.types))
        if _meets(shape, sheet, row, query)
    ]
    key = _by_spot_price if (order, query.capacity_type) == ("price", SPOT) else _KEYS[order]
    return tuple(sorted(found, key=key))


def read_count(text: str, option: str) -> int:
    """Read a whole number of a range."""
    if not (text.isascii() and text.isdecimal()) or len(text) > len(str(_ENDLESS)):
        raise UserError(f"{option} takes whole numbers such as 4.., not {text!r}", code=_BAD_QUERY)
    return int(text)


def read_memory(text: str, option: str) -> Milli:
    """Read an amount of memory of a range; a bare number is surely meant otherwise."""
    try:
        amount = parse_quantity(text)
    except BadQuantity as error:
        raise UserError(f"{option}: {error}", code=_BAD_QUERY) from error
    if text.isdecimal() and amount:
        raise UserError(
            f"{option} {text} has no unit: write {text}Gi for gibibytes", code=_BAD_QUERY
        )
    return amount


def _check(table: Table, sheet: Sheet, query: Query) -> None:
    if query.zone and query.zone not in sheet.zones:
        raise UserError(
            f"{sheet.region} has no zone {query.zone!r} in the catalog",
            code=_BAD_QUERY,
            advice=f"its zones: {', '.join(sheet.zones)}",
        )
    known = {shape.family for shape in table.shapes}
    unknown = [family for family in query.families if family not in known]
    if unknown:
        kin = sorted(family for family in known if family[:1] == unknown[0][:1])
        raise UserError(
            f"no instance family is named {unknown[0]!r}",
            code=_BAD_QUERY,
            advice=f"families like it: {', '.join(kin)}" if kin else "",
        )


def _meets(shape: Shape, sheet: Sheet, row: int, query: Query) -> bool:
    return (
        shape.vcpu in query.vcpu
        and shape.memory_mib * _MIB * MILLI in query.memory
        and (not query.arch or shape.arch == query.arch)
        and (not query.families or shape.family in query.families)
        and (not query.needs_gpu or bool(shape.gpus))
        and (not query.capacity_type or query.capacity_type in capacity_types_of(shape))
        and (not query.zone or bool(sheet.zone_masks[row] >> sheet.zones.index(query.zone) & 1))
    )


def _entry(shape: Shape, sheet: Sheet, row: int, zone: str) -> Entry:
    zones = zones_of(sheet, row)
    asked = [bit for bit, name in zones if zone in ("", name)]
    return Entry(
        shape=shape,
        zones=tuple(zone for _, zone in zones),
        on_demand=on_demand_tag(sheet, row),
        spot=_cheapest([spot_tag(sheet, row, bit) for bit in asked])
        if SPOT in shape.usage_classes
        else None,
        source=sheet.price_sources[row],
    )


def _cheapest(tags: list[Tag]) -> Tag:
    return min(tags, key=_by_tag)


def _by_tag(tag: Tag | None) -> tuple[bool, int]:
    # What has no known price comes last.
    price = tag.price if tag else None
    return price is None, price or 0


def _by_name(entry: Entry) -> tuple[str, int, int, str]:
    # Sizes grow within a family; their names do not sort that way.
    return entry.shape.family, entry.shape.vcpu, entry.shape.memory_mib, entry.shape.name


def _by_spot_price(entry: Entry) -> tuple[object, ...]:
    return *_by_tag(entry.spot), *_by_name(entry)


_KEYS: Final[dict[Order, Callable[[Entry], tuple[object, ...]]]] = {
    "name": _by_name,
    "cpu": lambda entry: (entry.shape.vcpu, entry.shape.memory_mib, *_by_name(entry)),
    "memory": lambda entry: (entry.shape.memory_mib, entry.shape.vcpu, *_by_name(entry)),
    "price": lambda entry: (*_by_tag(entry.on_demand), *_by_name(entry)),
}
