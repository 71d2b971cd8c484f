"""Consolidation: cheaper ends, few moves, and a reason for everything that stays."""

import pytest
from msgspec.structs import replace

from builders import ZONES, a_pod, a_type, an_offering, want
from builders.fleet import (
    BOTH_SIZES,
    SIZES,
    a_fleet_node,
    a_fleet_pool,
    a_policy,
    decided,
    gone,
    on,
)
from builders.world import NOW_MS
from nodewright.model.disruption import Memory, Method, Settings, Swap
from nodewright.model.labels import CAPACITY_TYPE, SPOT


def test_the_emptier_node_goes_into_the_room_of_the_fuller():
    low, high = a_fleet_node("low"), a_fleet_node("high")
    answer = decided(low, high, on(low, "500m"), on(high, "3"))

    assert gone(answer) == {"low"}
    assert answer.commands[0].moves == {"default/pod-low-0": "high"}
    assert answer.commands[0].savings == 200_000_000


def test_a_node_that_is_too_large_becomes_a_smaller_one():
    node = a_fleet_node("n", 16)
    (command,) = decided(node, on(node, "1500m")).commands

    assert command.method is Method.SINGLE
    assert [one.offering.instance_type for one in command.replacements] == ["m.2"]
    assert command.moves == {"default/pod-n-0": 0}


def test_many_nodes_become_fewer_cheaper_ones_in_one_command():
    dear = a_type("old.4", cpu=4, memory="16Gi", price=0.4)
    nodes = [a_fleet_node(f"n{i}", 4, kind=dear) for i in range(4)]
    answer = decided(*SIZES, dear, *nodes, *(on(node, "1", "1") for node in nodes))

    (command,) = answer.commands
    assert len(command.nodes) == 4
    assert command.savings > 0
    assert sum(one.offering.price for one in command.replacements) == 400_000_000
    assert len(command.moves) == 8


def test_nothing_is_bought_that_costs_the_same():
    node = a_fleet_node("n", 4)

    assert decided(node, on(node, "3900m")).kept["n"].code == "NW-4202"


def test_types_whose_dearest_offer_is_not_cheaper_are_left_out():
    twofold = a_type(
        "odd",
        cpu=2,
        memory="8Gi",
        offerings=[an_offering(ZONES[0], price=0.05), an_offering(ZONES[1], price=9.0)],
    )
    node = a_fleet_node("n", 16)
    (command,) = decided(*SIZES, twofold, node, on(node, "1500m")).commands

    assert "odd" not in command.replacements[0].instance_types


def test_on_demand_becomes_spot_and_nothing_else_where_the_pool_allows_both():
    node = a_fleet_node("n", 4)
    (command,) = decided(*BOTH_SIZES, node, on(node, "3")).commands

    assert command.replacements[0].requirements[CAPACITY_TYPE].values == {SPOT}


def test_spot_is_replaced_by_spot_only_with_the_gate():
    node = a_fleet_node("n", 16, capacity_type="spot")
    things = (*BOTH_SIZES, node, on(node, "1"))

    assert decided(*things).kept["n"].code == "NW-4204"
    gated = decided(*things, feature_gates={"SpotToSpotConsolidation": True})
    assert gated.kept["n"].code == "NW-4205"


def test_spot_nodes_are_still_deleted_without_the_gate():
    low, high = (a_fleet_node(name, capacity_type="spot") for name in ("low", "high"))

    assert gone(decided(*BOTH_SIZES, low, high, on(low, "500m"), on(high, "3"))) == {"low"}


def test_a_spot_node_with_fifteen_cheaper_types_is_replaced_by_the_cheapest_fifteen():
    cheap = [
        a_type(f"s{i:02d}", cpu=2, memory="8Gi", price=0.05 + i / 1000, capacity_types=("spot",))
        for i in range(20)
    ]
    node = a_fleet_node("n", 16, capacity_type="spot")
    gates = {"SpotToSpotConsolidation": True}
    (command,) = decided(*BOTH_SIZES, *cheap, node, on(node, "1500m"), feature_gates=gates).commands

    assert len(command.replacements[0].instance_types) == 15
    assert "s00" in command.replacements[0].instance_types


def test_a_saving_that_does_not_pay_for_its_moves_is_left():
    near = a_type("near", cpu=4, memory="16Gi", price=0.199)
    node = a_fleet_node("n", 4)
    things = (*SIZES, near, node, on(node, "3900m"))

    assert decided(*things).commands == ()
    eager = decided(*things, a_policy(payback="0s"))
    assert gone(eager) == {"n"}


def test_a_swap_that_was_made_the_other_way_round_lately_is_refused():
    node = a_fleet_node("n", 16)
    swap = Swap("default", ("m.2",), ("m.16",), NOW_MS - 60_000)
    things = (node, on(node, "1500m"))

    assert decided(*things, memory=Memory(swaps=(swap,))).kept["n"].code == "NW-4114"
    old = replace(swap, at_ms=NOW_MS - 3_600_000)
    assert gone(decided(*things, memory=Memory(swaps=(old,)))) == {"n"}


@pytest.mark.parametrize(("moves", "wanted"), [(("Empty",), set()), (("Delete",), {"low"})])
def test_a_policy_says_which_moves_are_allowed(moves, wanted):
    low, high = a_fleet_node("low"), a_fleet_node("high")
    answer = decided(low, high, on(low, "500m"), on(high, "3"), a_policy(moves=moves))

    assert gone(answer) == wanted


def test_only_empty_nodes_of_a_cautious_pool_go():
    low, high = a_fleet_node("low"), a_fleet_node("high")
    pool = a_fleet_pool(policy="WhenEmpty")

    assert decided(pool, low, high, on(low, "500m"), on(high, "3")).kept["low"].code == "NW-4106"


def test_pods_without_another_place_keep_their_node_and_are_named():
    node = a_fleet_node("n", labels={"rack": "one"})
    pool = a_fleet_pool()
    pod = a_pod("p", cpu="1", node="n", selector={"rack": "one"})
    kept = decided(pool, node, pod).kept["n"]

    assert kept.code == "NW-4201"
    assert kept.values["pod"] == "default/p"


def test_the_last_two_replicas_do_not_go_together():
    a, b, big = a_fleet_node("a", 1), a_fleet_node("b", 1), a_fleet_node("big", 8)
    things = (a, b, big, on(a, "600m", app="web"), on(b, "600m", app="web"), on(big, "6", app="x"))
    answer = decided(*things)

    assert len(gone(answer)) == 1
    assert {one.code for one in answer.kept.values()} >= {"NW-4013"}
    assert len(gone(decided(*things, settings=Settings(to_end=True)))) == 2


def test_pods_of_a_node_that_is_gone_do_not_stand_in_for_the_last_replicas():
    low, big = a_fleet_node("low", 1), a_fleet_node("big", 8)
    there = (low, big, on(low, "600m", app="web"), on(big, "6", app="x"))
    lost = a_fleet_node("lost", 1)

    assert gone(decided(*there)) == {"low"}
    answer = decided(*there, on(lost, "600m", app="web"))
    assert not gone(answer)
    assert answer.kept["low"].code == "NW-4013"


def test_a_node_within_its_quiet_time_takes_nobody():
    low, high = a_fleet_node("low", quiet_ms=3_600_000), a_fleet_node("high", quiet_ms=1000)
    pool = a_fleet_pool(after="5m")
    answer = decided(pool, low, high, on(low, "500m"), on(high, "3"))

    assert all(place != "high" for one in answer.commands for place in one.moves.values())


def test_a_balanced_pool_wants_half_of_what_an_average_node_saves():
    kinds = [
        a_type("big", cpu=8, memory="32Gi", price=4.84),
        a_type("low", cpu=8, memory="32Gi", price=2.42),
    ]
    pool = a_fleet_pool(
        policy="Balanced",
        requirements=[want("node.kubernetes.io/instance-type", "In", "big", "low")],
    )
    nodes = [a_fleet_node(f"n{i}", 8, kind=kinds[0]) for i in range(10)]
    pods = [on(node, *("990m",) * 8) for node in nodes]

    assert len(gone(decided(pool, kinds, *nodes, *pods))) == 10
    dearer = a_type("huge", cpu=8, memory="32Gi", price=9.68)
    mixed = [a_fleet_node(f"n{i}", 8, kind=dearer if i < 2 else kinds[0]) for i in range(10)]
    answer = decided(pool, *kinds, dearer, *mixed, *(on(node, *("990m",) * 8) for node in mixed))
    assert gone(answer) >= {"n0", "n1"}
