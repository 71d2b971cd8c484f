"""Karpenter's methods on small clusters: what goes, for what, and what it does not even try."""

from builders import a_type
from builders.fleet import BOTH_SIZES, a_fleet_node, fleet_world, gone, on
from nodewright.forecast.policies.karpenter_rules import _longest, decide_as_karpenter
from nodewright.model.disruption import Memory, Method, Settings


def decided(*things, **options):
    world = fleet_world(*things, **options)
    return decide_as_karpenter(world, world.now_ms, Settings(to_end=True), Memory())


def test_empty_nodes_go_together_and_before_anything_else():
    empty = [a_fleet_node(f"e{i}") for i in range(2)]
    large = a_fleet_node("large", 16)

    answer = decided(*empty, large, on(large, "1"))

    assert [one.method for one in answer.commands] == [Method.EMPTINESS]
    assert gone(answer) == {"e0", "e1"}


def test_several_nodes_become_one_and_never_two():
    nodes = [a_fleet_node(f"n{i}", 8) for i in range(3)]

    (command,) = decided(*nodes, *(on(node, "1") for node in nodes)).commands

    assert command.method is Method.MULTI
    assert len(command.nodes) >= 2
    assert len(command.replacements) <= 1


def test_a_node_that_would_take_two_others_stays():
    # Two nodes of four would be cheaper than this one, and one of eight is not on sale.
    dear = a_type("old.8", cpu=8, memory="32Gi", price=2.0)
    small = a_type("m.4", cpu=4, memory="16Gi", price=0.2)
    node = a_fleet_node("n", 8, kind=dear)

    answer = decided(dear, small, node, on(node, "3", "3"))

    assert answer.commands == ()


def test_one_node_becomes_a_cheaper_one():
    node = a_fleet_node("n", 16)

    (command,) = decided(node, on(node, "1500m")).commands

    assert command.method is Method.SINGLE
    assert [one.offering.instance_type for one in command.replacements] == ["m.2"]


def test_spot_is_not_replaced_by_spot_unless_that_is_switched_on():
    node = a_fleet_node("n", 16, capacity_type="spot")
    things = (*BOTH_SIZES, node, on(node, "1500m"))
    gates = {"SpotToSpotConsolidation": True}

    assert decided(*things).commands == ()
    # Switched on it takes fifteen cheaper types, which are not on sale here.
    assert decided(*things, feature_gates=gates).commands == ()


def test_the_longest_run_is_found_by_halving():
    tried = []

    def goes(size):
        tried.append(size)
        return size <= 37

    assert _longest(100, goes) == 37
    assert len(tried) <= 7
    assert _longest(100, lambda _: False) == 0
    assert _longest(1, lambda _: True) == 0
