"""The instance types of a region, as the rest of the program sees them."""

import time

import pytest

from nodewright.catalog.resolve import instance_types_for, regions
from nodewright.catalog.settings import NodeSettings, SubnetZone
from nodewright.model.errors import UserError
from nodewright.model.quantity import MILLI

PRICES = {
    ("us-east-1", "m5.large"): (96_000_000, False),
    ("us-east-1", "c7i.2xlarge"): (357_000_000, False),
    ("ap-northeast-2", "m5.large"): (118_000_000, False),
    ("ap-northeast-2", "m8g.large"): (110_335_000, True),
}


def named(region, name, settings=None):
    types = instance_types_for(region, settings or NodeSettings())
    return next(found for found in types if found.name == name)


def test_the_regions_of_three_partitions_are_known():
    known = regions()
    assert len(known) == 35
    assert {"us-east-1", "ap-northeast-2", "cn-north-1", "us-gov-west-1"} <= set(known)


def test_an_unknown_region_is_a_users_mistake():
    with pytest.raises(UserError, match="no region"):
        instance_types_for("us-east-9")


def test_types_are_sorted_and_unique():
    names = [found.name for found in instance_types_for("eu-west-1")]
    assert names == sorted(set(names))
    assert len(names) > 1000


def test_machines_that_cannot_run_kubernetes_are_left_out():
    assert not any(found.name.startswith("mac") for found in instance_types_for("us-east-1"))


@pytest.mark.parametrize(("where", "expected"), PRICES.items())
def test_prices_are_quoted_or_marked_as_estimates(where, expected):
    offer = next(offer for offer in named(*where).offerings if offer.capacity_type == "on-demand")
    assert (offer.price, offer.price_is_estimate) == expected


def test_the_same_region_and_settings_are_answered_from_memory():
    assert instance_types_for("us-west-1") is instance_types_for("us-west-1", NodeSettings())


def test_settings_reach_capacity_labels_and_offerings():
    settings = NodeSettings(max_pods=7, zones=(SubnetZone("us-east-1c"),))
    found = named("us-east-1", "m5.large", settings)
    assert found.capacity["pods"] == 7 * MILLI
    assert found.requirements["topology.kubernetes.io/zone"].values == {"us-east-1c"}
    assert {offer.zone for offer in found.offerings} == {"us-east-1c"}


def test_a_region_without_any_usable_zone_sells_nothing():
    found = named("us-east-1", "m5.large", NodeSettings(zones=(SubnetZone("eu-west-1a"),)))
    assert found.offerings == ()
    assert found.requirements["topology.kubernetes.io/zone"].operator == "DoesNotExist"


def test_al2023_cannot_run_on_a1():
    assert not any(offer.available for offer in named("us-east-1", "a1.large").offerings)


def test_the_largest_region_resolves_quickly():
    started = time.process_time()
    instance_types_for("us-east-1", NodeSettings(max_pods=42))
    # A tenth of a second on an idle machine; the bound leaves room for a busy one.
    assert time.process_time() - started < 1.5
