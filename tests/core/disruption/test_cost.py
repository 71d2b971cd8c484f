"""Costs: one a pod, more or less, within ten; and what is empty by it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import a_pod
from builders.fleet import a_fleet_node, decided, on
from nodewright.core.disruption.cost import ONE, node_cost, pod_cost
from nodewright.core.moving_cost import DELETION_COST, eviction_cost


def costing(text):
    return a_pod(annotations={DELETION_COST: text})


@pytest.mark.parametrize(
    ("text", "cost"),
    [("0", 1), ("134217728", 2), ("-134217728", 0), ("1e30", 10), ("-1e30", -10), ("dear", 1)],
)
def test_a_deletion_cost_is_scaled_and_bounded(text, cost):
    assert pod_cost(costing(text)) == cost * ONE


@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1))
def test_costs_agree_with_those_of_static_pools(priority, own):
    pod = costing(str(own))
    pod = replace(pod, spec=replace(pod.spec, priority=priority))

    assert pod_cost(pod) == eviction_cost(pod) * ONE


def test_a_node_costs_one_more_than_its_pods_and_glad_ones_count_nothing():
    assert node_cost([a_pod("a"), a_pod("b"), costing("-1e30")]) == 3 * ONE


def test_a_node_with_only_balloons_is_empty():
    node = a_fleet_node("n")
    (balloon,) = on(node, "1")
    balloon = replace(balloon, spec=replace(balloon.spec, priority=-1_000_000_000))

    assert decided(node, balloon).commands[0].reason == "Empty"
