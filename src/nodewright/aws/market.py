"""What a region sells, put together from answers of different age into one sheet of prices.

A price that AWS has told beats the bundled one. Before the first spot prices are known, spot is
taken to cost what on demand costs; after that, a type without a spot price in a zone is not sold
as spot there.
"""

from collections.abc import Mapping, Sequence

import msgspec

from nodewright.catalog.offerings import zones_of
from nodewright.catalog.pricelist import currency_of
from nodewright.catalog.table import UNKNOWN_PRICE, Shape, Sheet, bundled_table
from nodewright.model.instance import NanoUSD

FALLBACK_REGION = "us-east-1"


class Market(msgspec.Struct, frozen=True):
    """Types, the zones in which they are sold, and prices; `known` holds the bundled ones."""

    shapes: Mapping[str, Shape]
    zones: Mapping[str, tuple[str, ...]]
    prices: Mapping[str, int]
    spot: Mapping[tuple[str, str], int]
    known: Mapping[str, tuple[int, bool]]


def bundled_market(region: str) -> Market:
    """Give what the bundled table knows of a region; of one it does not know, only prices near it."""
    table = bundled_table()
    is_known = region in table.regions
    sheet = table.sheet(region if is_known else FALLBACK_REGION)
    names = [table.shapes[number].name for number in sheet.types]
    known = {
        name: (NanoUSD(sheet.prices[row]), sheet.price_is_estimate[row] or not is_known)
        for row, name in enumerate(names)
        if sheet.prices[row] != UNKNOWN_PRICE
    }
    zones = {
        name: tuple(zone for _, zone in zones_of(sheet, row)) for row, name in enumerate(names)
    }
    return Market(
        shapes={name: table.shapes_by_name[name] for name in names},
        zones=zones if is_known else {},
        prices={},
        spot={},
        known=known,
    )


def sheet_of(region: str, market: Market, shapes: Sequence[Shape]) -> Sheet:
    """Give the sheet of a region, with a row for each of these types that is sold anywhere in it."""
    rows = [(number, one) for number, one in enumerate(shapes) if market.zones.get(one.name)]
    zones = tuple(sorted({zone for _, one in rows for zone in market.zones[one.name]}))
    prices = [_price(market, one.name) for _, one in rows]
    return Sheet(
        region=region,
        currency=currency_of(region),
        zones=zones,
        zones_are_assumed=False,
        types=tuple(number for number, _ in rows),
        zone_masks=tuple(
            sum(1 << zones.index(zone) for zone in market.zones[one.name]) for _, one in rows
        ),
        prices=tuple(price for price, _ in prices),
        price_sources=tuple(0 for _ in rows),
        price_is_estimate=tuple(is_estimate for _, is_estimate in prices),
        spot_prices=tuple(
            tuple(market.spot.get((one.name, zone), UNKNOWN_PRICE) for zone in zones)
            for _, one in rows
        )
        if market.spot
        else (),
    )


def _price(market: Market, name: str) -> tuple[int, bool]:
    told = market.prices.get(name)
    if told is not None:
        return told, False
    return market.known.get(name, (UNKNOWN_PRICE, False))
