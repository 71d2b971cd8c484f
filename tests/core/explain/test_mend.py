"""The smallest change: found for nearly every pod that stays behind, and it does what it says."""

import json
from itertools import islice

import pytest

from builders import (
    a_managed_node,
    a_node,
    a_pod,
    a_pool,
    a_selector,
    a_spread,
    a_taint,
    a_term,
    a_type,
    a_volume,
    a_volume_claim,
    a_world,
    pods,
    want,
)
from builders.failures import CATEGORIES
from nodewright.core.explain.bench import Bench
from nodewright.core.explain.mend import change_world, smallest_change
from nodewright.core.scheduling.solve import solve
from nodewright.model.labels import ARCH, INSTANCE_TYPE, ZONE
from nodewright.model.metadata import ObjectMeta
from nodewright.model.pod import TopologySpreadConstraint, Workload, WorkloadSpec
from nodewright.model.wording import change
from nodewright.state.snapshot import read_snapshot
from problems import generate

FOUND_SHARE_MIN = 0.95
PODS_PER_PROBLEM = 2


def refused_pods(seeds):
    """Give Worlds with pods that stay behind for good, each cause of a World once."""
    for seed in seeds:
        world = read_snapshot(json.dumps(generate(seed)).encode(), f"seed {seed}").world
        causes = {}
        for key, one in solve(world).unschedulable.items():
            if not one.deferred:
                causes.setdefault(one.grouping, key)
        for key in list(causes.values())[:PODS_PER_PROBLEM]:
            yield seed, world, key


def judge(seeds, count):
    """Tell for which pods no change was found, and for which one did not help."""
    silent, wrong, total = [], [], 0
    for seed, world, key in islice(refused_pods(seeds), count):
        total += 1
        pod = next(one for one in world.pods if one.key == key)
        found = smallest_change(Bench(world, key), pod)
        if found is None:
            silent.append((seed, key))
        elif key in solve(change_world(world, found.patches())).unschedulable:
            wrong.append((seed, key, found.patches()))
    assert total == count
    return silent, wrong


def test_a_change_is_found_for_random_pods_and_makes_them_placeable():
    silent, wrong = judge(range(1000), 60)

    assert wrong == []
    assert len(silent) <= 60 * (1 - FOUND_SHARE_MIN)


@pytest.mark.soak
def test_a_change_is_found_for_a_thousand_random_pods_and_makes_them_placeable():
    silent, wrong = judge(range(1000, 20_000), 1000)

    assert wrong == []
    assert len(silent) <= 1000 * (1 - FOUND_SHARE_MIN)


SMALL = a_type("small", cpu=2, memory="8Gi")
LARGE = a_type("large", cpu=16, memory="64Gi")

CHANGES = {
    "let the pod tolerate taint batch=only:NoSchedule": a_world(
        a_pod(cpu=1), SMALL, a_pool(taints=[a_taint("batch", "only")])
    ),
    "let the pod stop asking for kubernetes.io/arch In [arm64]": a_world(
        a_pod(cpu=1, selector={ARCH: "arm64"}), SMALL
    ),
    "allow kubernetes.io/arch arm64 in NodePool default": a_world(
        a_pod(cpu=1, selector={ARCH: "arm64"}),
        a_type("arm", labels={ARCH: "arm64"}),
        SMALL,
        a_pool(requirements=[want(ARCH, "In", "amd64")]),
    ),
    "let the pod ask for karpenter.k8s.aws/instance-category instead of "
    "node.kubernetes.io/instance-type": a_world(
        a_pod(cpu=1, terms=[[want(INSTANCE_TYPE, "In", "c", "m")]]), CATEGORIES
    ),
    "let NodePool default ask for karpenter.k8s.aws/instance-category instead of "
    "node.kubernetes.io/instance-type": a_world(
        a_pod(cpu=1), CATEGORIES, a_pool(requirements=[want(INSTANCE_TYPE, "In", "c", "m")])
    ),
    "let the pod ask for example.com/team instead of example.org/team": a_world(
        a_pod(cpu=1, selector={"example.org/team": "red"}),
        SMALL,
        a_pool(labels={"example.com/team": "red"}),
    ),
    "ask for memory 8Gi instead of 9Gi": a_world(a_pod(cpu=1, memory="9Gi"), SMALL),
    "take requirement node.kubernetes.io/instance-type In [small] out of NodePool default": a_world(
        a_pod(cpu=9), SMALL, LARGE, a_pool(requirements=[want(INSTANCE_TYPE, "In", "small")])
    ),
    "raise limit cpu of NodePool default from 3 to 4": a_world(
        a_pod(cpu=2), a_managed_node("n", cpu=2, pods=0), SMALL, a_pool(limits={"cpu": 3})
    ),
    "raise limit nodes of NodePool default from 1 to 2": a_world(
        a_pod(cpu=2), a_managed_node("n", cpu=1), SMALL, a_pool(limits={"nodes": 1})
    ),
    "lower minValues of node.kubernetes.io/instance-type in NodePool default from 2 to 1": a_world(
        a_pod(cpu=4), SMALL, LARGE, a_pool(requirements=[want(INSTANCE_TYPE, "Exists", at_least=2)])
    ),
    "make the pod's affinity to pods with app=web a wish": a_world(
        a_pod(cpu=1, near=[a_term(ZONE)]), SMALL
    ),
    "make the pod's spread over example.com/rack a wish (ScheduleAnyway)": a_world(
        a_pod(cpu=1, labels={"app": "web"}, spread=[a_spread("example.com/rack")]), SMALL
    ),
    "let the pod do without volume data": a_world(a_pod(cpu=1, claims=["data"]), SMALL),
    "allow topology.kubernetes.io/zone zone-c in NodePool default": a_world(
        a_pod(cpu=1, claims=["data"]),
        a_volume_claim("data", volume="v"),
        a_volume("v", zones=["zone-c"]),
        SMALL,
        a_pool(requirements=[want(ZONE, "In", "zone-a")]),
    ),
    "take label app=web off the pod, because others keep away from it": a_world(
        a_node("a", zone="zone-a", cpu=1),
        a_pod("old", node="a", apart=[a_term(ZONE)]),
        a_pod(cpu=1, labels={"app": "web"}),
        a_type("small", zones=["zone-a"]),
    ),
}


@pytest.mark.parametrize("text", CHANGES)
def test_the_smallest_change_is_the_one_that_a_person_would_make(text):
    world = CHANGES[text]
    pod = next(one for one in world.pods if one.key == "default/pod")

    found = smallest_change(Bench(world, pod.key), pod)

    assert [change(one.kind, one.values) for one in found.edits] == [text]
    assert pod.key not in solve(change_world(world, found.patches())).unschedulable


def test_two_obstacles_of_one_pod_are_one_patch():
    pod = a_pod(cpu=1, selector={"example.com/team": "red"})
    world = a_world(pod, SMALL, a_pool(taints=[a_taint("batch")]))

    found = smallest_change(Bench(world, pod.key), pod)

    assert [one.kind for one in found.edits] == ["tolerate", "drop-label"]
    assert list(found.patches()) == ["pod/default/pod"]


def test_a_limit_is_raised_far_enough_for_everybody_who_waits():
    world = a_world(pods(3, cpu=2), SMALL, a_pool(limits={"cpu": 2}))
    (first, *_) = solve(world).unschedulable
    pod = next(one for one in world.pods if one.key == first)

    found = smallest_change(Bench(world, first), pod)

    assert first not in solve(change_world(world, found.patches())).unschedulable


def test_a_default_spread_of_the_cluster_is_softened_on_the_pod():
    web = a_selector(app="web")
    pod = a_pod(cpu=1, labels={"app": "web"}, owner=("ReplicaSet", "web"))
    owner = Workload(
        metadata=ObjectMeta(name="web", namespace="default"), spec=WorkloadSpec(selector=web)
    )
    rack = TopologySpreadConstraint(max_skew=1, topology_key="example.com/rack")
    world = a_world(pod, owner, SMALL, default_constraints=(rack,))

    found = smallest_change(Bench(world, pod.key), pod)

    assert [one.kind for one in found.edits] == ["soften-spread"]
    assert pod.key not in solve(change_world(world, found.patches())).unschedulable


def test_the_price_is_what_the_plan_costs_more():
    pod = a_pod(cpu=1, selector={ARCH: "arm64"})
    world = a_world(pod, SMALL)

    found = smallest_change(Bench(world, pod.key), pod)

    assert found.placement.instance_type == "small"
    assert found.extra == found.placement.price


def test_a_pod_that_nothing_can_help_gets_no_change():
    pod = a_pod(cpu=1)
    world = a_world(pod, SMALL, a_pool(deleted="2026-01-01T00:00:00Z"))

    assert smallest_change(Bench(world, pod.key), pod) is None
