"""Types as NodeOverlays have corrected them: what pods can use of them, and what they are taken to cost.

Corrections are the cluster's, so they come with each launch. Whether an offering can be had is what we know
ourselves. A fleet whose prices are corrected is told to go by them, because EC2 knows only its own.
"""

from collections.abc import Iterable

import msgspec

from nodewright.model.instance import InstanceType, NanoUSD
from nodewright.model.requirements import Requirements


def lay_over(
    types: tuple[InstanceType, ...], overlaid: Iterable[InstanceType]
) -> tuple[InstanceType, ...]:
    """Give types with the corrections of those that have some."""
    corrected = {one.name: one for one in overlaid}
    if not corrected:
        return types
    return tuple(
        _merge(one, corrected[one.name]) if one.name in corrected else one for one in types
    )


def find_repriced(
    types: tuple[InstanceType, ...], overlaid: Iterable[InstanceType]
) -> frozenset[str]:
    """Name the types whose prices are not EC2's."""
    known = {one.name: one for one in types}
    return frozenset(
        one.name
        for one in overlaid
        if one.name in known and _prices(one) != _prices(known[one.name])
    )


def _merge(one: InstanceType, corrected: InstanceType) -> InstanceType:
    prices = _prices(corrected)
    offerings = tuple(
        msgspec.structs.replace(each, price=prices.get(each.requirements, each.price))
        for each in one.offerings
    )
    return InstanceType(one.name, one.requirements, corrected.capacity, one.overhead, offerings)


def _prices(one: InstanceType) -> dict[Requirements, NanoUSD]:
    return {each.requirements: each.price for each in one.offerings}
