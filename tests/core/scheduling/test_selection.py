"""Which pods are to be placed, which stay, and which are answered with what is wrong."""

import msgspec
import pytest

from builders import (
    NOW_MS,
    a_budget,
    a_managed_node,
    a_node,
    a_pod,
    a_pool,
    a_type,
    a_world,
    tolerating,
    want,
)
from builders.solving import codes_of, home_of, plan_of
from nodewright.core.scheduling.hosts import join
from nodewright.core.scheduling.rules.volumes import Storage
from nodewright.core.scheduling.selection import is_protected, select_pods
from nodewright.model.instant import print_instant
from nodewright.model.labels import CAPACITY_TYPE, DO_NOT_DISRUPT, HOSTNAME, NODEPOOL, ZONE
from nodewright.model.metadata import Condition, NodeSelectorTerm
from nodewright.model.pod import NodeSelector, PodResourceClaim
from nodewright.model.world import BadPod

GONE = "2026-11-15T08:00:00Z"
UNSCHEDULABLE = Condition(type="PodScheduled", status="False", reason="Unschedulable")
UNREADY = Condition(type="Ready", status="False")
WEB = {"app": "web"}
GATED = Condition(type="PodScheduled", status="False", reason="SchedulingGated")


def selection_of(*things, **options):
    world = a_world(*things, **options)
    return select_pods(world, join(world), Storage(world))


def waiting(*things, **options):
    return [one.pod.metadata.name for one in selection_of(*things, **options).candidates]


def staying(*things):
    return [pod.metadata.name for pod in selection_of(*things).staying]


def nominated(pod):
    status = msgspec.structs.replace(pod.status, nominated_node_name="node")
    return msgspec.structs.replace(pod, status=status)


@pytest.mark.parametrize(
    ("pod", "counts"),
    [
        (a_pod(), True),
        (a_pod(gates=["wait"]), False),
        (a_pod(owner=("DaemonSet", "agent")), False),
        (a_pod(owner=("Node", "mirror")), False),
        (a_pod(owner=("ReplicaSet", "web")), True),
        (a_pod(phase="Succeeded"), False),
        (a_pod(phase="Failed"), False),
        (nominated(a_pod(conditions=[UNSCHEDULABLE])), True),
    ],
)
def test_a_pod_of_a_snapshot_made_by_hand_waits_unless_something_says_otherwise(pod, counts):
    assert bool(waiting(pod)) is counts


@pytest.mark.parametrize(
    ("conditions", "counts"),
    [([UNSCHEDULABLE], True), ([GATED], False), ([], False)],
)
def test_a_pod_of_a_live_cluster_waits_once_the_scheduler_gave_it_up(conditions, counts):
    assert bool(waiting(a_pod(conditions=conditions), pending_rule="live")) is counts


def test_a_pod_of_a_live_cluster_that_is_promised_a_place_does_not_wait():
    promised = nominated(a_pod(conditions=[UNSCHEDULABLE]))
    assert waiting(promised, pending_rule="live") == []


def test_pods_on_nodes_stay():
    node = a_node()
    assert staying(node, a_pod("here", node=node)) == ["here"]
    assert staying(node, a_pod("done", node=node, phase="Succeeded")) == []


LEAVING = a_node("old", deleted=GONE)


@pytest.mark.parametrize(
    ("pod", "moves"),
    [
        (a_pod("p", node=LEAVING), True),
        (a_pod("p", node=LEAVING, owner=("ReplicaSet", "web"), deleted=GONE), False),
        (a_pod("p", node=LEAVING, owner=("StatefulSet", "db"), deleted=GONE), True),
        (a_pod("p", node=LEAVING, owner=("DaemonSet", "agent")), False),
        (a_pod("p", node=LEAVING, annotations={DO_NOT_DISRUPT: "true"}), False),
    ],
)
def test_pods_on_a_leaving_node_are_planned_for_if_they_will_really_move(pod, moves):
    assert bool(waiting(LEAVING, pod)) is moves
    assert bool(staying(LEAVING, pod)) is not moves


@pytest.mark.parametrize(
    ("budgets", "moves"),
    [
        ([a_budget(at_most_missing=0)], False),
        ([a_budget(at_most_missing="0%")], False),
        ([a_budget(at_least_there="100%")], False),
        ([a_budget(at_most_missing=1)], True),
        ([a_budget(at_least_there=1)], True),
        ([a_budget("one", at_most_missing=1), a_budget("two", at_most_missing=1)], False),
    ],
)
def test_a_budget_that_never_lets_go_keeps_the_pod_where_it_is(budgets, moves):
    pod = a_pod(labels={"app": "web"}, node=LEAVING)
    assert bool(waiting(LEAVING, pod, budgets)) is moves


@pytest.mark.parametrize(
    ("pod", "moves"),
    [
        (a_pod(labels=WEB, node=LEAVING), False),
        (a_pod(labels=WEB, node=LEAVING, tolerations=[tolerating()]), True),
        (a_pod(labels=WEB, node=LEAVING, conditions=[UNREADY]), True),
        (a_pod(labels=WEB, node=LEAVING, owner=("StatefulSet", "db"), deleted=GONE), True),
    ],
)
def test_a_budget_keeps_only_pods_that_would_be_evicted(pod, moves):
    budget = a_budget(at_most_missing=0)
    spec = msgspec.structs.replace(budget.spec, unhealthy_pod_eviction_policy="AlwaysAllow")
    assert bool(waiting(LEAVING, pod, msgspec.structs.replace(budget, spec=spec))) is moves


def test_protection_with_a_duration_lapses():
    started = print_instant(NOW_MS - 60_000)
    pod = a_pod(annotations={DO_NOT_DISRUPT: "5m"})
    pod = msgspec.structs.replace(
        pod, status=msgspec.structs.replace(pod.status, start_time=started)
    )
    assert is_protected(pod, NOW_MS)
    assert not is_protected(pod, NOW_MS + 600_000)
    assert not is_protected(a_pod(annotations={DO_NOT_DISRUPT: "soon"}), NOW_MS)


def test_protection_ends_with_the_life_of_a_pod():
    going = a_pod(
        node=LEAVING,
        owner=("StatefulSet", "db"),
        deleted=GONE,
        annotations={DO_NOT_DISRUPT: "true"},
    )
    assert waiting(LEAVING, going) == ["pod"]


def by_fields(pod):
    term = NodeSelectorTerm(match_fields=(want("metadata.name", "In", "node"),))
    affinity = a_pod(terms=[[want(ZONE)]]).spec.affinity
    node = msgspec.structs.replace(
        affinity.node_affinity, required=NodeSelector(node_selector_terms=(term,))
    )
    spec = msgspec.structs.replace(
        pod.spec, affinity=msgspec.structs.replace(affinity, node_affinity=node)
    )
    return msgspec.structs.replace(pod, spec=spec)


def with_devices(pod):
    spec = msgspec.structs.replace(pod.spec, resource_claims=(PodResourceClaim(name="gpu"),))
    return msgspec.structs.replace(pod, spec=spec)


@pytest.mark.parametrize(
    ("pod", "code"),
    [
        (a_pod(terms=[[want(NODEPOOL, "DoesNotExist")]]), "NW-1004"),
        (a_pod(wishes=[(1, [want(NODEPOOL, "DoesNotExist")])]), "NW-1004"),
        (by_fields(a_pod()), "NW-1007"),
        (a_pod(terms=[[want(ZONE, "Near", "zone-a")]]), "NW-1007"),
        (a_pod(terms=[[want("cpus", "Gt", "many")]]), "NW-1007"),
        (a_pod(selector={HOSTNAME: "node"}), "NW-1003"),
        (a_pod(selector={"karpenter.sh/custom": "x"}), "NW-1003"),
        (a_pod(selector={CAPACITY_TYPE: "cheap"}), "NW-1007"),
        (a_pod(cpu="lots"), "NW-1001"),
        (with_devices(a_pod()), "NW-1005"),
    ],
)
def test_a_pod_that_nothing_could_be_right_for_says_why_and_stops_nobody(pod, code):
    fine = a_pod("fine", cpu=1)
    plan = plan_of(pod, fine, a_type())
    assert codes_of(plan) == {"pod": code}
    assert home_of(plan, fine) is not None


@pytest.mark.parametrize("wrong", [want("cpus", "Lt", "few"), want("cpus", "Near", "1")])
@pytest.mark.parametrize("weight", [1, 99])
def test_a_preference_that_cannot_be_read_stops_nobody(wrong, weight):
    # The other preference can never be had, so that both are looked at in turn.
    odd = a_pod("odd", cpu=1, wishes=[(weight, [wrong]), (50, [want(ZONE, "In", "nowhere")])])
    fine = a_pod("fine", cpu=1)
    plan = plan_of(odd, fine, a_type())
    assert home_of(plan, fine) is not None
    assert home_of(plan, odd) is not None


def test_a_pod_that_could_not_be_read_is_answered_too():
    plan = plan_of(BadPod("default/odd", "objects[0].spec: Expected `object`"), a_type())
    assert codes_of(plan) == {"odd": "NW-1001"}
    assert "objects[0].spec" in plan.unschedulable["default/odd"].summary


def test_pods_of_a_leaving_node_get_a_place_and_leave_theirs():
    node, claim = a_managed_node("old", deleted=GONE)
    pod = a_pod(cpu=1, node=node)
    assert home_of(plan_of(pod, node, claim, a_pool(), a_type()), pod).node_pool == "default"
