"""Which pods a plan must answer."""

from builders import (
    NOW_MS,
    a_budget,
    a_daemon_set,
    a_node,
    a_pod,
    a_world,
)
from nodewright.model.instant import print_instant
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.model.metadata import Condition
from referee.rollcall import call_roll

NOW = print_instant(NOW_MS)
LEAVING = a_node(deleted=NOW)


def must(*things, **options):
    return set(call_roll(a_world(*things, **options)).must)


def test_a_pod_without_a_node_is_to_be_placed():
    assert must(a_pod()) == {"default/pod"}
    assert must(a_pod(node=a_node()), a_node()) == set()


def test_gated_pods_daemon_pods_and_mirror_pods_are_not():
    assert must(a_pod(gates=["wait"])) == set()
    assert must(a_pod(owner=a_daemon_set())) == set()
    assert must(a_pod(owner=("Node", "node"))) == set()


def test_live_only_pods_that_the_scheduler_gave_up_on_are():
    given_up = Condition(type="PodScheduled", status="False", reason="Unschedulable")
    assert must(a_pod(), pending_rule="live") == set()
    assert must(a_pod(conditions=[given_up]), pending_rule="live") == {"default/pod"}


def test_pods_of_a_leaving_node_are_to_be_placed_again():
    assert must(LEAVING, a_pod(node=LEAVING)) == {"default/pod"}


def test_pods_that_are_over_or_going_anyway_are_not_moved():
    assert must(LEAVING, a_pod(node=LEAVING, phase="Succeeded")) == set()
    assert must(LEAVING, a_pod(node=LEAVING, deleted=NOW)) == set()
    set_member = a_pod(node=LEAVING, deleted=NOW, owner=("StatefulSet", "db"))
    assert must(LEAVING, set_member) == {"default/pod"}


def test_pods_that_ask_to_be_left_alone_stay():
    asks = {DO_NOT_DISRUPT: "true"}
    assert must(LEAVING, a_pod(node=LEAVING, annotations=asks)) == set()
    assert must(LEAVING, a_pod(node=LEAVING, annotations={DO_NOT_DISRUPT: "1h"})) == set()
    assert must(LEAVING, a_pod(node=LEAVING, annotations={DO_NOT_DISRUPT: "soon"})) == {
        "default/pod"
    }


def test_pods_behind_a_budget_of_nothing_or_two_budgets_stay():
    pod = a_pod(node=LEAVING, labels={"app": "web"})
    assert must(LEAVING, pod, a_budget(at_most_missing=0)) == set()
    assert must(LEAVING, pod, a_budget(at_least_there="100%")) == set()
    assert must(LEAVING, pod, a_budget(at_most_missing=1)) == {"default/pod"}
    two = (a_budget("one", at_most_missing=1), a_budget("two", at_most_missing=1))
    assert must(LEAVING, pod, two) == set()


def test_a_pod_that_goes_already_may_be_answered_in_spite_of_what_holds_it_back():
    member = a_pod(
        node=LEAVING,
        deleted=NOW,
        owner=("StatefulSet", "db"),
        annotations={DO_NOT_DISRUPT: "true"},
    )
    roll = call_roll(a_world(LEAVING, member))
    assert (set(roll.must), set(roll.may)) == (set(), {"default/pod"})
