"""What a region sells, by the catalog, on the simulator's market.

The catalog has no spot prices. Here a spot price lies between a quarter and a half of on-demand, by a
hash of type and zone, so that zones differ and every run agrees. Depths are endless until a test says
otherwise.
"""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from nodewright.catalog.labels import capacity_types_of, one_of
from nodewright.catalog.offerings import on_demand_tag, zones_of
from nodewright.catalog.table import Shape, Sheet, bundled_table
from nodewright.model.instance import InstanceType, NanoUSD, Offering
from nodewright.model.labels import CAPACITY_TYPE, SPOT, ZONE
from nodewright.model.requirements import Requirements
from nodewright.sandbox.aws.account import Account
from nodewright.sim.chance import Chance
from nodewright.sim.cloud.market import Market, MarketSettings

_SPOT_LOW: Final = 0.25
_SPOT_SPAN: Final = 0.25


def market_of(account: Account, region: str) -> Market:
    """Give a region's market, opened when it is first asked for."""
    return account.store(f"market/{region}", lambda: _open(account, region))


def _open(account: Account, region: str) -> Market:
    settings = MarketSettings(spot_moves=False)
    return Market(_types(region), settings, Chance(0), account.clock.now_ms())


@lru_cache(maxsize=4)
def _types(region: str) -> tuple[InstanceType, ...]:
    table = bundled_table()
    sheet = table.sheet(region)
    return tuple(
        InstanceType(
            name=table.shapes[number].name,
            requirements=Requirements(()),
            capacity={},
            offerings=tuple(_offerings(table.shapes[number], sheet, row)),
        )
        for row, number in enumerate(sheet.types)
    )


def _offerings(shape: Shape, sheet: Sheet, row: int) -> Iterator[Offering]:
    tag = on_demand_tag(sheet, row)
    if tag.price is None:
        return
    for _, zone in zones_of(sheet, row):
        for kind in capacity_types_of(shape):
            price = _spot(shape.name, zone, tag.price) if kind == SPOT else tag.price
            yield Offering(
                Requirements((one_of(CAPACITY_TYPE, kind), one_of(ZONE, zone))), NanoUSD(price)
            )


def _spot(name: str, zone: str, price: int) -> int:
    digest = hashlib.sha256(f"{name}/{zone}".encode()).digest()
    share = _SPOT_LOW + _SPOT_SPAN * digest[0] / 255
    # EC2 tells spot prices with four to six decimals.
    return max(100_000, int(price * share) // 100_000 * 100_000)
