"""A NodePool explained: what it makes, what limits it, whom only it can serve."""

from builders import a_managed_node, a_pod, a_pool, a_taint, a_type, a_world, tolerating, want
from nodewright.core.explain.pool import explain_pool
from nodewright.model.labels import ARCH, INSTANCE_TYPE

SMALL = a_type("small", cpu=2, memory="8Gi", price=0.1)
LARGE = a_type("large", cpu=16, memory="64Gi", price=0.9)
ARM = a_type("arm", cpu=4, labels={ARCH: "arm64"})


def test_the_funnel_counts_what_each_requirement_leaves():
    pool = a_pool(requirements=[want(ARCH, "In", "amd64"), want(INSTANCE_TYPE, "NotIn", "large")])

    story = explain_pool(a_world(pool, SMALL, LARGE, ARM), "default")

    assert [one.left for one in story.funnel] == [3, 2, 1, 1, 1]
    assert (story.made.cheapest, story.made.largest) == ("small", "small")


def test_a_pool_that_makes_nothing_says_which_requirement_it_is():
    pool = a_pool(requirements=[want(ARCH, "In", "riscv")])

    story = explain_pool(a_world(pool, SMALL), "default")

    assert story.made is None
    assert (story.cause.code, story.cause.subject) == ("NW-1103", ARCH)


def test_limits_show_what_nodes_use():
    pool = a_pool(limits={"cpu": 10, "nodes": 3})

    story = explain_pool(a_world(pool, a_managed_node("n", cpu=4), SMALL), "default")

    assert [(one.resource, one.limit, one.used) for one in story.limits] == [
        ("cpu", 10_000, 4000),
        ("nodes", 3000, 1000),
    ]
    assert story.nodes == ("n",)


def test_pods_that_only_this_pool_can_serve_are_named():
    world = a_world(
        a_pool("general"),
        a_pool("tainted", taints=[a_taint("x")], labels={"team": "red"}),
        a_pod("anywhere", cpu=1, tolerations=[tolerating("x")]),
        a_pod("red", cpu=1, selector={"team": "red"}, tolerations=[tolerating("x")]),
        SMALL,
    )

    assert explain_pool(world, "tainted").only == ("default/red",)
    assert explain_pool(world, "general").only == ()


def test_a_pool_that_is_not_there_has_no_story():
    assert explain_pool(a_world(SMALL), "other") is None
