"""Repair: a broken node is hurried, then ended, while few of its pool are broken."""

from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import a_fleet_node, a_fleet_pool, fleet_world
from core.disruption.test_forceful import broken
from nodewright.core.repair import BLOCKED, repair
from nodewright.core.termination_drain import DEADLINE
from nodewright.model.beside import Beside
from nodewright.model.disruption import AWS_RULES
from nodewright.model.instant import print_instant

MINUTE_MS = 60_000


def a_sick_node(name, age_ms=31 * MINUTE_MS):
    return broken(a_fleet_node(name), ("Ready", "False", age_ms))


def answer(*things, gate=True):
    world = fleet_world(a_fleet_pool(), *things)
    options = replace(world.options, feature_gates={"NodeRepair": gate})
    return list(repair(replace(world, options=options, beside=Beside(repair_rules=AWS_RULES))))


def hurried(pair):
    node, claim = pair
    annotations = {DEADLINE: print_instant(NOW_MS)}
    return node, replace(claim, metadata=replace(claim.metadata, annotations=annotations))


def test_the_deadline_of_a_broken_node_is_now_and_then_it_is_deleted():
    (first,) = answer(a_sick_node("sick"))
    (then,) = answer(hurried(a_sick_node("sick")))

    assert first.change == {"metadata": {"annotations": {DEADLINE: print_instant(NOW_MS)}}}
    assert (then.kind, then.reason) == ("Delete", "unhealthy")


def test_a_node_that_is_not_broken_for_long_enough_is_looked_at_when_it_is():
    (decision,) = answer(a_sick_node("sick", 20 * MINUTE_MS))

    assert (decision.kind, decision.look_again_ms) == ("Keep", 10 * MINUTE_MS)


def test_where_many_are_broken_none_is_ended_and_that_is_told():
    nodes = [a_sick_node("one"), a_sick_node("two"), *(a_fleet_node(f"n{i}") for i in range(3))]
    decisions = answer(*nodes)

    assert {one.reason for one in decisions if one.kind == "Tell"} == {BLOCKED}
    assert not any(one.kind in ("Delete", "Change") for one in decisions)


def test_without_the_gate_nothing_is_repaired():
    assert answer(a_sick_node("sick"), gate=False) == []
