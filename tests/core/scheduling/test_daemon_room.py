"""Daemon pods that find no room on their node are told what is short."""

import msgspec
import pytest

from builders import a_daemon_pod, a_node, a_pod, a_pool, a_type, a_world, pods
from nodewright.core.scheduling.daemon_room import judge_daemons, waits_for_room
from nodewright.model.metadata import Condition
from nodewright.model.world import Options

UNSCHEDULABLE = Condition(type="PodScheduled", status="False", reason="Unschedulable")
FULL = [a_node("n", cpu=4), pods(3, "web", node="n", cpu=1)]


def verdict(pod, *things, live=True):
    rule = "live" if live else "byHand"
    world = a_world(pod, *things, a_pool(), a_type())
    return judge_daemons(msgspec.structs.replace(world, options=Options(pending_rule=rule))).get(
        pod.key
    )


def test_the_daemon_set_the_node_and_what_is_short_are_named():
    told = verdict(a_daemon_pod(cpu="1500m"), FULL)

    assert (told.code, told.summary) == (
        "NW-1215",
        (
            "daemon pod of default/agent has no room on node n: it asks for cpu 1500m, and 1 is "
            "left, 500m too little"
        ),
    )


def test_one_with_room_enough_needs_no_verdict():
    assert verdict(a_daemon_pod(cpu=1), FULL) is None


def test_a_node_that_is_unknown_says_nothing():
    assert verdict(a_daemon_pod("gone", cpu=8), FULL) is None


@pytest.mark.parametrize("amount", ["4GB", "lots"])
def test_an_amount_that_is_no_quantity_says_nothing(amount):
    assert verdict(a_daemon_pod(memory=amount), FULL) is None


def test_a_live_cluster_waits_for_the_scheduler_to_give_up():
    silent = a_daemon_pod(cpu=9, conditions=())

    assert verdict(silent, FULL) is None
    assert verdict(silent, FULL, live=False) is not None


def test_other_pods_are_none_of_its_business():
    assert not waits_for_room(a_pod(conditions=(UNSCHEDULABLE,)))
    assert waits_for_room(a_daemon_pod())
