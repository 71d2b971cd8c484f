"""What cannot be read inside an object is told with its place, never left out in silence."""

import pytest

from builders.snapshots import a_document, a_pod_value, a_pool_value, an_object, read
from nodewright.model.errors import UserError

BAD_TERM = {"matchExpressions": [{"key": "disk", "operator": "Near", "values": ["ssd"]}]}
TERMS = {"nodeSelectorTerms": [{"matchExpressions": []}, BAD_TERM]}


def a_daemon_set(**spec):
    template = {"spec": {"containers": [{"name": "main"}], **spec}}
    return an_object("DaemonSet", api_version="apps/v1", spec={"template": template})


def a_container(**resources):
    return {"name": "main", "resources": resources}


def an_overlay(**spec):
    return an_object("NodeOverlay", api_version="karpenter.sh/v1alpha1", spec=spec)


def a_claim(**status):
    return an_object("NodeClaim", api_version="karpenter.sh/v1", status=status)


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
UNREADABLE = [
    (an_object("Node", status={"capacity": {"cpu": "4x"}}), "status.capacity.cpu"),
    (an_object("Node", status={"allocatable": {"cpu": "4x"}}), "status.allocatable.cpu"),
    (a_claim(capacity={"memory": "many"}), "status.capacity.memory"),
    (a_claim(allocatable={"memory": "many"}), "status.allocatable.memory"),
    (a_pool_value("second", limits={"cpu": "ten"}), "spec.limits.cpu"),
    (
        a_pool_value("second", template={"spec": {"requirements": BAD_TERM["matchExpressions"]}}),
        "spec.template.spec.requirements[0]",
    ),
    (
        a_daemon_set(containers=[a_container(requests={"cpu": "1 core"})]),
        "spec.template.spec.containers[0].resources.requests.cpu",
    ),
    (
        a_daemon_set(initContainers=[a_container(limits={"cpu": "1 core"})]),
        "spec.template.spec.initContainers[0].resources.limits.cpu",
    ),
    (a_daemon_set(overhead={"memory": "x"}), "spec.template.spec.overhead.memory"),
    (
        a_daemon_set(affinity={"nodeAffinity": {REQUIRED: TERMS}}),
        (
            f"spec.template.spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[1]"
            ".matchExpressions[0]"
        ),
    ),
    (
        an_object("PersistentVolume", spec={"nodeAffinity": {"required": TERMS}}),
        "spec.nodeAffinity.required.nodeSelectorTerms[1].matchExpressions[0]",
    ),
    (an_overlay(requirements=BAD_TERM["matchExpressions"]), "spec.requirements[0]"),
    (an_overlay(capacity={"example.com/fuse": "x"}), "spec.capacity.example.com/fuse"),
    (an_overlay(price="cheap"), "spec.price"),
    (an_overlay(priceAdjustment="half"), "spec.priceAdjustment"),
]


@pytest.mark.parametrize(("thing", "place"), UNREADABLE)
def test_by_hand_it_is_a_mistake_with_its_place(thing, place):
    with pytest.raises(UserError) as caught:
        read(a_document(a_pool_value(), thing))
    assert caught.value.where == f"test.json: objects[1].{place}"


@pytest.mark.parametrize(("thing", "place"), UNREADABLE)
def test_on_a_live_cluster_it_is_a_warning(thing, place):
    taken = read(a_document(a_pool_value(), thing, options={"pendingRule": "live"}))
    assert [one for one in taken.warnings if one.startswith(f"objects[1].{place}: ")]


def test_a_running_pod_that_cannot_be_read_is_a_warning_and_stops_nobody():
    running = a_pod_value("old", cpu="abc", nodeName="one")
    taken = read(a_document(an_object("Node"), running, a_pod_value("new")))
    (warning,) = taken.warnings
    assert warning.startswith("objects[1].spec.containers[0].resources.requests.cpu: ")
    assert "default/old" in warning


def test_a_daemon_set_that_asks_for_devices_is_a_warning():
    claims = [{"name": "gpu", "resourceClaimName": "gpu"}]
    (warning,) = read(a_document(a_daemon_set(resourceClaims=claims))).warnings
    assert "resource claim" in warning


def test_what_can_be_read_is_not_spoken_of():
    overlay = an_overlay(priceAdjustment="-10%", capacity={"example.com/fuse": 1})
    pool = a_pool_value(limits={"cpu": 100, "memory": "1Ti"})
    volume = an_object("PersistentVolume", spec={"capacity": {"storage": "1Gi"}})
    assert read(a_document(pool, overlay, volume, a_daemon_set())).warnings == ()
