"""Fleets: one machine out of many that would do, by EC2's allocation strategies.

`lowest-price` and `prioritized` look at one number. The capacity-minded strategies prefer offerings
that are deep, in coarse grades, and only then look at the price or the given priority. What was tried
and could not be had comes back as errors beside the machine.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from nodewright.sim.cloud.market import Market, OfferingKey

ICE: Final = "InsufficientInstanceCapacity"
_GRADES: Final = (50, 10, 3, 1)


class Override(msgspec.Struct, frozen=True):
    """One machine that would do."""

    instance_type: str
    zone: str
    priority: float = 0.0


class FleetRequest(msgspec.Struct, frozen=True):
    """An instant fleet of one."""

    token: str
    capacity_type: str
    strategy: str
    overrides: tuple[Override, ...]
    tags: dict[str, str] = {}


class FleetError(msgspec.Struct, frozen=True):
    """Why one override was not taken."""

    code: str
    message: str
    instance_type: str = ""
    zone: str = ""


def rank_overrides(
    request: FleetRequest, market: Market, now_ms: int
) -> Sequence[tuple[Override, OfferingKey]]:
    """Give the overrides that are on sale, in the order in which the strategy would take them."""
    keyed = [
        (one, (one.instance_type, one.zone, request.capacity_type)) for one in request.overrides
    ]
    on_sale = [(one, key) for one, key in keyed if market.has(key)]

    def price(pair: tuple[Override, OfferingKey]) -> float:
        return market.price(pair[1], now_ms)

    def grade(pair: tuple[Override, OfferingKey]) -> int:
        depth = market.depth(pair[1])
        return next((i for i, least in enumerate(_GRADES) if depth >= least), len(_GRADES))

    orders: dict[str, Callable[[tuple[Override, OfferingKey]], tuple[float, ...]]] = {
        "lowest-price": lambda pair: (price(pair),),
        "prioritized": lambda pair: (pair[0].priority,),
        "price-capacity-optimized": lambda pair: (grade(pair), price(pair)),
        "capacity-optimized": lambda pair: (grade(pair),),
        "capacity-optimized-prioritized": lambda pair: (grade(pair), pair[0].priority),
    }
    order = orders[request.strategy]
    return sorted(on_sale, key=lambda pair: (*order(pair), pair[1]))


def choose_override(
    request: FleetRequest, market: Market, now_ms: int
) -> tuple[OfferingKey | None, list[FleetError]]:
    """Give the first offering that has a machine left, and an error for each that had none."""
    errors: list[FleetError] = []
    for one, key in rank_overrides(request, market, now_ms):
        if market.depth(key) > 0:
            return key, errors
        errors.append(
            FleetError(
                ICE,
                f"We currently do not have sufficient {one.instance_type} capacity in the "
                f"Availability Zone you requested ({one.zone}).",
                one.instance_type,
                one.zone,
            )
        )
    if not errors:
        errors.append(FleetError("UnfulfillableCapacity", "nothing that was asked for is on sale"))
    return None, errors
