"""Prices as AWS tells them: documents of the price list, and rows of the spot price history.

A price-list document (GetProducts) is JSON text with one product and its terms; only the plain
hourly on-demand rate counts. A price in another currency than the partition's own is not taken.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.model.instance import NANO

USD: Final = "USD"
CNY: Final = "CNY"


class _Attributes(msgspec.Struct, frozen=True, rename="camel"):
    instance_type: str = ""


class _Product(msgspec.Struct, frozen=True):
    attributes: _Attributes = _Attributes()


class _Dimension(msgspec.Struct, frozen=True):
    unit: str = ""
    price_per_unit: dict[str, str] = msgspec.field(name="pricePerUnit", default_factory=dict)


class _Offer(msgspec.Struct, frozen=True):
    dimensions: dict[str, _Dimension] = msgspec.field(name="priceDimensions", default_factory=dict)


class _Terms(msgspec.Struct, frozen=True):
    on_demand: dict[str, _Offer] = msgspec.field(name="OnDemand", default_factory=dict)


class _Document(msgspec.Struct, frozen=True):
    product: _Product = _Product()
    terms: _Terms = _Terms()


def currency_of(region: str) -> str:
    """Name the currency in which a region's prices are listed."""
    return CNY if region.startswith("cn-") else USD


def pricing_region_of(region: str) -> str:
    """Name the region whose pricing endpoint knows this region's prices."""
    for prefix, endpoint in (("ap-", "ap-south-1"), ("eu-", "eu-central-1")):
        if region.startswith(prefix):
            return endpoint
    return "cn-northwest-1" if region.startswith("cn-") else "us-east-1"


def read_on_demand(documents: Iterable[str | bytes], currency: str) -> dict[str, int]:
    """Read the hourly price of each type, in nano-units; the first document of a type counts."""
    prices: dict[str, int] = {}
    for document in documents:
        try:
            found = msgspec.json.decode(document, type=_Document)
        except msgspec.MsgspecError as error:
            raise UserError(
                f"a document of the price list cannot be read: {error}", code="NW-9305"
            ) from error
        name = found.product.attributes.instance_type
        price = _hourly(found, currency)
        if name and price:
            prices.setdefault(name, price)
    return prices


def read_spot(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """Read the newest spot price of each (type, zone), in nano-units."""
    newest: dict[tuple[str, str], tuple[Any, int]] = {}
    for row in rows:
        key = (str(row["InstanceType"]), str(row["AvailabilityZone"]))
        price = nano_price(str(row["SpotPrice"]))
        if price and (key not in newest or row["Timestamp"] > newest[key][0]):
            newest[key] = (row["Timestamp"], price)
    return {key: price for key, (_, price) in newest.items()}


def nano_price(text: str) -> int:
    """Read a decimal price exactly, rounded to the nano-unit; what is no price reads as 0."""
    try:
        return int((Decimal(text) * NANO).to_integral_value())
    except (InvalidOperation, OverflowError, ValueError):
        return 0


def _hourly(found: _Document, currency: str) -> int:
    for _, offer in sorted(found.terms.on_demand.items()):
        for _, dimension in sorted(offer.dimensions.items()):
            price = nano_price(dimension.price_per_unit.get(currency, ""))
            if price > 0:
                return price
    return 0
