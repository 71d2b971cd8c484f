"""Of each pod of a node it is said whether it may be moved, and what stands against it."""

import pytest

from builders import NOW_MS, a_daemon_set, a_pod, a_world
from builders.fleet import a_fleet_node, a_guard, on
from builders.lives import ago
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.view.pods import list_pods
from nodewright.view.usage import Usage, Used

NODE = a_fleet_node("n")


def only(pod, *things, usage=None):
    (row,) = list_pods(a_world(pod, NODE, *things), "n", None, usage)
    return row


@pytest.mark.parametrize(
    ("pod", "eviction", "code"),
    [
        (a_pod(node="n"), "movable", ""),
        (a_pod(node="n", deleted=ago(1)), "leaving", ""),
        (a_pod(node="n", annotations={DO_NOT_DISRUPT: "true"}), "do-not-disrupt", "NW-4008"),
        (a_pod(node="n", owner=a_daemon_set("agent")), "stays with its node", ""),
    ],
)
def test_a_pod_says_whether_it_may_be_moved(pod, eviction, code):
    row = only(pod)

    assert (row.eviction, row.code) == (eviction, code)


def test_a_budget_that_lets_no_pod_go_is_named():
    row = only(on(NODE, "1", app="web")[0], a_guard("guard", allowed=0))

    assert (row.eviction, row.code, row.blockers) == ("budget", "NW-4009", ("pdb/default/guard",))
    assert only(on(NODE, "1", app="web")[0], a_guard("guard", allowed=1)).eviction == "movable"


def test_those_that_stand_in_the_way_come_first_then_the_largest():
    marked = a_pod("marked", node="n", annotations={DO_NOT_DISRUPT: "true"})
    world = a_world(NODE, on(NODE, "1", "2", app="web"), marked, a_pod("elsewhere", node="m"))
    names = [one.key for one in list_pods(world, "n")]

    assert names == ["default/marked", "default/web-n-1", "default/web-n-0"]


def test_what_a_pod_uses_and_costs_is_shown_where_it_is_known():
    usage = Usage(NOW_MS, pods={"default/pod": Used(250, 1)})

    assert only(a_pod(node="n"), usage=usage).cpu_used == 250
    assert only(a_pod(node="n")).cpu_used is None
    assert only(a_pod(node="n")).price_nanousd_hour is None
