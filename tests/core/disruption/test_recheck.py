"""Recheck: a command is started only if it is still right."""

from msgspec.structs import replace

from builders import a_pod, a_type
from builders.fleet import (
    SIZES,
    a_fleet_node,
    a_fleet_pool,
    a_guard,
    decided,
    fleet_world,
    on,
)
from nodewright.core.disruption.decide import decide
from nodewright.core.disruption.recheck import Failure, Rejected, recheck
from nodewright.model.disruption import Command, Memory, Running, Settings
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.model.nodepool import Budget

LOW, HIGH = a_fleet_node("low"), a_fleet_node("high")
CALM = (LOW, HIGH, on(LOW, "500m", app="web"), on(HIGH, "3", app="api"))


def again(command, *things, memory=None, **options):
    return recheck(fleet_world(*things, **options), command, memory or Memory(), Settings())


def test_nothing_changed_and_the_command_stands():
    (command,) = decided(*CALM).commands

    assert again(command, *CALM) == command


def test_a_protected_pod_that_came_meanwhile_stops_it():
    (command,) = decided(*CALM).commands
    shy = a_pod("shy", node="low", annotations={DO_NOT_DISRUPT: "true"})
    found = again(command, *CALM, shy)

    assert isinstance(found, Rejected)
    assert found.failure is Failure.CHURN
    assert "default/shy" in found.sentence


def test_a_budget_of_pods_that_closed_meanwhile_stops_it():
    (command,) = decided(*CALM).commands

    assert again(command, *CALM, a_guard("web", 0)).failure is Failure.CHURN


def test_a_budget_of_nodes_that_was_used_meanwhile_stops_it():
    (command,) = decided(*CALM).commands
    pool = a_fleet_pool(budgets=[Budget(nodes="1")])
    other = a_fleet_node("other")
    memory = Memory(running=(Running("c1", "Empty", ("other",)),))

    assert again(command, *CALM, other, pool, memory=memory).failure is Failure.BUDGET


def test_room_that_was_taken_meanwhile_stops_it():
    (command,) = decided(*CALM).commands
    found = again(command, *CALM, a_pod("big", cpu="900m", node="high"))

    assert found.failure is Failure.SCHEDULING
    assert "default/web-low-0" in found.sentence


def test_a_pod_that_came_meanwhile_and_fits_too_is_no_reason_to_stop():
    (command,) = decided(*CALM).commands

    assert isinstance(again(command, *CALM, a_pod("new", cpu="100m", node="low")), Command)


def test_a_replacement_whose_types_are_gone_stops_it():
    node = a_fleet_node("n", 16)
    things = (node, on(node, "1500m"))
    (command,) = decided(*things).commands
    world = fleet_world(*things)

    assert recheck(world, command, Memory(), Settings()) == command
    fewer = {"default": (a_type("m.16", cpu=16, memory="64Gi"),)}
    gone = replace(world, instance_types=fewer)
    assert recheck(gone, command, Memory(), Settings()).failure is Failure.SCHEDULING


def test_of_empty_nodes_those_that_got_pods_are_left_out():
    nodes = [a_fleet_node(f"n{i}") for i in range(3)]
    world = fleet_world(*nodes, *SIZES)
    (command,) = decide(world, world.now_ms, Settings(), Memory()).commands
    fewer = again(command, *nodes, on(nodes[1], "1"))

    assert [one.node for one in fewer.nodes] == ["n0", "n2"]
    assert fewer.savings == 400_000_000
    full = again(command, *nodes, *(on(node, "1") for node in nodes))
    assert full.failure is Failure.CHURN
