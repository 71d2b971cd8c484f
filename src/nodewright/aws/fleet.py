"""CreateFleet: one machine, out of everything that would do.

The fleet is `instant`: it answers with the machine or with why there is none, and keeps no wish. The
client token makes the call repeatable, so everything in it is in a fixed order.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.tags import CLAIM, tag_specification
from nodewright.aws.template import Reservation
from nodewright.model.instance import NANO
from nodewright.model.labels import SPOT

TYPES_MAX: Final = 60
TOKEN_LENGTH_MAX: Final = 64


class Override(msgspec.Struct, frozen=True, order=True):
    """One type in one subnet, at a price in nano-dollars per hour."""

    price: int
    instance_type: str
    zone: str
    subnet_id: str
    image_id: str


class Config(msgspec.Struct, frozen=True):
    """A launch template and what it may be launched as."""

    template: str
    overrides: tuple[Override, ...]


class FleetWish(msgspec.Struct, frozen=True):
    """A machine that is wanted: under which token, for which claim, as what."""

    token: str
    claim: str
    capacity_type: str
    configs: tuple[Config, ...]
    tags: Mapping[str, str] = {}
    reservation: Reservation | None = None
    by_priority: bool = False
    context: str = ""


def fleet_request(wish: FleetWish) -> dict[str, Any]:
    """Give the parameters of CreateFleet; cheaper overrides come first."""
    assert 0 < len(wish.token) <= TOKEN_LENGTH_MAX, "EC2 takes no longer token"
    types = {one.instance_type for config in wish.configs for one in config.overrides}
    assert 0 < len(types) <= TYPES_MAX, "a launch names some types, and not too many"
    request: dict[str, Any] = {
        "ClientToken": wish.token,
        "Type": "instant",
        "TargetCapacitySpecification": {
            "TotalTargetCapacity": 1,
            "DefaultTargetCapacityType": _target_kind(wish),
        },
        "LaunchTemplateConfigs": [_config(one) for one in wish.configs],
        "TagSpecifications": [
            tag_specification("instance", {**wish.tags, CLAIM: wish.claim}),
            tag_specification("volume", wish.tags),
            tag_specification("fleet", wish.tags),
        ],
    }
    if wish.capacity_type == SPOT:
        strategy = (
            "capacity-optimized-prioritized" if wish.by_priority else "price-capacity-optimized"
        )
        request["SpotOptions"] = {"AllocationStrategy": strategy}
    elif _target_kind(wish) == "on-demand":
        strategy = "prioritized" if wish.by_priority else "lowest-price"
        request["OnDemandOptions"] = {"AllocationStrategy": strategy}
    if wish.context:
        request["Context"] = wish.context
    return request


def _target_kind(wish: FleetWish) -> str:
    if wish.capacity_type == SPOT:
        return SPOT
    if wish.reservation is not None and wish.reservation.kind == "capacity-block":
        return "capacity-block"
    if wish.reservation is not None and wish.reservation.is_interruptible:
        return "reserved-capacity"
    # A plain reservation is on-demand capacity that is paid for already.
    return "on-demand"


def _config(config: Config) -> dict[str, Any]:
    return {
        "LaunchTemplateSpecification": {
            "LaunchTemplateName": config.template,
            "Version": "$Latest",
        },
        "Overrides": [
            {
                "InstanceType": one.instance_type,
                "SubnetId": one.subnet_id,
                "AvailabilityZone": one.zone,
                "ImageId": one.image_id,
                "Priority": one.price / NANO,
            }
            for one in sorted(config.overrides)
        ],
    }
