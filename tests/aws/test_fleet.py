"""CreateFleet: what is asked for."""

import json
from pathlib import Path

import pytest

from builders.awslaunches import mistakes
from nodewright.aws.fleet import Config, FleetWish, Override, fleet_request
from nodewright.aws.tags import shared_tags
from nodewright.aws.template import Reservation

GOLDEN = Path(__file__).parent / "golden" / "CreateFleet.json"
TOKEN = "11111111-2222-3333-4444-555555555555-0"
BLOCK = Reservation("cr-1", "capacity-block")


def an_override(name="m5.large", zone="us-west-2a", price=96_000_000):
    return Override(price, name, zone, f"subnet-{zone[-1]}", "ami-1")


def a_wish(capacity_type="on-demand", overrides=(), **more):
    config = Config("karpenter.k8s.aws/1234", tuple(overrides) or (an_override(),))
    tags = shared_tags("demo", "default", "standard", {"team": "search"})
    return FleetWish(TOKEN, "default-abcde", capacity_type, (config,), tags, **more)


def test_a_fleet_is_asked_for_as_the_golden_request_shows():
    overrides = [
        an_override("m5.large", "us-west-2b", 40_000_000),
        an_override("m6i.large", "us-west-2a", 38_500_000),
    ]

    assert fleet_request(a_wish("spot", overrides)) == json.loads(GOLDEN.read_text())


@pytest.mark.parametrize(
    "wish",
    [
        a_wish(),
        a_wish("spot", context="arn:context"),
        a_wish("spot", by_priority=True),
        a_wish(by_priority=True),
        a_wish("reserved", reservation=BLOCK),
        a_wish("reserved", reservation=Reservation("cr-1", is_interruptible=True)),
    ],
)
def test_botocore_knows_everything_that_is_asked(wish):
    assert mistakes("ec2", "CreateFleet", fleet_request(wish)) == []


@pytest.mark.parametrize(
    ("wish", "kind", "options", "strategy"),
    [
        (a_wish("spot"), "spot", "SpotOptions", "price-capacity-optimized"),
        (a_wish(), "on-demand", "OnDemandOptions", "lowest-price"),
        (a_wish(by_priority=True), "on-demand", "OnDemandOptions", "prioritized"),
        (
            a_wish("spot", by_priority=True),
            "spot",
            "SpotOptions",
            "capacity-optimized-prioritized",
        ),
    ],
)
def test_each_capacity_type_has_its_strategy(wish, kind, options, strategy):
    request = fleet_request(wish)

    assert request["TargetCapacitySpecification"]["DefaultTargetCapacityType"] == kind
    assert request[options] == {"AllocationStrategy": strategy}


@pytest.mark.parametrize(
    ("reservation", "kind"),
    [
        (Reservation("cr-1"), "on-demand"),
        (BLOCK, "capacity-block"),
        (Reservation("cr-1", is_interruptible=True), "reserved-capacity"),
    ],
)
def test_reserved_capacity_is_asked_for_by_its_sort(reservation, kind):
    request = fleet_request(a_wish("reserved", reservation=reservation))

    assert request["TargetCapacitySpecification"]["DefaultTargetCapacityType"] == kind


def test_only_the_machine_carries_the_claim():
    tags = {
        one["ResourceType"]: {tag["Key"] for tag in one["Tags"]}
        for one in fleet_request(a_wish())["TagSpecifications"]
    }

    assert set(tags) == {"instance", "volume", "fleet"}
    assert [kind for kind in tags if "karpenter.sh/nodeclaim" in tags[kind]] == ["instance"]


def test_more_types_than_a_fleet_takes_are_a_broken_promise():
    with pytest.raises(AssertionError):
        fleet_request(a_wish(overrides=[an_override(f"m{n}.large") for n in range(61)]))
