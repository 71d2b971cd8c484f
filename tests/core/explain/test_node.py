"""A node explained: what is left on it, what it takes, and what it refuses."""

from builders import a_managed_node, a_node, a_pod, a_taint, a_type, a_world, tolerating
from nodewright.core.explain.node import explain_node
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE
from nodewright.model.reason import Reason

SMALL = a_type("small", cpu=2, memory="8Gi", price=0.25)


def test_a_node_says_what_is_left_and_who_is_there():
    world = a_world(a_node("n", cpu=4), a_pod("old", cpu=1, node="n"), SMALL)

    story = explain_node(world, "n")

    assert story.free["cpu"] == 3000
    assert story.pods == ("default/old",)
    assert story.state == "Ready"


def test_a_node_takes_some_pods_and_refuses_others_by_rule():
    world = a_world(
        a_node("n", cpu=4, taints=[a_taint("x")]),
        a_pod("fits", cpu=1, tolerations=[tolerating("x")]),
        a_pod("large", cpu=5, tolerations=[tolerating("x")]),
        a_pod("shy", cpu=1),
        SMALL,
    )

    story = explain_node(world, "n")

    assert story.takes == ("default/fits",)
    assert [(one.reason, one.subject, one.pods) for one in story.refuses] == [
        (Reason.TAINT_NOT_TOLERATED, "", ("default/shy",)),
        (Reason.NODE_FULL, "cpu", ("default/large",)),
    ]


def test_a_managed_node_knows_its_price():
    labels = {INSTANCE_TYPE: "small", CAPACITY_TYPE: "on-demand"}

    story = explain_node(a_world(a_managed_node("n", labels=labels), SMALL), "n")

    assert (story.node_pool, story.price) == ("default", 250_000_000)


def test_a_node_that_goes_takes_nothing():
    world = a_world(a_node("n", deleted="2026-01-01T00:00:00Z"), a_pod(cpu=1), SMALL)

    story = explain_node(world, "n")

    assert (story.state, story.takes) == ("Deleting", ())


def test_a_node_that_is_not_there_has_no_story():
    assert explain_node(a_world(SMALL), "n") is None
