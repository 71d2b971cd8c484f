import pytest

from forecast.small import MINUTE_MS, a_setup
from nodewright.forecast.policies.bound import bound_cost
from nodewright.forecast.setup import types_on_sale
from nodewright.trace.entry import Arrival, Size, Trace


def bound(*entries, length_ms):
    return bound_cost(a_setup(), Trace("t", iter(entries), length_ms), 1).cost


def test_a_pod_costs_the_cheapest_fraction_of_a_machine_for_its_time():
    cheapest = min(
        offer.price / one.allocatable["cpu"]
        for one in types_on_sale(a_setup())
        for offer in one.offerings
    )
    size = Size({"cpu": "2"})

    cost = bound(Arrival(0, "a/p", size, until_ms=60 * MINUTE_MS), length_ms=60 * MINUTE_MS)

    assert cost == pytest.approx(cheapest * 2000 / 1e9, rel=1e-6)


def test_twice_the_pods_cost_twice_and_a_part_of_ten_minutes_counts_as_such():
    size = Size({"cpu": "1", "memory": "4Gi"})
    one = bound(Arrival(0, "a/p", size), length_ms=30 * MINUTE_MS)

    assert bound(Arrival(0, "a/p", size, count=2), length_ms=30 * MINUTE_MS) == pytest.approx(
        2 * one
    )
    assert bound(Arrival(0, "a/p", size), length_ms=33 * MINUTE_MS) == pytest.approx(1.1 * one)
    assert bound(Arrival(0, "a/p", size, lasts_ms=0), length_ms=30 * MINUTE_MS) == 0.0
