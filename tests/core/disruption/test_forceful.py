"""What no budget holds: age, and nodes that stay broken while few are."""

import pytest
from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import HOUR_MS, a_fleet_node, a_fleet_pool, decided, on
from nodewright.core.disruption.forceful import repairs_allowed
from nodewright.model.disruption import AWS_RULES, Settings
from nodewright.model.instant import print_instant
from nodewright.model.labels import NODEPOOL
from nodewright.model.metadata import Condition
from nodewright.model.nodepool import Budget

REPAIR = {"settings": Settings(repair_rules=AWS_RULES), "feature_gates": {"NodeRepair": True}}


def broken(node, *conditions):
    made, claim = node
    told = tuple(
        Condition(type=kind, status=status, last_transition_time=print_instant(NOW_MS - age_ms))
        for kind, status, age_ms in conditions
    )
    return replace(made, status=replace(made.status, conditions=told)), claim


def forced(answer):
    return [(one.reason, one.node) for one in answer.forceful]


def test_an_expired_node_goes_whatever_its_budget_says():
    old = a_fleet_node("old", age_ms=HOUR_MS, expire_after="1h")
    young = a_fleet_node("young", age_ms=HOUR_MS - 1000, expire_after="1h")
    answer = decided(a_fleet_pool(budgets=[Budget(nodes="0")]), old, young, on(young, "3900m"))

    assert forced(answer) == [("Expired", "old")]


def test_an_expired_node_uses_the_budget_of_others():
    old = a_fleet_node("old", age_ms=HOUR_MS, expire_after="1h")
    empty = a_fleet_node("empty")
    answer = decided(a_fleet_pool(budgets=[Budget(nodes="1")]), old, empty)

    assert answer.commands == ()
    assert answer.kept["empty"].code == "NW-4102"


@pytest.mark.parametrize(("age_ms", "count"), [(30 * 60_000 - 1, 0), (30 * 60_000, 1)])
def test_a_broken_node_is_repaired_after_half_an_hour(age_ms, count):
    node = broken(a_fleet_node("sick"), ("Ready", "False", age_ms))
    others = [a_fleet_node(f"n{i}") for i in range(4)]

    assert len(decided(node, *others, **REPAIR).forceful) == count


def test_the_condition_that_is_due_first_counts():
    node = broken(
        a_fleet_node("sick"),
        ("Ready", "False", 60_000),
        ("AcceleratedHardwareReady", "False", 10 * 60_000),
    )

    answer = decided(node, *(a_fleet_node(f"n{i}") for i in range(4)), **REPAIR)
    assert answer.forceful[0].detail == "AcceleratedHardwareReady is False"


def test_nothing_is_repaired_when_many_are_broken_or_without_the_gate():
    sick = [broken(a_fleet_node(f"s{i}"), ("Ready", "False", HOUR_MS)) for i in range(2)]
    others = [a_fleet_node(f"n{i}") for i in range(3)]

    assert forced(decided(*sick, *others, **REPAIR)) == []
    assert forced(decided(sick[0], *others, settings=REPAIR["settings"])) == []


@pytest.mark.parametrize(("nodes", "allowed"), [(3, 1), (5, 1), (6, 2), (10, 2), (11, 3)])
def test_a_fifth_of_the_nodes_may_be_bad(nodes, allowed):
    assert repairs_allowed(nodes) == allowed


def without_pool(node):
    made, claim = node
    labels = {key: value for key, value in claim.metadata.labels.items() if key != NODEPOOL}
    return tuple(
        replace(one, metadata=replace(one.metadata, labels={**one.metadata.labels, NODEPOOL: ""}))
        if one is made
        else replace(one, metadata=replace(one.metadata, labels=labels))
        for one in (made, claim)
    )


@pytest.mark.parametrize(("others", "count"), [(3, 0), (9, 2)])
def test_broken_nodes_of_no_pool_count_among_all_nodes_of_the_cluster(others, count):
    sick = [
        without_pool(broken(a_fleet_node(f"s{i}"), ("Ready", "False", HOUR_MS))) for i in range(2)
    ]
    fine = [a_fleet_node(f"n{i}") for i in range(others)]

    assert len(forced(decided(*sick, *fine, **REPAIR))) == count
