"""The ways to buy a type: zone by zone, on demand, spot or from a reservation, with its price.

Spot prices move by the minute and no package carries them. Until they are read from EC2, a spot
offering has the on-demand price, which is what Karpenter assumes too and what EC2 charges at most;
it is marked as an estimate. Once a sheet has spot prices, a (type, zone) without one is not on sale.
A reservation is paid for already: its price is the on-demand one, and whoever ranks offerings puts
reserved ones first.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

import msgspec

from nodewright.catalog.labels import capacity_types_of, one_of
from nodewright.catalog.settings import NodeSettings
from nodewright.catalog.table import UNKNOWN_PRICE, Shape, Sheet
from nodewright.model.instance import NanoUSD, Offering
from nodewright.model.labels import (
    CAPACITY_TYPE,
    RESERVATION_ID,
    RESERVATION_INTERRUPTIBLE,
    RESERVATION_TYPE,
    RESERVED,
    SPOT,
    ZONE,
    ZONE_ID,
)
from nodewright.model.requirements import Requirements

_NOTHING: Final = NanoUSD(0)


class Tag(msgspec.Struct, frozen=True):
    """A price, or none where it is unknown, and whether it was derived."""

    price: int | None
    is_estimate: bool


def on_demand_tag(sheet: Sheet, row: int) -> Tag:
    """Give the on-demand price in a row of a sheet."""
    price = sheet.prices[row]
    if price == UNKNOWN_PRICE:
        return Tag(None, is_estimate=False)
    return Tag(price, is_estimate=sheet.price_is_estimate[row])


def spot_tag(sheet: Sheet, row: int, zone: int) -> Tag:
    """Give the spot price in a row of a sheet for its zone of that number."""
    if not sheet.spot_prices:
        return Tag(on_demand_tag(sheet, row).price, is_estimate=True)
    price = sheet.spot_prices[row][zone]
    return Tag(None if price == UNKNOWN_PRICE else price, is_estimate=False)


def zones_of(sheet: Sheet, row: int) -> tuple[tuple[int, str], ...]:
    """Give number and name of the zones in which a row's type is sold."""
    mask = sheet.zone_masks[row]
    return tuple((bit, zone) for bit, zone in enumerate(sheet.zones) if mask >> bit & 1)


def offerings_of(
    shape: Shape, sheet: Sheet, row: int, settings: NodeSettings, *, compatible: bool
) -> Iterator[Offering]:
    """Give the ways to buy a type in the zones that the settings can use.

    What cannot be started as the settings want it, or has no known price, is there but unavailable.
    """
    ids = {zone.name: zone.zone_id for zone in settings.zones or ()}
    kinds = capacity_types_of(shape)
    for bit, zone in zones_of(sheet, row):
        if settings.zones is not None and zone not in ids:
            continue
        for kind in kinds:
            tag = spot_tag(sheet, row, bit) if kind == SPOT else on_demand_tag(sheet, row)
            yield Offering(
                _requirements(zone, ids.get(zone, ""), kind),
                _NOTHING if tag.price is None else NanoUSD(tag.price),
                available=compatible and tag.price is not None,
                price_is_estimate=tag.is_estimate,
            )
    if settings.reservations:
        tag = on_demand_tag(sheet, row)
        yield from _reserved(shape, settings, tag, ids, compatible=compatible)


def _reserved(
    shape: Shape, settings: NodeSettings, tag: Tag, ids: Mapping[str, str], *, compatible: bool
) -> Iterator[Offering]:
    for entry in settings.reservations:
        if entry.instance_type != shape.name:
            continue
        if settings.zones is not None and entry.zone not in ids:
            continue
        yield Offering(
            Requirements(
                (
                    one_of(CAPACITY_TYPE, RESERVED),
                    one_of(ZONE, entry.zone),
                    one_of(RESERVATION_ID, entry.reservation_id),
                    one_of(RESERVATION_TYPE, entry.kind),
                    one_of(
                        RESERVATION_INTERRUPTIBLE, "true" if entry.is_interruptible else "false"
                    ),
                    *([one_of(ZONE_ID, ids[entry.zone])] if ids.get(entry.zone) else []),
                )
            ),
            _NOTHING if tag.price is None else NanoUSD(tag.price),
            available=compatible and entry.count > 0 and not entry.is_expiring,
            reservation_capacity=entry.count,
            price_is_estimate=tag.is_estimate,
        )


@lru_cache(maxsize=4096)
def _requirements(zone: str, zone_id: str, kind: str) -> Requirements:
    return Requirements(
        (
            one_of(CAPACITY_TYPE, kind),
            one_of(ZONE, zone),
            one_of(RESERVATION_ID),
            one_of(RESERVATION_TYPE),
            one_of(RESERVATION_INTERRUPTIBLE),
            *([one_of(ZONE_ID, zone_id)] if zone_id else []),
        )
    )
