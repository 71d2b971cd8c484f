"""Whole plans: right by an independent referee, never worse than first fit, the same every time."""

import json
import os
import subprocess
import sys

import msgspec
import pytest

from builders import (
    ZONES,
    a_node,
    a_pod,
    a_pool,
    a_spread,
    a_term,
    a_type,
    a_world,
    an_offering,
    pods,
    want,
)
from builders.solving import codes_of, home_of, plan_of, sizes_of, zones_of
from nodewright.core.scheduling.answer import write_plan
from nodewright.core.scheduling.firstfit import Filling, fill_first_fit, in_order
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.model.labels import ZONE
from nodewright.model.reason import Reason
from nodewright.state.snapshot import read_snapshot
from problems import generate
from referee import judge

WEB = {"app": "web"}


def problem_of(seed, size="small"):
    document = json.dumps(generate(seed, size)).encode()
    return read_snapshot(document, f"problem {size} {seed}").world


def faults(world, effort):
    return [str(one) for one in judge(world, solve(world, effort))]


def first_fit(world):
    """Plan by first fit alone, charging limits as it goes."""
    problem = Problem(world)
    board, shapes = problem.new_board()
    for limits in board.limits.values():
        limits.charges_largest = True
    filling = Filling(board)
    fill_first_fit(board, in_order([(s, pod) for s in shapes for pod in s.pods]), filling)
    left = {pod.key: None for _, pod in filling.left} | problem.selection.invalid
    return write_plan(filling, left, world.options.reservation_id_label)


@pytest.mark.parametrize("seed", range(60))
def test_a_quick_plan_of_a_random_problem_breaks_no_rule(seed):
    assert faults(problem_of(seed), Effort.FAST) == []


@pytest.mark.parametrize("seed", range(80, 110))
def test_a_plan_of_much_effort_breaks_no_rule(seed):
    assert faults(problem_of(seed), Effort.BEST) == []


@pytest.mark.parametrize(("seed", "effort"), list(enumerate([*Effort, *Effort])))
def test_a_plan_of_a_larger_problem_breaks_no_rule(seed, effort):
    assert faults(problem_of(seed, "medium"), effort) == []


@pytest.mark.soak
@pytest.mark.parametrize("part", range(20))
def test_plans_of_two_thousand_problems_break_no_rule(part):
    wrong = {
        (seed, effort): found
        for seed in range(part * 100, part * 100 + 100)
        for effort in Effort
        if (found := faults(problem_of(seed), effort))
    }
    assert wrong == {}


@pytest.mark.parametrize("seed", range(60))
def test_no_plan_is_worse_than_first_fit(seed):
    world = problem_of(seed)
    plan, simple = solve(world), first_fit(world)
    assert [str(one) for one in judge(world, plan)] == []
    assert plan.unschedulable.keys() <= simple.unschedulable.keys()
    if plan.unschedulable.keys() == simple.unschedulable.keys():
        assert plan.price <= simple.price


@pytest.mark.parametrize("seed", range(60, 80))
def test_more_effort_never_costs_more(seed):
    world = problem_of(seed)
    plans = [solve(world, effort) for effort in (Effort.NORMAL, Effort.BEST)]
    assert [str(one) for plan in plans for one in judge(world, plan)] == []
    left = [len(plan.unschedulable) for plan in plans]
    assert left[1] <= left[0]
    if left[0] == left[1]:
        assert plans[1].price <= plans[0].price


_PRINT = """
import hashlib, json, sys
sys.path.insert(0, sys.argv[1])
from problems import generate
from nodewright.app.planning import plan_document, plan_world
from nodewright.state.snapshot import read_snapshot
for seed in range(12):
    world = read_snapshot(json.dumps(generate(seed)).encode(), "x").world
    document = plan_document(plan_world(world)) | {"solveSeconds": 0}
    print(hashlib.sha256(json.dumps(document).encode()).hexdigest())
"""


def test_the_same_snapshot_gives_the_same_bytes_in_every_process():
    folder = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120
    printed = [
        subprocess.run(
            [sys.executable, "-c", _PRINT, folder],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "20261115")
    ]
    assert printed[0] == printed[1]
    assert len(printed[0].split()) == 12


def test_the_order_of_objects_in_a_snapshot_places_no_fewer_pods():
    world = a_world(pods(6, cpu=1, labels=WEB, spread=[a_spread()]), a_type(cpu=2))
    turned = msgspec.structs.replace(world, pods=world.pods[::-1])
    assert solve(world).price == solve(turned).price


def test_a_world_without_pods_needs_nothing():
    assert plan_of(a_type()) == plan_of(a_type(), a_node())
    assert plan_of(a_type()).new_nodes == ()


def test_a_world_without_types_says_so():
    assert len(plan_of(a_pod(cpu=1), types={"default": []}).unschedulable) == 1


def test_filtered_pools_leave_existing_capacity_in_use():
    nowhere = a_pool(requirements=[want(ZONE, "In", "zone-x")])
    fits, not_ = a_pod("fits", cpu=1), a_pod("not", cpu=9)
    plan = plan_of(fits, not_, nowhere, a_node(), a_type())
    assert home_of(plan, fits) == "node"
    assert codes_of(plan) == {"not": Reason.POOL_EMPTY.code}


def test_priority_changes_nothing():
    plain = a_pod("a", cpu=1)
    urgent = msgspec.structs.replace(plain, spec=msgspec.structs.replace(plain.spec, priority=9))
    assert solve(a_world(plain, a_type())) == solve(a_world(urgent, a_type()))


def test_spot_comes_before_on_demand_because_it_is_cheaper():
    plan = plan_of(a_pod(cpu=1), a_type(capacity_types=("on-demand", "spot")))
    assert plan.new_nodes[0].offering.capacity_type == "spot"


def test_many_rules_hold_at_once():
    plan = plan_of(
        pods(6, "web", cpu=1, labels=WEB, spread=[a_spread()], rather_apart=[(1, a_term())]),
        pods(3, "db", cpu=2, labels={"app": "db"}, apart=[a_term(ZONE, selector=None)]),
        a_pool("spot", weight=5, limits={"cpu": 8}),
        a_pool("base"),
        a_type("s", cpu=2, capacity_types=("on-demand", "spot")),
        a_type("l", cpu=8),
    )
    assert plan.unschedulable == {}
    assert sorted(set(zones_of(plan)) & set(ZONES)) == sorted(ZONES)


def test_a_type_whose_price_is_high_in_one_zone_is_bought_in_another():
    kind = a_type(offerings=[an_offering("zone-a", price=5), an_offering("zone-b", price=1)])
    plan = plan_of(pods(4, cpu=1), kind)
    assert {node.offering.zone for node in plan.new_nodes} == {"zone-b"}
    assert sum(sizes_of(plan)) == 4
