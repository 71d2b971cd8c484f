"""`nodewright catalog`: EC2 instance types, their prices, and how old those prices are.

A screen shows the first few types and what was left out; programs (`-o json`, `yaml`, `csv`) get
all of them. A price that was derived is marked `~`, one that nobody knows is `?`, and `≤` stands
before a spot price of which only the limit is known.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter, validators

from nodewright.catalog.query import Order, Query, Range, find, read_count, read_memory
from nodewright.catalog.table import bundled_table, open_table
from nodewright.cli.catalog_view import Answer, document, plain_table, screen_table
from nodewright.cli.errors import EXIT_FINE
from nodewright.cli.output import ListOutputOption, emit, say, screen

_SHOWN: Final = 40


def _option(help_text: str, *names: str) -> Parameter:
    return Parameter(name=names or None, help=help_text, show_default=False, negative="")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which types are wanted."""

    region: Annotated[
        str,
        Parameter(env_var=["AWS_REGION", "AWS_DEFAULT_REGION"], help="Whose types and prices."),
    ] = "us-east-1"
    cpu: Annotated[str, _option("vCPUs: 4.., ..16, 4..16 or 8.")] = ""
    memory: Annotated[str, _option("Memory: 16Gi.., ..64Gi, 16Gi..64Gi or 32Gi.")] = ""
    arch: Annotated[Literal["amd64", "arm64"] | None, _option("Processor.")] = None
    gpu: Annotated[bool, _option("Only types with a GPU.")] = False
    family: Annotated[str, _option("A family, or several with commas: m7g,c7g.")] = ""
    zone: Annotated[str, _option("Only types sold in this zone.")] = ""
    capacity_type: Annotated[
        Literal["on-demand", "spot"] | None, _option("Only types that can be bought so.")
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Listing:
    """How the list is cut and ordered."""

    sort: Annotated[Order, Parameter(help="By which column.")] = "price"
    limit: Annotated[
        int | None,
        Parameter(
            help=f"How many to print, 0 for all; a table shows {_SHOWN} unless told.",
            validator=validators.Number(gte=0),
        ),
    ] = None
    table: Annotated[
        Path | None,
        Parameter(help="A table made from your own account (tools/catalog/make.py aws)."),
    ] = None


def catalog(
    *,
    filters: Filters = Filters(),  # noqa: B008 - frozen: sharing the default is safe
    listing: Listing = Listing(),  # noqa: B008 - frozen: sharing the default is safe
    output: ListOutputOption = "table",
) -> int:
    """List EC2 instance types of a region: size, pods, zones and price.

    Works offline, from a bundled table. The last lines say how old the prices are.
    ~ is an estimate, ? an unknown price, ≤ a spot price with only its limit known.

    $ nodewright catalog --cpu 4..8 --memory ..64Gi --sort price
    $ nodewright catalog --region ap-northeast-2 --arch arm64 --family m7g,c7g
    $ nodewright catalog --gpu --zone us-east-1a --capacity-type spot -o json
    """
    table = open_table(listing.table) if listing.table else bundled_table()
    found = find(table, filters.region, _query(filters), listing.sort)
    limit = listing.limit if listing.limit is not None else _SHOWN if output == "table" else 0
    answer = Answer(table.sheet(filters.region), table.sources, found, found[: limit or None])
    match output:
        case "table" if not found:
            sold = len(answer.sheet.types)
            say(f"no type of {filters.region} matches ({sold:,} are sold there): loosen a filter")
        case "table":
            emit(answer, output, lambda: screen_table(answer, screen().width))
        case "csv":
            emit(answer, output, lambda: plain_table(answer))
        case "json" | "yaml":
            emit(document(answer), output, lambda: plain_table(answer))
    return EXIT_FINE


def _query(filters: Filters) -> Query:
    return Query(
        vcpu=Range.read(filters.cpu, "--cpu", read_count) if filters.cpu else Range(),
        memory=Range.read(filters.memory, "--memory", read_memory) if filters.memory else Range(),
        arch=filters.arch or "",
        families=tuple(part.strip() for part in filters.family.split(",") if part.strip()),
        zone=filters.zone,
        capacity_type=filters.capacity_type or "",
        needs_gpu=filters.gpu,
    )
