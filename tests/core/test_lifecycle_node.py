"""What a node gets from its claim, and what it waits for."""

from builders import a_taint
from builders.lives import (
    a_claim,
    a_new_node,
    a_registered_pair,
    with_conditions,
    with_meta,
    with_spec,
    with_status,
)
from nodewright.core.lifecycle_node import node_change, registered_taints, what_is_missing
from nodewright.model.labels import DO_NOT_SYNC_TAINTS, REGISTERED, TERMINATION_FINALIZER
from nodewright.model.metadata import Condition
from nodewright.model.nodeclaim import NodeClaimResources


def a_claim_with(taints=(), startup=()):
    return with_spec(a_claim("c", true=("Launched",)), taints=taints, startup_taints=startup)


def keys(taints):
    return [one.key for one in taints]


def test_registration_brings_labels_owner_finalizer_and_taints():
    claim = with_meta(a_claim_with((a_taint("own"),)), labels={"team": "a"}, annotations={"x": "y"})
    node = with_meta(a_new_node(claim), finalizers=("theirs",))
    change = node_change(claim, node)

    assert change["metadata"]["labels"] == {"team": "a", REGISTERED: "true"}
    assert change["metadata"]["annotations"] == {"x": "y"}
    assert change["metadata"]["finalizers"] == ["theirs", TERMINATION_FINALIZER]
    assert change["metadata"]["ownerReferences"][0]["uid"] == claim.metadata.uid
    assert [one["key"] for one in change["spec"]["taints"]] == ["own"]


def test_a_taint_that_is_there_already_is_not_put_twice():
    claim = a_claim_with((a_taint("own", "new"),), (a_taint("start"),))
    merged = registered_taints(claim, a_new_node(claim, a_taint("own", "old")))

    assert [(one.key, one.value) for one in merged] == [("own", "old"), ("start", "")]


def test_a_node_that_syncs_its_own_taints_gets_none():
    claim = a_claim_with((a_taint("own"),))
    node = with_meta(a_new_node(claim), labels={DO_NOT_SYNC_TAINTS: "true"})

    assert registered_taints(claim, node) == []
    assert node_change(claim, node)["spec"]["taints"] is None


def test_the_first_thing_that_is_missing_is_named():
    node, claim = a_registered_pair()
    unready = with_conditions(node, Ready="False")
    passing = with_spec(node, taints=(a_taint("readiness.k8s.io/net"),))

    assert what_is_missing(claim, None).reason == "NodeNotFound"
    assert what_is_missing(claim, unready).reason == "NodeNotReady"
    assert what_is_missing(claim, passing).reason == "KnownEphemeralTaintsExist"
    assert what_is_missing(claim, node) is None


def test_only_a_startup_taint_of_the_claim_is_waited_for():
    node, claim = a_registered_pair(taints=(a_taint("cni"), a_taint("mine")))

    assert what_is_missing(claim, node) is None
    waiting = with_spec(claim, startup_taints=(a_taint("cni", "another value"),))
    assert what_is_missing(waiting, node).reason == "StartupTaintsExist"


def test_a_device_is_waited_for_only_if_a_pod_asked_for_it():
    node, claim = a_registered_pair()
    asking = with_spec(claim, resources=NodeClaimResources(requests={"nvidia.com/gpu": "1"}))
    has_none = with_status(node, allocatable={"cpu": "4", "nvidia.com/gpu": "0"})

    assert what_is_missing(claim, has_none) is None
    assert "nvidia.com/gpu" in what_is_missing(asking, has_none).message


def test_a_kubelet_that_is_not_ready_is_quoted():
    node, claim = a_registered_pair()
    said = Condition(type="Ready", status="False", message="cni plugin not initialized")
    missing = what_is_missing(claim, with_status(node, conditions=(said,)))

    assert missing.reason == "NodeNotReady"
    assert missing.message.endswith("is not ready: cni plugin not initialized")
