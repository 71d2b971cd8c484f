"""Pods are timed from the moment that a place is known for them."""

from msgspec.structs import replace

from builders import NOW_MS, ZONES, a_pod, a_type, a_world
from builders.lives import with_spec
from builders.scrape import samples
from nodewright.model.decision import Nominate, Refuse
from nodewright.model.labels import ZONE
from nodewright.model.resource import PODS, refer
from nodewright.observe.metrics import Metrics

POD = a_pod("p")
PREFIX = "karpenter_pods_provisioning"
ROW = (("name", "p"), ("namespace", "default"))


def told(metrics, pod, decision, at_s=0):
    world = replace(a_world(pod, a_type()), now_ms=NOW_MS + at_s * 1_000)
    metrics.decided("provisioning", world, [decision] if decision else [], 1)


def nominated():
    return Nominate(subject=refer(PODS, POD), reason="Nominated", host="n")


def test_a_pod_with_a_place_is_timed_until_it_has_a_node_and_runs():
    metrics = Metrics()
    told(metrics, POD, nominated())
    told(metrics, POD, None, 10)
    assert samples(metrics, f"{PREFIX}_unbound_time_seconds") == {ROW: 10}

    bound = with_spec(POD, node_name="n")
    told(metrics, bound, None, 20)
    told(metrics, replace(bound, status=replace(bound.status, phase="Running")), None, 30)

    assert samples(metrics, f"{PREFIX}_bound_duration_seconds_sum") == {(): 20}
    assert samples(metrics, f"{PREFIX}_startup_duration_seconds_sum") == {(): 30}
    assert samples(metrics, f"{PREFIX}_unbound_time_seconds") == {}


def test_a_pod_is_undecided_until_something_is_said_of_it():
    metrics = Metrics()
    told(metrics, POD, None)
    told(metrics, POD, None, 5)
    assert samples(metrics, f"{PREFIX}_scheduling_undecided_time_seconds") == {ROW: 5}

    refused = Refuse(subject=refer(PODS, POD), reason="FailedScheduling", code="NW-1204")
    told(metrics, POD, refused, 6)
    assert samples(metrics, f"{PREFIX}_scheduling_undecided_time_seconds") == {}


def test_pods_that_wait_are_counted_by_the_one_zone_in_which_they_can_run():
    metrics = Metrics()
    bound_to = with_spec(POD, node_selector={ZONE: ZONES[0]})
    free = a_pod("q")
    metrics.decided("provisioning", a_world(bound_to, free, a_type()), (), 1)

    found = samples(metrics, "karpenter_scheduler_pending_pods_by_effective_zone_count")
    assert {dict(row)["zone"]: count for row, count in found.items()} == {
        ZONES[0]: 1,
        "flexible": 1,
    }
