"""The table of one's own account: types, offerings and prices as AWS tells them today.

What AWS has no call for (branch interfaces and baseline bandwidth) is taken over from the bundled
table by the name of the type. boto3 is imported here and nowhere else in the catalog.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from bundle import Offered, read_offered, read_shapes

from nodewright.catalog.describe import NetworkFacts
from nodewright.catalog.pricelist import (
    currency_of,
    pricing_region_of,
    read_on_demand,
    read_spot,
)
from nodewright.catalog.table import (
    UNKNOWN_PRICE,
    Shape,
    Sheet,
    Source,
    bundled_table,
    write_table,
)
from nodewright.model.errors import UserError

_TYPE_FILTERS: Final = [
    {"Name": "supported-virtualization-type", "Values": ["hvm"]},
    {"Name": "processor-info.supported-architecture", "Values": ["x86_64", "arm64"]},
]
_PRICE_FILTERS: Final = {
    "serviceCode": "AmazonEC2",
    "preInstalledSw": "NA",
    "operatingSystem": "Linux",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}
_PRICE_KINDS: Final = (
    {"tenancy": "Shared", "productFamily": "Compute Instance"},
    {"tenancy": "Dedicated", "productFamily": "Compute Instance (bare metal)"},
)
_SPOT_PRODUCTS: Final = ["Linux/UNIX", "Linux/UNIX (Amazon VPC)"]
_ON_DEMAND_SOURCE, _SPOT_SOURCE = 0, 1


class Session(Protocol):
    """The part of a boto3 session that is used."""

    def client(self, service: str, region_name: str) -> Any:
        """Give a client of a service in a region."""


def make_live(regions: Sequence[str], profile: str | None) -> bytes:
    """Ask AWS about these regions and give the bytes of the table."""
    try:
        import boto3
        from botocore.exceptions import BotoCoreError, ClientError
    except ImportError as error:
        raise UserError(
            "boto3 is needed to ask AWS: install it with `uv pip install boto3`", code="NW-9306"
        ) from error
    try:
        session = boto3.session.Session(profile_name=profile)
        return gather(session, regions, dt.datetime.now(dt.UTC))
    except (BotoCoreError, ClientError) as error:
        raise UserError(f"AWS did not answer: {error}", code="NW-9306") from error


def gather(session: Session, regions: Sequence[str], now: dt.datetime) -> bytes:
    """Read every region through a session and give the bytes of the table."""
    facts = {
        shape.name: NetworkFacts(shape.branch_interfaces, shape.network_mbps)
        for shape in bundled_table().shapes
    }
    described: dict[str, Mapping[str, Any]] = {}
    found: dict[str, tuple[Offered, dict[str, int], dict[tuple[str, str], int]]] = {}
    for region in sorted(set(regions)):
        client = session.client("ec2", region_name=region)
        types = _pages(client, "describe_instance_types", "InstanceTypes", Filters=_TYPE_FILTERS)
        described |= {entry["InstanceType"]: entry for entry in types}
        offered = read_offered(
            _pages(
                client,
                "describe_instance_type_offerings",
                "InstanceTypeOfferings",
                LocationType="availability-zone",
            )
        )
        spot = read_spot(
            _pages(
                client,
                "describe_spot_price_history",
                "SpotPriceHistory",
                ProductDescriptions=_SPOT_PRODUCTS,
                StartTime=now,
            )
        )
        found[region] = (offered, _on_demand(session, region), spot)
    shapes = read_shapes(described.values(), facts)
    sheets = [make_live_sheet(region, shapes, *parts) for region, parts in found.items()]
    return write_table(_sources(now), shapes, sheets)


def make_live_sheet(
    region: str,
    shapes: Sequence[Shape],
    offered: Offered,
    on_demand: Mapping[str, int],
    spot: Mapping[tuple[str, str], int],
) -> Sheet:
    """Give what a region sells at the prices that AWS named."""
    rows = [(number, shape.name) for number, shape in enumerate(shapes) if shape.name in offered]
    zones = tuple(sorted({zone for found in offered.values() for zone in found}))
    return Sheet(
        region=region,
        currency=currency_of(region),
        zones=zones,
        zones_are_assumed=False,
        types=tuple(number for number, _ in rows),
        zone_masks=tuple(
            sum(1 << bit for bit, zone in enumerate(zones) if zone in offered[name])
            for _, name in rows
        ),
        prices=tuple(on_demand.get(name, UNKNOWN_PRICE) for _, name in rows),
        price_sources=(_ON_DEMAND_SOURCE,) * len(rows),
        price_is_estimate=(False,) * len(rows),
        # An empty answer means that spot prices could not be had, not that nothing is on sale.
        spot_prices=tuple(
            tuple(spot.get((name, zone), UNKNOWN_PRICE) for zone in zones) for _, name in rows
        )
        if spot
        else (),
        spot_source=_SPOT_SOURCE if spot else None,
    )


def _on_demand(session: Session, region: str) -> dict[str, int]:
    client = session.client("pricing", region_name=pricing_region_of(region))
    documents = (
        document
        for kind in _PRICE_KINDS
        for document in _pages(
            client,
            "get_products",
            "PriceList",
            ServiceCode="AmazonEC2",
            Filters=[
                {"Type": "TERM_MATCH", "Field": field, "Value": value}
                for field, value in {**_PRICE_FILTERS, **kind, "regionCode": region}.items()
            ],
        )
    )
    return read_on_demand(documents, currency_of(region))


def _pages(client: Any, call: str, key: str, **arguments: Any) -> Iterable[Any]:
    for page in client.get_paginator(call).paginate(**arguments):
        yield from page[key]


def _sources(now: dt.datetime) -> tuple[Source, ...]:
    day = now.date().isoformat()
    old = [
        source for source in bundled_table().sources if source.what.startswith(("branch", "base"))
    ]
    return (
        Source("on-demand prices", "AWS price list (GetProducts)", day, ""),
        Source("spot prices", "EC2 (DescribeSpotPriceHistory)", day, ""),
        Source("instance types and offerings", "EC2 (DescribeInstanceTypes)", day, ""),
        *old,
    )
