"""DescribeSpotPriceHistory: the market's spot prices as of the last full hour."""

from typing import Any, Final

from nodewright.model.instance import NANO
from nodewright.model.labels import SPOT
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import Call
from nodewright.sandbox.aws.ec2.market import market_of
from nodewright.sandbox.aws.filters import path, select
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

_PAGE: Final = 1_000
_HOUR_MS: Final = 3_600_000
_LINUX: Final = "Linux/UNIX"
_LOOKS: Final = {
    "availability-zone": path("AvailabilityZone"),
    "instance-type": path("InstanceType"),
    "product-description": path("ProductDescription"),
    "spot-price": path("SpotPrice"),
}


@handles("ec2", "DescribeSpotPriceHistory")
def describe_history(account: Account, call: Call) -> dict[str, Any]:
    """List the newest spot price of each type and zone, for Linux."""
    params = call.params
    asked = set(params.get("ProductDescriptions") or [_LINUX])
    if not asked & {_LINUX, f"{_LINUX} (Amazon VPC)"}:
        return {"SpotPriceHistory": [], "NextToken": ""}
    names = set(params.get("InstanceTypes") or ())
    zone = str(params.get("AvailabilityZone") or "")
    now_ms = account.clock.now_ms()
    market = market_of(account, call.region)
    rows = [
        {
            "AvailabilityZone": offering.zone,
            "InstanceType": one.name,
            "ProductDescription": _LINUX,
            "SpotPrice": f"{market.price((one.name, offering.zone, SPOT), now_ms) / NANO:.6f}",
            "Timestamp": moment(now_ms // _HOUR_MS * _HOUR_MS),
        }
        for one in market.types.values()
        if not names or one.name in names
        for offering in one.offerings
        if offering.capacity_type == SPOT and zone in ("", offering.zone)
    ]
    chosen = select(rows, params.get("Filters"), _LOOKS)
    some, more = page(chosen, params.get("NextToken"), int(params.get("MaxResults") or _PAGE))
    return with_token({"SpotPriceHistory": some}, "NextToken", more)
