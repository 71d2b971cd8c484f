"""The lower bound: never above any plan, and as high as the best one where that is easy to see."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_node, a_pod, a_pool, a_taint, a_term, a_type, a_world, an_offering, pods
from nodewright.core.scheduling.bound import lower_bound
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.model.instance import NANO
from nodewright.model.plan import Plan
from nodewright.state.snapshot import read_snapshot
from problems import generate

NEAR = 1e-6
APART = a_term()


def bound_of(*things, plan=None):
    """Give the bound in dollars per hour for a World of these things."""
    return lower_bound(a_world(*things), plan or Plan()) / NANO


def cheapest(sizes, types):
    """Find the least price of any way to put pods (in cpus) on machines, trying them all."""
    best = float("inf")
    for homes in product(range(len(sizes)), repeat=len(sizes)):
        loads = {}
        for home, size in zip(homes, sizes, strict=True):
            loads[home] = loads.get(home, 0) + size
        price = sum(
            min((cost for room, cost in types if room >= load), default=float("inf"))
            for load in loads.values()
        )
        best = min(best, price)
    return best


def on_sale(types):
    return [a_type(f"t{room}", cpu=room, price=cost) for room, cost in types]


def workload(sizes):
    return [a_pod(f"p{number}", cpu=size) for number, size in enumerate(sizes)]


def test_one_pod_costs_at_least_the_cheapest_machine_that_holds_it():
    assert bound_of(a_pod(cpu=3), on_sale([(2, 0.1), (4, 0.3), (8, 0.5)])) == pytest.approx(0.3)


def test_no_pods_cost_nothing():
    assert bound_of(a_type()) == 0


def test_pods_that_keep_off_each_others_hosts_need_a_machine_each():
    crowd = pods(5, cpu="100m", labels={"app": "web"}, apart=[APART])

    assert bound_of(crowd, a_type(cpu=4, price=0.2)) == pytest.approx(1.0)


def test_pods_that_select_others_may_share_a_machine():
    crowd = pods(4, cpu=1, labels={"app": "db"}, apart=[APART])

    assert bound_of(crowd, a_type(cpu=4, price=0.2)) == pytest.approx(0.2)


def test_room_on_nodes_that_are_paid_for_costs_nothing():
    assert bound_of(pods(3, cpu=1), a_node(cpu=4), a_type(cpu=4, price=0.2)) == 0


def test_what_does_not_fit_on_nodes_that_are_paid_for_is_bought():
    things = (pods(2, cpu=4), a_node(cpu=5), a_type(cpu=4, price=0.2))

    assert bound_of(*things) == pytest.approx(0.2)


def test_a_node_that_no_pod_tolerates_helps_nobody():
    node = a_node(cpu=8, taints=[a_taint("team", "a")])

    assert bound_of(pods(2, cpu=4), node, a_type(cpu=4, price=0.2)) == pytest.approx(0.4)


def test_reserved_machines_are_as_many_as_are_left():
    reserved = an_offering(price=0.01, reservation="cr-1", left=1)
    kind = a_type(cpu=4, offerings=[reserved, an_offering(price=0.2)])

    assert bound_of(pods(3, cpu=4), kind) == pytest.approx(0.41)


def test_pods_that_are_left_out_are_not_paid_for():
    world = a_world(a_pod("small", cpu=1), a_pod("huge", cpu=99), a_type(cpu=4, price=0.2))
    plan = solve(world)

    assert set(plan.unschedulable) == {"default/huge"}
    assert lower_bound(world, plan) / NANO == pytest.approx(0.2)


def test_a_pod_pays_for_what_it_may_run_on():
    arm = a_type("arm", cpu=4, price=0.1, labels={"kubernetes.io/arch": "arm64"})
    picky = a_pod(cpu=4, selector={"kubernetes.io/arch": "amd64"})

    assert bound_of(picky, arm, a_type("amd", cpu=4, price=0.3)) == pytest.approx(0.3)


def test_a_pool_that_is_tainted_serves_those_who_tolerate_it():
    pools = (a_pool("open"), a_pool("shut", taints=[a_taint("team", "a")]))
    types = {"open": [a_type("dear", price=0.3)], "shut": [a_type("cheap", price=0.1)]}
    world = a_world(pools, a_pod(cpu=4), types=types)

    assert lower_bound(world, Plan()) / NANO == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("sizes", "types"),
    [
        ([1, 1, 1, 1], [(4, 0.2), (1, 0.06)]),
        ([3, 3, 3], [(4, 0.2)]),
        ([3, 3, 1, 1], [(4, 0.2), (8, 0.45)]),
        ([2, 2, 2, 2, 2], [(2, 0.1), (8, 0.41)]),
        ([5, 3, 2], [(10, 0.5), (5, 0.3)]),
        ([4, 4, 3, 1], [(8, 0.5), (4, 0.2)]),
    ],
)
def test_tiny_problems_are_bounded_by_their_best_plan(sizes, types):
    bound = bound_of(workload(sizes), on_sale(types))

    assert bound == pytest.approx(cheapest(sizes, types), rel=NEAR)


@settings(max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 8), min_size=1, max_size=5),
    prices=st.lists(st.integers(1, 90), min_size=3, max_size=3),
)
def test_no_way_to_put_few_pods_on_machines_costs_less(sizes, prices):
    types = [(room, cost / 100) for room, cost in zip((2, 4, 8), prices, strict=True)]

    assert bound_of(workload(sizes), on_sale(types)) <= cheapest(sizes, types)


@pytest.mark.parametrize("seed", range(40))
def test_no_plan_of_a_random_problem_costs_less(seed):
    world = read_snapshot(json.dumps(generate(seed)).encode(), "problem").world
    plan = solve(world, Effort.NORMAL)

    assert lower_bound(world, plan) <= plan.price


@pytest.mark.soak
@pytest.mark.parametrize("size", ["small", "medium"])
@pytest.mark.parametrize("block", range(20))
def test_no_plan_of_many_random_problems_costs_less(block, size):
    for seed in range(1000 + block * 50, 1050 + block * 50):
        world = read_snapshot(json.dumps(generate(seed, size)).encode(), "problem").world
        plan = solve(world, Effort.NORMAL)
        assert lower_bound(world, plan) <= plan.price, seed


def test_the_bound_is_the_same_every_time():
    world = read_snapshot(json.dumps(generate(7, "medium")).encode(), "problem").world
    plan = solve(world)

    assert lower_bound(world, plan) == lower_bound(world, plan)
