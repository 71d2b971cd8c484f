"""The judge as a whole: every pod once, and a reason for each that is left out."""

from builders import a_plan, a_planned_node, a_pod, a_type, a_world
from nodewright.model.plan import Plan, Unplaced
from nodewright.model.world import BadPod
from referee import judge


def rules(world, plan):
    return {found.rule for found in judge(world, plan)}


def test_a_pod_that_is_forgotten_is_caught():
    assert rules(a_world(a_pod()), a_plan()) == {"roll"}


def test_a_pod_that_is_placed_twice_is_caught():
    pod, kind = a_pod(), a_type()
    nodes = [a_planned_node([pod], [kind])] * 2
    assert rules(a_world(pod, kind), a_plan(*nodes)) == {"roll"}


def test_a_pod_that_nobody_asked_about_is_caught():
    pod, kind = a_pod(), a_type()
    node = a_planned_node([pod, a_pod("ghost")], [kind])
    assert "roll" in rules(a_world(pod, kind), a_plan(node))


def test_a_pod_that_is_left_out_with_a_reason_is_right():
    pod = a_pod()
    assert rules(a_world(pod), a_plan(left_out=[pod])) == set()


def test_a_pod_that_is_left_out_without_a_reason_is_caught():
    pod = a_pod()
    for unplaced in (Unplaced("", "NW-1001"), Unplaced("no room", "E7")):
        assert rules(a_world(pod), Plan(unschedulable={pod.key: unplaced})) == {"reason"}


def test_only_reserved_capacity_is_worth_waiting_for():
    pod = a_pod()
    waiting = Unplaced("no slot is free", "NW-1001", deferred=True)
    assert rules(a_world(pod), Plan(unschedulable={pod.key: waiting})) == {"deferred"}


def test_a_pod_that_cannot_be_read_is_left_out_and_nothing_else():
    world = a_world(BadPod("default/bad", "spec: not a pod"))
    said = Plan(unschedulable={"default/bad": Unplaced("spec: not a pod", "NW-1002")})
    assert rules(world, said) == set()
    assert rules(world, a_plan()) == {"roll"}
