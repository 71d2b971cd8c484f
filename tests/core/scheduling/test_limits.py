"""Limits: never overshot, whatever type each node becomes, and never refused too early."""

import pytest

from builders import a_managed_node, a_node_claim, a_pod, a_pool, a_type, pods, want
from builders.solving import a_board, codes_of, plan_of, sizes_of
from nodewright.core.scheduling.board import Fitting
from nodewright.core.scheduling.solve import Effort
from nodewright.model.labels import INSTANCE_TYPE

S, M, L = a_type("s", cpu=2), a_type("m", cpu=4), a_type("l", cpu=8)


def room_of(*things):
    board, _ = a_board(*things)
    return {name: room / 1000 for one in board.limits.values() for name, room in one.room.items()}


def largest(plan, resource="cpu", types=(S, M, L)):
    sizes = {one.name: one.capacity[resource] // 1000 for one in types}
    return sum(max(sizes[name] for name in node.instance_types) for node in plan.new_nodes)


def test_a_pool_without_limits_has_none():
    assert room_of(a_pod(cpu=1), M) == {}


def test_nodes_of_the_pool_use_up_its_limit():
    node, claim = a_managed_node(cpu=4)
    pool = a_pool(limits={"cpu": 10, "nodes": 3})
    assert room_of(pool, node, claim, M) == {"cpu": 6, "nodes": 2}


def test_nodes_on_their_way_out_and_of_other_pools_do_not():
    leaving = a_managed_node("old", deleted="2026-11-15T08:00:00Z")
    other = a_managed_node("other", pool="other")
    pool = a_pool(limits={"cpu": 10, "nodes": 3})
    assert room_of(pool, a_pool("other"), leaving, other, M) == {"cpu": 10, "nodes": 3}


def test_a_claim_without_a_node_counts():
    claim = a_node_claim(labels={INSTANCE_TYPE: "m"}, cpu=4)
    assert room_of(a_pool(limits={"cpu": 10}), claim, M) == {"cpu": 6}


@pytest.mark.parametrize("effort", Effort)
def test_the_number_of_nodes_is_never_overshot(effort):
    plan = plan_of(pods(5, cpu=1, ports=[80]), a_pool(limits={"nodes": 2}), S, M, effort=effort)
    assert len(plan.new_nodes) == 2
    assert set(codes_of(plan).values()) == {"NW-1209"}
    assert len(codes_of(plan)) == 3


def test_no_nodes_left_means_no_node():
    node, claim = a_managed_node(cpu=1)
    plan = plan_of(a_pod(cpu=2), a_pool(limits={"nodes": 1}), node, claim, M)
    assert codes_of(plan) == {"pod": "NW-1209"}


@pytest.mark.parametrize("effort", Effort)
def test_a_batch_is_filled_as_far_as_the_limit_goes(effort):
    plan = plan_of(pods(6, cpu=2), a_pool(limits={"cpu": 8}), S, M, L, effort=effort)
    assert sum(sizes_of(plan)) == 4
    assert largest(plan) <= 8


def test_room_for_a_small_node_is_not_refused_because_a_large_one_would_not_fit():
    # The largest type alone would eat the limit; both pods fit on small ones.
    pods_apart = pods(2, cpu="500m", ports=[80])
    plan = plan_of(pods_apart, a_pool(limits={"cpu": 8}), S, L)
    assert plan.unschedulable == {}
    assert len(plan.new_nodes) == 2
    assert largest(plan) <= 8


def test_any_resource_may_be_limited():
    gpu = a_type("gpu", more={"example.com/gpu": 1})
    pool = a_pool(limits={"example.com/gpu": 2})
    plan = plan_of(pods(3, requests={"example.com/gpu": 1}), pool, gpu)
    assert len(plan.new_nodes) == 2


def test_a_limit_that_is_used_up_exactly_is_fine():
    assert plan_of(pods(2, cpu=4), a_pool(limits={"cpu": 8}), M).unschedulable == {}


def test_limits_hold_with_a_demand_for_choice():
    choice = [want(INSTANCE_TYPE, "Exists", at_least=2)]
    pool = a_pool(limits={"cpu": 8}, requirements=choice)
    plan = plan_of(pods(4, cpu=2, ports=[80]), pool, S, M, L)
    assert all(len(node.instance_types) >= 2 for node in plan.new_nodes)
    assert largest(plan) <= 8


def test_what_was_charged_comes_back():
    board, (shape,) = a_board(a_pod(cpu=3), a_pool(limits={"cpu": 10, "nodes": 2}), M, L)
    (supply,) = board.supplies
    limits = board.limits[supply]
    draft = board.new_draft(supply)
    fitting = board.on_draft(shape, shape.ladder[0], draft)
    assert isinstance(fitting, Fitting)
    board.put_on_draft(shape, 0, draft, fitting)
    assert limits.room == {"cpu": 6000, "nodes": 1000}
    assert limits.repeats(draft) == 1
    limits.refund(draft)
    assert limits.room == {"cpu": 10000, "nodes": 2000}


def test_a_finished_list_is_cut_to_what_the_limit_bears():
    board, (shape,) = a_board(pods(2, cpu=3), a_pool(limits={"cpu": 12}), M, L)
    (supply,) = board.supplies
    drafts = []
    for _ in range(2):
        draft = board.new_draft(supply)
        board.put_on_draft(shape, 0, draft, board.on_draft(shape, shape.ladder[0], draft))
        drafts.append(draft)
    limits = board.limits[supply]
    assert [supply.alive_names(limits.cut(draft, draft.bits)) for draft in drafts] == [
        ("m", "l"),
        ("m",),
    ]
    assert limits.room["cpu"] == 0
