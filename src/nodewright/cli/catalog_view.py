"""How a list of instance types looks: on a screen of any width, and to programs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from nodewright.catalog.offerings import Tag
from nodewright.catalog.query import Entry
from nodewright.catalog.table import Sheet, Source
from nodewright.cli.output import Cell, Column, Table
from nodewright.model.instance import NANO
from nodewright.model.quantity import MILLI, print_resources

_SIGNS: Final = {"USD": "$", "CNY": "CN¥"}
_GAP: Final = 3
_SPOT_HINT: Final = (
    "spot: at most the on-demand price (≤); real spot prices come from your account, "
    "see tools/catalog/make.py aws"
)
_DROPPED_FIRST: Final = ("LOCAL DISK", "ZONES", "ARCH", "SPOT", "PODS")
"""Columns that a narrow screen can do without, the least needed first."""


class Answer(msgspec.Struct, frozen=True):
    """What was found in a region's sheet, and the part of it that is shown."""

    sheet: Sheet
    sources: tuple[Source, ...]
    found: tuple[Entry, ...]
    shown: tuple[Entry, ...]


class Price(msgspec.Struct, frozen=True, rename="camel"):
    """A price for programs; an estimate was derived and not quoted."""

    per_hour: float
    is_estimate: bool
    source: str = ""
    date: str = ""


class Gpus(msgspec.Struct, frozen=True):
    """One kind of GPU for programs."""

    name: str
    manufacturer: str
    count: int
    memory_mib: int = msgspec.field(name="memoryMiB")


class Machine(msgspec.Struct, frozen=True, rename="camel"):
    """A type for programs; `allocatable` is what pods can use with the default settings."""

    name: str
    vcpu: int
    memory_mib: int = msgspec.field(name="memoryMiB")
    arch: str
    cpu_manufacturer: str
    gpus: tuple[Gpus, ...]
    local_storage_gb: int = msgspec.field(name="localStorageGB")
    network_mbps: int
    efa_interfaces: int
    bare_metal: bool
    current_generation: bool
    pods: int
    allocatable: dict[str, str]
    zones: tuple[str, ...]
    on_demand: Price | None
    spot: Price | None


class Document(msgspec.Struct, frozen=True, rename="camel"):
    """The whole answer for programs."""

    region: str
    currency: str
    zones_are_assumed: bool
    matched: int
    types: tuple[Machine, ...]


def document(answer: Answer) -> Document:
    """Give the answer for programs."""
    sheet = answer.sheet
    return Document(
        region=sheet.region,
        currency=sheet.currency,
        zones_are_assumed=sheet.zones_are_assumed,
        matched=len(answer.found),
        types=tuple(_machine(entry, answer) for entry in answer.shown),
    )


def plain_table(answer: Answer) -> Table:
    """Give the answer as rows for a spreadsheet: plain numbers, one meaning in each column."""
    titles = (
        "name",
        "vcpu",
        "memory_mib",
        "arch",
        "gpus",
        "gpu_name",
        "local_storage_gb",
        "pods",
        "zones",
        "currency",
        "on_demand_per_hour",
        "on_demand_is_estimate",
        "spot_per_hour",
        "spot_is_estimate",
    )
    return Table(
        tuple(Column(title) for title in titles),
        tuple(_plain_row(entry, answer.sheet.currency) for entry in answer.shown),
    )


def screen_table(answer: Answer, width: int) -> Table:
    """Give the answer for people, in as many columns as the screen has room for."""
    sign = _SIGNS.get(answer.sheet.currency, answer.sheet.currency)
    columns = [
        (Column("TYPE"), [entry.shape.name for entry in answer.shown]),
        (Column("VCPU", right=True), [str(entry.shape.vcpu) for entry in answer.shown]),
        (Column("MEMORY", right=True), [_memory(entry.shape.memory_mib) for entry in answer.shown]),
        (Column("ARCH"), [entry.shape.arch for entry in answer.shown]),
        (Column("GPUS"), [_accelerators(entry) for entry in answer.shown]),
        (Column("LOCAL DISK", right=True), [_disk(entry.shape.store_gb) for entry in answer.shown]),
        (Column("PODS", right=True), [_pods(entry) for entry in answer.shown]),
        (Column("ZONES"), [_zones(entry, answer.sheet) for entry in answer.shown]),
        (Column(f"{sign}/HOUR", right=True), [_price(entry.on_demand) for entry in answer.shown]),
        (Column("SPOT", right=True), [_spot(entry.spot) for entry in answer.shown]),
    ]
    columns = [(column, cells) for column, cells in columns if any(cells)]
    hidden = []
    for title in _DROPPED_FIRST:
        if _width(columns) > width and any(column.title == title for column, _ in columns):
            columns = [entry for entry in columns if entry[0].title != title]
            hidden.append(title.lower())
    return Table(
        columns=tuple(column for column, _ in columns),
        rows=tuple(
            tuple(_styled(cell) for cell in row)
            for row in zip(*(cells for _, cells in columns), strict=True)
        ),
        notes=tuple(_notes(answer, hidden)),
    )


def _width(columns: Sequence[tuple[Column, list[str]]]) -> int:
    widest = (max(len(column.title), *map(len, cells)) for column, cells in columns)
    return sum(widest) + _GAP * len(columns)


def _notes(answer: Answer, hidden: Sequence[str]) -> Iterator[str]:
    sheet, found, shown = answer.sheet, len(answer.found), len(answer.shown)
    cut = f", {shown:,} shown (--limit 0 for all)" if shown < found else ""
    yield f"{found:,} of {len(sheet.types):,} types in {sheet.region} match{cut}"
    yield f"prices: {', '.join(_origins(answer))}"
    if "spot" not in hidden:
        yield from _spot_origin(answer)
    if sheet.zones_are_assumed:
        yield f"zones: no list is known for {sheet.region}; every zone is assumed to sell every type"
    if hidden:
        yield f"too narrow for {', '.join(hidden)}: a wider screen or -o csv has them"


def _spot_origin(answer: Answer) -> Iterator[str]:
    sheet = answer.sheet
    if sheet.spot_source is not None:
        origin = answer.sources[sheet.spot_source]
        yield f"spot: the cheapest zone's price of {origin.date} ({_short(origin.package)})"
    elif any(entry.spot for entry in answer.shown):
        yield _SPOT_HINT


def _origins(answer: Answer) -> Iterator[str]:
    counts = Counter(
        (entry.source, entry.on_demand.is_estimate)
        for entry in answer.found
        if entry.on_demand.price is not None
    )
    for (source, is_estimate), count in sorted(counts.items()):
        origin = answer.sources[source]
        if is_estimate:
            yield f"{count:,} estimated (~) from us-east-1 and ratios of {origin.date}"
        else:
            yield f"{count:,} of {origin.date} ({_short(origin.package)})"
    unknown = sum(entry.on_demand.price is None for entry in answer.found)
    if unknown:
        yield f"{unknown:,} unknown (?)"


def _short(package: str) -> str:
    return package.rpartition("/")[2].partition("@")[0].partition("=")[0]


def _memory(mib: int) -> str:
    for unit, size in (("Ti", 1024 * 1024), ("Gi", 1024)):
        if mib >= size and mib % (size // 4) == 0:
            return f"{mib / size:g}{unit}"
    return f"{mib / 1024:g}Gi" if mib % 128 == 0 else f"{mib}Mi"


def _disk(gigabytes: int) -> str:
    if not gigabytes:
        return ""
    return f"{gigabytes}G" if gigabytes < 10_000 else f"{gigabytes / 1000:.1f}T"


def _accelerators(entry: Entry) -> str:
    kinds = [(gpu.count, gpu.name) for gpu in entry.shape.gpus]
    kinds += [(device.count, device.name) for device in entry.shape.neurons]
    # A part of a GPU is counted as none by EC2.
    return " ".join(f"{count or '<1'}x {name}" for count, name in kinds)


def _pods(entry: Entry) -> str:
    return str(entry.allocatable["pods"] // MILLI)


def _zones(entry: Entry, sheet: Sheet) -> str:
    if entry.zones == sheet.zones:
        return "all"
    return " ".join(zone.removeprefix(sheet.region) or zone for zone in entry.zones)


def _price(tag: Tag) -> str:
    if tag.price is None:
        return "?"
    return f"{'~' if tag.is_estimate else ''}{tag.price / NANO:,.4f}"


def _spot(tag: Tag | None) -> str:
    if tag is None:
        return "-"
    if tag.price is None:
        return "?"
    return f"{'≤' if tag.is_estimate else ''}{tag.price / NANO:,.4f}"


def _styled(cell: str) -> Cell:
    return Cell(cell, "dim" if cell[:1] in ("~", "?", "≤", "-") else "")


def _plain_row(entry: Entry, currency: str) -> tuple[str, ...]:
    shape = entry.shape
    return (
        shape.name,
        str(shape.vcpu),
        str(shape.memory_mib),
        shape.arch,
        str(sum(gpu.count for gpu in shape.gpus)),
        " ".join(gpu.name for gpu in shape.gpus),
        str(shape.store_gb),
        _pods(entry),
        " ".join(entry.zones),
        currency,
        *_plain_price(entry.on_demand),
        *_plain_price(entry.spot),
    )


def _plain_price(tag: Tag | None) -> tuple[str, str]:
    if tag is None or tag.price is None:
        return "", ""
    return f"{tag.price / NANO:.6f}", "true" if tag.is_estimate else "false"


def _machine(entry: Entry, answer: Answer) -> Machine:
    shape, allocatable = entry.shape, entry.allocatable
    source = answer.sources[entry.source]
    spot = None if answer.sheet.spot_source is None else answer.sources[answer.sheet.spot_source]
    return Machine(
        name=shape.name,
        vcpu=shape.vcpu,
        memory_mib=shape.memory_mib,
        arch=shape.arch,
        cpu_manufacturer=shape.manufacturer,
        gpus=tuple(
            Gpus(gpu.name, gpu.manufacturer, gpu.count, gpu.memory_mib) for gpu in shape.gpus
        ),
        local_storage_gb=shape.store_gb,
        network_mbps=shape.network_mbps,
        efa_interfaces=shape.efa_interfaces,
        bare_metal=shape.is_bare_metal,
        current_generation=shape.is_current,
        pods=allocatable["pods"] // MILLI,
        allocatable=print_resources(allocatable),
        zones=entry.zones,
        on_demand=_machine_price(entry.on_demand, source),
        spot=_machine_price(entry.spot, spot or source),
    )


def _machine_price(tag: Tag | None, source: Source) -> Price | None:
    if tag is None or tag.price is None:
        return None
    return Price(tag.price / NANO, tag.is_estimate, source.package, source.date)
