"""Limits, prices and reserved slots."""

from builders import (
    a_managed_node,
    a_plan,
    a_planned_node,
    a_pod,
    a_pool,
    a_type,
    a_world,
    an_offering,
    pods,
    want,
)
from nodewright.model.instance import NanoUSD
from nodewright.model.labels import CAPACITY_TYPE, RESERVATION_ID, ZONE
from nodewright.model.plan import ChosenOffering
from referee import judge


def rules(world, *nodes, **extra):
    return {found.rule for found in judge(world, a_plan(*nodes, **extra))}


def test_a_limit_holds_for_the_largest_type_on_the_list():
    pod, small, large = a_pod(), a_type("s", cpu=4), a_type("l", cpu=16)
    world = a_world(pod, small, large, a_pool(limits={"cpu": 8}))
    assert rules(world, a_planned_node([pod], [small])) == set()
    assert rules(world, a_planned_node([pod], [small, large])) == {"limit"}


def test_limits_are_counted_over_all_planned_nodes():
    one, two = pods(2)
    kind = a_type(cpu=4)
    nodes = [a_planned_node([pod], [kind]) for pod in (one, two)]
    assert rules(a_world(one, two, kind, a_pool(limits={"cpu": 8})), *nodes) == set()
    assert rules(a_world(one, two, kind, a_pool(limits={"cpu": 7})), *nodes) == {"limit"}
    assert rules(a_world(one, two, kind, a_pool(limits={"nodes": 1})), *nodes) == {"limit"}


def test_nodes_that_are_there_use_up_the_limit_and_leaving_ones_do_not():
    pod, kind = a_pod(), a_type(cpu=4)
    pool = a_pool(limits={"cpu": 6, "nodes": 1})
    node = a_planned_node([pod], [kind])
    assert rules(a_world(pod, kind, pool, a_managed_node(cpu=4)), node) == {"limit"}
    gone = a_managed_node(cpu=4, deleted="2026-11-15T09:00:00Z")
    assert rules(a_world(pod, kind, pool, gone), node) == set()


def test_a_price_that_is_not_the_offerings_is_caught():
    pod, kind = a_pod(), a_type(price=1)
    wrong = ChosenOffering("m", "zone-a", "on-demand", NanoUSD(5))
    assert rules(a_world(pod, kind), a_planned_node([pod], [kind], offering=wrong)) == {"price"}


def test_paying_more_than_needed_is_caught():
    pod, cheap, dear = a_pod(), a_type("c", price=1), a_type("d", price=2)
    world = a_world(pod, cheap, dear)
    wrong = ChosenOffering("d", "zone-a", "on-demand", NanoUSD(2_000_000_000))
    assert rules(world, a_planned_node([pod], [cheap, dear], offering=wrong)) == {"price"}


def test_a_sum_that_does_not_add_up_is_caught():
    pod, kind = a_pod(), a_type()
    assert rules(a_world(pod, kind), a_planned_node([pod], [kind]), price=7) == {"price"}


def test_types_are_listed_cheapest_first():
    pod, cheap, dear = a_pod(), a_type("c", price=1), a_type("d", price=2)
    assert rules(a_world(pod, cheap, dear), a_planned_node([pod], [dear, cheap])) == {"order"}


def a_reserved_type(name="r", left=1, reservation="cr-1"):
    return a_type(
        name,
        labels={RESERVATION_ID: reservation},
        offerings=[
            an_offering("zone-a", price=1),
            an_offering("zone-a", price=1, reservation=reservation, left=left),
        ],
    )


RESERVED = [want(CAPACITY_TYPE, "In", "reserved"), want(RESERVATION_ID, "In", "cr-1")]
PAID = [want(CAPACITY_TYPE, "In", "on-demand")]


def test_a_reserved_slot_that_is_free_goes_first():
    pod, kind = a_pod(), a_reserved_type()
    world = a_world(pod, kind)
    assert rules(world, a_planned_node([pod], [kind], requirements=RESERVED)) == set()
    dear = ChosenOffering("r", "zone-a", "on-demand", NanoUSD(1_000_000_000))
    assert rules(world, a_planned_node([pod], [kind], offering=dear)) == {"reserved"}


def test_no_more_nodes_than_slots_may_draw_on_a_reservation():
    one, two = pods(2)
    kind = a_reserved_type(left=1)
    nodes = [a_planned_node([pod], [kind], requirements=RESERVED) for pod in (one, two)]
    assert rules(a_world(one, two, kind), *nodes) == {"reserved"}
    roomy = a_reserved_type(left=2)
    nodes = [a_planned_node([pod], [roomy], requirements=RESERVED) for pod in (one, two)]
    assert rules(a_world(one, two, roomy), *nodes) == set()


def test_a_type_whose_only_slot_is_taken_by_another_node_is_caught():
    one, two = pods(2)
    mine = a_type(
        "a",
        labels={RESERVATION_ID: "cr-a"},
        offerings=[an_offering("zone-a", reservation="cr-a", left=1)],
    )
    both = a_type(
        "b",
        labels={RESERVATION_ID: "cr-b"},
        offerings=[an_offering("zone-a", reservation="cr-b", left=1)],
    )
    world = a_world(one, two, mine, both)
    pinned = a_planned_node([one], [mine])
    assert rules(world, pinned, a_planned_node([two], [both])) == set()
    taken = ChosenOffering("b", "zone-a", "reserved", NanoUSD(1_000_000_000))
    assert rules(world, pinned, a_planned_node([two], [both, mine], offering=taken)) == {"reserved"}


def test_a_full_reservation_is_no_offering():
    pod, kind = a_pod(), a_reserved_type(left=0)
    world = a_world(pod, kind)
    assert "offering" in rules(world, a_planned_node([pod], [kind], requirements=RESERVED))
    dear = ChosenOffering("r", "zone-a", "on-demand", NanoUSD(1_000_000_000))
    paid = a_planned_node([pod], [kind], requirements=PAID, offering=dear)
    assert rules(world, paid) == set()


def test_spot_in_a_zone_is_priced_by_its_own_offering():
    pod = a_pod(selector={ZONE: "zone-b"})
    kind = a_type(
        offerings=[an_offering("zone-a", "spot", 0.1), an_offering("zone-b", "spot", 0.3)]
    )
    world = a_world(pod, kind)
    assert rules(world, a_planned_node([pod], [kind], zone="zone-b")) == set()
