"""Forty kinds of failure: each has its code, and a first sentence that a person can act on."""

import pytest

from builders import (
    a_csi_node,
    a_node,
    a_pod,
    a_storage_class,
    a_type,
    a_volume_claim,
    a_world,
    an_offering,
    pods,
)
from builders.failures import FAILURES, SMALL
from nodewright.core.scheduling.solve import solve
from nodewright.model.wording.verdict import unplaced_event, unplaced_summary
from nodewright.model.world import BadPod


@pytest.mark.parametrize("kind", FAILURES)
def test_the_first_sentence_names_the_thing_and_the_number(kind):
    world, code, first = FAILURES[kind]

    unplaced = solve(world).unschedulable["default/pod"]

    assert (unplaced.code, unplaced.summary) == (code, first)


@pytest.mark.parametrize("kind", FAILURES)
def test_every_failure_can_be_said_in_korean_and_fits_an_event(kind):
    world, code, _ = FAILURES[kind]

    unplaced = solve(world).unschedulable["default/pod"]
    korean = unplaced_summary(unplaced, "ko")
    event = unplaced_event(unplaced)

    assert any("가" <= letter <= "힣" for letter in korean)
    assert "{" not in korean
    assert event.startswith(f"{unplaced.summary} ({code})")
    assert len(event.encode()) <= 1024


def test_there_are_thirty_kinds_and_more():
    assert len(FAILURES) >= 30


def test_a_pod_that_waits_for_reserved_capacity_is_put_off_and_not_refused():
    types = [a_type("r", cpu=4, offerings=[an_offering(reservation="cr-1", left=1)])]
    plan = solve(a_world(pods(2, cpu=3), types))

    (waiting,) = plan.unschedulable.values()

    assert waiting.deferred
    assert waiting.code == "NW-1401"
    assert "(1 capacity reservation) is held for other pods" in waiting.summary


def test_pods_of_one_cause_group_together_whatever_their_size():
    plan = solve(a_world(a_pod("a", cpu=5), a_pod("b", cpu=7), a_pod("c", memory="99Gi"), SMALL))

    causes = {name: one.grouping for name, one in plan.unschedulable.items()}

    assert causes["default/a"] == causes["default/b"] != causes["default/c"]


def test_every_pool_gives_its_own_reason_with_its_numbers():
    world, _, _ = FAILURES["the nearer of two pools"]

    unplaced = solve(world).unschedulable["default/pod"]

    assert [(one.name, one.code) for one in unplaced.node_pools] == [
        ("general", "NW-1204"),
        ("batch", "NW-1201"),
    ]
    assert unplaced.node_pools[0].detail["short"] == "4"


def test_a_node_that_can_attach_no_more_volumes_is_passed_over_for_a_new_one():
    world = a_world(
        a_node("n"),
        a_csi_node("n", 0),
        a_storage_class(),
        a_volume_claim("data"),
        a_pod(cpu=1, claims=["data"]),
        SMALL,
    )

    assert solve(world).unschedulable == {}


def test_a_pod_that_cannot_be_decoded_is_answered_too():
    plan = solve(a_world(BadPod("default/odd", "spec.containers is no list"), SMALL))

    assert plan.unschedulable["default/odd"].code == "NW-1001"
