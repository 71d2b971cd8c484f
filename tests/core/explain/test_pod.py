"""A pod explained: the funnel, the nearest miss, the nodes, and where it goes if it goes."""

import pytest

from builders import (
    a_daemon_set,
    a_node,
    a_pod,
    a_pool,
    a_taint,
    a_type,
    a_world,
    pods,
    want,
)
from nodewright.core.explain.bench import Bench
from nodewright.core.explain.pod import explain_pod
from nodewright.model.labels import ARCH, INSTANCE_TYPE, ZONE
from nodewright.model.quantity import parse_quantity
from nodewright.model.reason import Reason
from nodewright.model.world import BadPod

SMALL = a_type("small", cpu=2, memory="8Gi")
LARGE = a_type("large", cpu=16, memory="64Gi")
ARM = a_type("arm", cpu=32, memory="128Gi", labels={ARCH: "arm64"})


def funnel(story, name):
    (pool,) = [one for one in story.pools if one.name == name]
    return [(one.rule, one.subject, one.left) for one in pool.funnel]


def test_the_funnel_counts_the_types_that_every_rule_leaves():
    pod = a_pod(cpu=4, memory="65Gi", selector={ARCH: "amd64", ZONE: "zone-a"})
    pool = a_pool(requirements=[want(INSTANCE_TYPE, "NotIn", "gone")])
    gone = a_type("gone")

    story = explain_pod(a_world(pod, pool, SMALL, LARGE, ARM, gone), pod.key)

    assert funnel(story, "default") == [
        ("types", "", 4),
        ("pool", "default", 3),
        ("labels", ARCH, 2),
        ("labels", ZONE, 2),
        ("resources", "cpu", 1),
        ("resources", "memory", 0),
    ]
    assert story.unplaced.code == story.pools[0].cause.code == "NW-1204"


def test_the_nearest_miss_is_a_type_with_what_it_has_after_daemons():
    pod = a_pod(cpu=1, memory="64Gi")

    story = explain_pod(a_world(pod, SMALL, LARGE, a_daemon_set(memory="1Gi")), pod.key)
    miss = story.pools[0].miss

    assert (miss.instance_type, miss.resource) == ("large", "memory")
    assert (miss.needs, miss.has) == (parse_quantity("64Gi"), parse_quantity("63Gi"))


def test_existing_nodes_are_grouped_by_what_stopped_them():
    world = a_world(
        a_pod(cpu=3, selector={ZONE: "zone-a"}),
        a_node("full-1", cpu=1),
        a_node("full-2", cpu=2),
        a_node("elsewhere", zone="zone-b"),
        a_node("tainted", taints=[a_taint("x")]),
        SMALL,
    )

    existing = explain_pod(world, "default/pod").existing

    assert existing.count == 4
    assert [(one.reason, one.subject, one.count) for one in existing.stopped] == [
        (Reason.NODE_FULL, "cpu", 2),
        (Reason.TAINT_NOT_TOLERATED, "", 1),
        (Reason.LABELS_CLASH, ZONE, 1),
    ]
    assert (existing.stopped[0].node, existing.stopped[0].most) == ("full-2", 2000)


def test_a_pod_that_is_placed_says_where_and_what_else_was_possible():
    story = explain_pod(a_world(a_pod(cpu=1), SMALL, LARGE), "default/pod")

    assert story.placeable
    assert story.change is None
    assert story.placement.instance_type == "small"
    assert story.placement.also == ("large",)
    assert story.pools[0].makes.instance_type == "small"


def test_a_pod_that_goes_onto_an_existing_node_says_which():
    story = explain_pod(a_world(a_pod(cpu=1), a_node("n"), SMALL), "default/pod")

    assert story.placement.node == "n"
    assert story.existing.takes == ("n",)


def test_other_pods_of_the_pass_are_in_their_places_when_a_refusal_is_explained():
    world = a_world(pods(3, cpu=2), SMALL, a_pool(limits={"cpu": 4}))

    story = explain_pod(world, "default/pod-2")

    assert story.unplaced.code == "NW-1209"
    assert "4 in use or planned" in story.unplaced.summary


@pytest.mark.parametrize(
    ("traits", "why"),
    [
        ({"phase": "Succeeded"}, "has ended (Succeeded)"),
        ({"gates": ["quota"]}, "held back by 1 scheduling gate: quota"),
        ({"owner": ("DaemonSet", "agent")}, "belongs to DaemonSet/agent"),
    ],
)
def test_a_pod_that_waits_for_no_node_says_why(traits, why):
    story = explain_pod(a_world(a_pod(cpu=1, **traits), SMALL), "default/pod")

    assert story.unplaced.code == "NW-1008"
    assert why in story.unplaced.summary


def test_a_running_pod_is_where_it_runs():
    story = explain_pod(a_world(a_pod(cpu=1, node="n"), a_node("n"), SMALL), "default/pod")

    assert story.placement.node == "n"


def test_a_pod_that_cannot_be_decoded_has_a_story_too():
    story = explain_pod(a_world(BadPod("default/odd", "spec is no object"), SMALL), "default/odd")

    assert (story.placeable, story.unplaced.code) == (False, "NW-1001")


def test_a_pod_that_is_not_there_has_no_story():
    assert explain_pod(a_world(SMALL), "default/nobody") is None


def test_trying_a_changed_pod_leaves_the_bench_as_it_was():
    pod = a_pod(cpu=99)
    bench = Bench(a_world(pod, pods(3, "other", cpu=1), SMALL), pod.key)
    smaller = bench.shape_of(a_pod(cpu=1))

    first, second = bench.place(smaller), bench.place(smaller)

    assert first == second
    assert bench.place(bench.shape_of(pod)) is None
