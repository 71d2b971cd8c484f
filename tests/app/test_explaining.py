"""Explanations as documents: the promised fields, in either language."""

import json

import pytest

from builders import a_node, a_pod, a_pool, a_taint, a_type, a_world
from nodewright.app.explaining import (
    explain_pod_document,
    node_document,
    pending_document,
    pod_document,
    pool_document,
)
from nodewright.core.explain.node import explain_node
from nodewright.core.explain.patch import Op, apply
from nodewright.core.explain.pod import explain_pod
from nodewright.core.explain.pool import explain_pool
from nodewright.core.scheduling.solve import solve
from nodewright.model.wording.verdict import unplaced_event

SMALL = a_type("small", cpu=2, memory="8Gi", price=0.1)
POD = a_pod(cpu=1, memory="9Gi")
WORLD = a_world(POD, a_node("n", cpu=1, memory="1Gi"), SMALL)


def test_a_pod_that_stays_behind_has_every_promised_field():
    document = pod_document(explain_pod(WORLD, POD.key))

    assert (document["pod"], document["placeable"]) == ("default/pod", False)
    assert document["code"] == "NW-1204"
    (pool,) = document["nodePools"]
    assert pool["funnel"][-1] == {"rule": "resources", "subject": "memory", "left": 0}
    assert pool["nearestMiss"] == {
        "instanceType": "small",
        "resource": "memory",
        "needs": "9Gi",
        "has": "8Gi",
        "short": "1Gi",
    }
    assert document["existing"]["stopped"][0]["mostFree"] == "1Gi"
    change = document["smallestChange"]
    assert change["verified"] is True
    assert change["pricePerHour"] == 0.1
    assert change["text"] == "ask for memory 8Gi instead of 9Gi"


def test_the_patch_of_a_document_can_be_applied_as_it_stands():
    document = json.loads(json.dumps(pod_document(explain_pod(WORLD, POD.key))))
    (patch,) = document["smallestChange"]["patch"]

    changed = apply(POD, [Op(**one) for one in patch["operations"]])

    assert patch["target"] == "pod/default/pod"
    assert changed.spec.containers[0].resources.requests == {"cpu": 1, "memory": "8Gi"}


def test_a_lasting_change_names_the_workload_that_makes_the_pod():
    pod = a_pod(cpu=1, memory="9Gi", owner=("ReplicaSet", "web-1"))

    document = pod_document(explain_pod(a_world(pod, SMALL), pod.key))

    assert document["smallestChange"]["patch"][0]["owner"] == "ReplicaSet/web-1"


def test_a_pod_that_is_placed_says_on_what_and_for_how_much():
    document = pod_document(explain_pod(a_world(a_pod(cpu=1), SMALL), "default/pod"))

    assert document["placeable"] is True
    assert document["code"] is None
    assert document["placement"]["instanceType"] == "small"
    assert document["smallestChange"] is None
    assert "small on-demand in zone-a at $0.1000/h" in document["summary"]


def test_the_same_facts_are_said_in_korean():
    story = explain_pod(WORLD, POD.key)

    english, korean = pod_document(story), pod_document(story, "ko")

    assert korean["summary"].startswith("memory 9Gi 요청이 들어가지 않습니다")
    assert korean["smallestChange"]["text"] == "memory 요청을 9Gi 대신 8Gi 값으로 변경"
    assert korean["smallestChange"]["patch"] == english["smallestChange"]["patch"]


def test_nodes_and_pools_are_documents_too():
    node = node_document(explain_node(WORLD, "n"))
    pool = pool_document(explain_pool(WORLD, "default"))

    assert node["refuses"][0]["pods"] == ["default/pod"]
    assert (pool["usable"], pool["summary"]) == (True, "makes 1 of 1 instance types now")


def test_an_event_starts_with_what_helps_most_and_never_outgrows_the_api():
    pools = [a_pool(f"pool-{number:03}", taints=[a_taint("t" * 40)]) for number in range(60)]
    unplaced = solve(a_world(a_pod(cpu=9), SMALL, a_pool("best"), pools)).unschedulable

    message = unplaced_event(unplaced["default/pod"])

    assert message.startswith("best: cpu 9 does not fit")
    assert "(NW-1204)" in message
    assert len(message.encode()) <= 1024
    assert message.endswith(")")


def test_a_card_is_one_call_away():
    card = explain_pod_document(a_world(a_pod(cpu=9), SMALL), "default/pod")

    assert card["code"] == "NW-1204"
    assert card["smallestChange"]["verified"] is True
    assert explain_pod_document(a_world(SMALL), "default/pod") is None


@pytest.mark.parametrize(
    ("language", "word"), [("en", "does not fit"), ("ko", "들어가지 않습니다")]
)
def test_waiting_pods_are_one_entry_for_each_cause(language, word):
    world = a_world(a_pod("a", cpu=5), a_pod("b", cpu=7), a_pod("c", selector={"team": "x"}), SMALL)
    first, second = pending_document(solve(world), language)

    assert (first["code"], first["pods"]) == ("NW-1204", ["default/a", "default/b"])
    assert word in first["summary"]
    assert (second["code"], second["pods"]) == ("NW-1203", ["default/c"])
    assert second["nodePools"][0]["name"] == "default"
