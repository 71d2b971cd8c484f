"""Logs: decisions in, lines out; one line for each event that matters."""

import io
import json
import logging

import pytest

from builders import a_node, a_node_claim, a_pod, a_type, a_world, want
from builders.lives import with_meta, with_spec, with_status
from nodewright.model.decision import (
    Change,
    Delete,
    Evict,
    Keep,
    Launch,
    Nominate,
    Refuse,
    Release,
    Start,
    Tell,
)
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE
from nodewright.model.nodeclaim import NodeClaimResources
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, PODS, Ref, refer
from nodewright.observe.lines import JsonLines
from nodewright.observe.logs import Log
from nodewright.ports.kube import Answer, Outcome

WORLD = a_world(a_type())
DONE = Answer(Outcome.DONE)
PLACE = {INSTANCE_TYPE: "m5.large", CAPACITY_TYPE: "spot"}
CLAIM = a_node_claim("claim", labels=PLACE)
NEW = with_status(CLAIM, provider_id="", allocatable={})
AT = {
    "NodePool": {"name": "default"},
    "instance-type": "m5.large",
    "zone": "zone-a",
    "capacity-type": "spot",
    "provider-id": "fake:///claim",
}
SIZE = {"cpu": 4, "memory": "16Gi", "pods": 110}
DELETE = Delete(subject=refer(NODES, a_node("n")), reason="expired", note="it is 30 days old")


def a_refuse(pod="p", code="NW-1204"):
    return Refuse(
        subject=refer(PODS, a_pod(pod, namespace="shop")),
        reason="FailedScheduling",
        note=f"cpu 6 does not fit ({code})",
        code=code,
        cause="pods/shop/p",
    )


def a_nominate(pod, host):
    return Nominate(
        subject=refer(PODS, a_pod(pod, namespace="shop")), reason="Nominated", host=host
    )


def a_launch(*pods):
    types = want(INSTANCE_TYPE, "In", *(f"m{number}.large" for number in range(1, 9)))
    asked = NodeClaimResources(requests={"cpu": "3"})
    claim = with_spec(NEW, requirements=(types,), resources=asked)
    return Launch(
        subject=Ref(NODE_CLAIMS, "claim"), reason="Provisioned", note="2 pods need a node",
        claim=claim, pods=pods,
    )  # fmt: skip


def a_change(subject, reason, **status):
    return Change(subject=subject, reason=reason, change={"status": status}, on_status=True)


@pytest.fixture
def lines():
    """Give a way to write with a witness and to get the lines that it wrote."""
    logger = logging.getLogger("nodewright.decisions")

    def write(act, level=logging.INFO):
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        handler.setFormatter(JsonLines({"commit": "1.2"}))
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(level)
        act(Log())
        return [json.loads(line) for line in stream.getvalue().splitlines()]

    yield write
    logger.handlers.clear()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


@pytest.fixture
def said(lines):
    """Give the messages that one look of a controller leads to, with the facts that are asked for."""

    def say(decisions, *facts, controller="provisioning"):
        told = lines(lambda log: log.decided(controller, WORLD, decisions, 1))
        return [(one["message"], *(one.get(name) for name in facts)) for one in told]

    return say


def test_refusals_are_one_line_a_cause_with_all_keys(lines):
    one, two = a_refuse("p"), a_refuse("q")
    told = lines(lambda log: log.decided("provisioning", WORLD, [one, two], 12))[-1]

    assert told.pop("time").endswith("Z")
    assert told == {
        "level": "INFO",
        "logger": "decisions",
        "commit": "1.2",
        "message": "could not schedule pod(s)",
        "controller": "provisioning",
        "decision": one.id,
        "cause": "pods/shop/p",
        "code": "NW-1204",
        "count": 2,
        "new": 2,
        "Pods": "shop/p, shop/q",
        "note": "cpu 6 does not fit (NW-1204)",
        "decideMs": 12,
    }


def test_a_refusal_is_told_again_only_with_a_new_pod_or_cause(lines):
    looks = [
        [a_refuse("p")],
        [a_refuse("p")],
        [a_refuse("p"), a_refuse("q")],
        [a_refuse("q")],
        [a_refuse("q", "NW-1201")],
    ]

    def act(log):
        for one in looks:
            log.decided("provisioning", WORLD, one, 1)

    told = [one for one in lines(act) if one["message"] == "could not schedule pod(s)"]
    assert [(one["code"], one["count"], one["Pods"]) for one in told] == [
        ("NW-1204", 1, "shop/p"),
        ("NW-1204", 2, "shop/q"),
        ("NW-1201", 1, "shop/q"),
    ]


def test_a_plan_is_summed_up_however_many_pods_it_has(said):
    names = [f"p{number}" for number in range(7)]
    decisions = [
        a_launch("uid-a", "uid-b"),
        *(a_nominate(name, "claim") for name in names[:2]),
        *(a_nominate(name, "old") for name in names[2:]),
    ]

    assert said(decisions, "count", "Pods", "nodeclaims", "nodes", "pods") == [
        (
            "found provisionable pod(s)", 7,
            "shop/p0, shop/p1, shop/p2, shop/p3, shop/p4 and 2 other(s)", None, None, None,
        ),
        ("computed new nodeclaim(s) to fit pod(s)", None, None, 1, None, 2),
        ("computed existing node(s) to fit pod(s)", None, None, None, 1, 5),
    ]  # fmt: skip


def test_pods_are_found_once_and_never_if_no_node_could_help(lines):
    def act(log):
        log.decided("provisioning", WORLD, [a_refuse("p")], 1)
        log.decided("provisioning", WORLD, [a_refuse("p"), a_nominate("q", "n")], 1)
        log.decided("provisioning", WORLD, [a_refuse("r", "NW-1215"), a_refuse("s", "NW-1003")], 1)

    told = [one for one in lines(act) if one["message"] == "found provisionable pod(s)"]
    assert [(one["count"], one["Pods"]) for one in told] == [(1, "shop/p"), (1, "shop/q")]


def test_a_claim_is_created_with_its_requests_and_a_few_of_its_types(lines):
    (told,) = lines(lambda log: log.came_of("provisioning", a_launch("a"), DONE, 7))

    assert (told["message"], told["NodeClaim"]) == ("created nodeclaim", {"name": "claim"})
    assert (told["NodePool"], told["requests"]) == ({"name": "default"}, {"cpu": "3"})
    assert told["instance-types"] == (
        "m1.large, m2.large, m3.large, m4.large, m5.large and 3 other(s)"
    )
    assert (told["outcome"], told["actMs"], told["note"]) == ("Done", 7, "2 pods need a node")


def test_a_launch_is_told_when_its_machine_is_known(lines):
    start = Start(subject=refer(NODE_CLAIMS, NEW), reason="Launch", claim=NEW)

    def act(log):
        log.decided("lifecycle", a_world(NEW), [start], 1)
        log.came_of("lifecycle", start, DONE, 900)
        log.decided("lifecycle", a_world(NEW), [], 1)
        log.decided("lifecycle", a_world(CLAIM), [], 1)
        log.decided("lifecycle", a_world(CLAIM), [], 1)

    (told,) = lines(act)
    assert (told["message"], told["decision"]) == ("launched nodeclaim", start.id)
    assert {name: told.get(name) for name in AT} == AT
    assert (told["allocatable"], told["actMs"]) == (SIZE, 900)


def test_a_launch_whose_claim_is_gone_is_not_told(lines):
    start = Start(subject=refer(NODE_CLAIMS, NEW), reason="Launch", claim=NEW)

    def act(log):
        log.came_of("lifecycle", start, DONE, 900)
        log.decided("lifecycle", WORLD, [], 1)
        log.decided("lifecycle", a_world(CLAIM), [], 1)

    assert lines(act) == []


def test_a_launch_that_fails_is_told_once_for_each_cause(lines):
    start = Start(subject=refer(NODE_CLAIMS, NEW), reason="Launch", claim=NEW)
    words = ["no capacity", "no capacity", "no right", "", "no right"]

    def act(log):
        for one in words:
            log.came_of("lifecycle", start, Answer(Outcome.BUSY, one), 3)

    assert [(one["message"], one["error"]) for one in lines(act)] == [
        ("could not launch nodeclaim", "no capacity"),
        ("could not launch nodeclaim", "no right"),
    ]


@pytest.mark.parametrize(
    ("reason", "status", "size"),
    [("Registered", {"nodeName": "n"}, None), ("Initialized", {}, SIZE)],
)
def test_a_claim_becomes_a_node_with_its_machine_and_place(lines, reason, status, size):
    seen = CLAIM if "nodeName" in status else with_status(CLAIM, node_name="n")
    change = a_change(refer(NODE_CLAIMS, CLAIM), reason, **status)

    def act(log):
        log.decided("lifecycle", a_world(seen), [change], 1)
        log.decided("transitions", WORLD, [], 1)
        log.came_of("lifecycle", change, DONE, 7)

    (told,) = lines(act)
    assert told["message"] == f"{reason.lower()} nodeclaim"
    assert {name: told.get(name) for name in AT} == AT
    assert (told["Node"], told.get("allocatable")) == ({"name": "n"}, size)


def test_a_disruption_says_why_and_its_end_is_told(lines):
    claim, node = CLAIM, a_node("n", pool="default", labels=PLACE)
    ends = [
        Delete(subject=refer(NODE_CLAIMS, claim), reason="expired", note="it is too old"),
        Delete(subject=refer(NODES, node), reason="ClaimDeleted", note="its claim goes"),
        Change(subject=refer(NODES, node), reason="Disrupted", change={}),
        Evict(subject=refer(PODS, a_pod()), reason="Drain", node=refer(NODES, node)),
        Release(subject=refer(NODES, node), reason="Finalized", thing=node),
        Release(subject=refer(NODE_CLAIMS, claim), reason="Finalized", thing=claim),
    ]

    def act(log):
        log.decided("expiration", a_world(claim), ends[:1], 1)
        for one in ends:
            log.came_of("x", one, DONE, 1)

    told = lines(act)
    assert [one["message"] for one in told] == [
        "disrupting nodeclaim", "tainted node", "deleted node", "deleted nodeclaim",
    ]  # fmt: skip
    assert (told[0]["reason"], told[0]["note"]) == ("expired", "it is too old")
    assert told[0]["provider-id"] == told[3]["provider-id"] == "fake:///claim"
    assert (told[2]["provider-id"], told[2]["instance-type"]) == ("fake:///n", "m5.large")


def test_what_was_not_done_is_a_warning_with_the_servers_words(lines):
    (told,) = lines(
        lambda log: log.came_of("x", DELETE, Answer(Outcome.FORBIDDEN, "no right to delete"), 7)
    )

    assert (told["level"], told["message"]) == ("WARN", "could not delete")
    assert (told["error"], told["note"]) == ("no right to delete", "it is 30 days old")


def test_a_dry_run_tells_once_what_it_does_not_do(lines):
    dry = Answer(Outcome.BLOCKED, "dry run: nothing is written")

    def act(log):
        log.came_of("provisioning", a_launch("a"), dry, 1)
        log.came_of("provisioning", a_launch("a"), dry, 1)

    (told,) = lines(act)
    assert (told["message"], told["requests"]) == ("could not create nodeclaim", {"cpu": "3"})
    assert told["error"] == "dry run: nothing is written"


def test_single_pods_and_conditions_are_for_those_who_ask_for_details(lines):
    node, claim = refer(NODES, a_node()), refer(NODE_CLAIMS, CLAIM)
    words = [
        a_nominate("p", "n"),
        Tell(subject=claim, reason="Launched", note="Launched went from Unknown to True"),
        Keep(subject=node, reason="TooYoung", look_again_ms=1),
    ]
    works = [
        Change(subject=node, reason="Status", change={"secret": "x"}),
        a_change(refer(PODS, a_pod()), "Nominated", nominatedNodeName="n"),
        a_change(claim, "Drained"),
    ]

    def act(log):
        log.decided("x", WORLD, words, 1)
        for one in works:
            log.came_of("x", one, DONE, 1)

    assert lines(act) == []
    told = lines(act, logging.DEBUG)
    assert [one["kind"] for one in told] == ["Nominate", "Tell", "Keep", *["Change"] * 3]
    assert "secret" not in json.dumps(told)


def test_a_pool_that_changes_its_readiness_is_told(said):
    pool = Ref(NODE_POOLS, "web")
    note = "Ready went from True to False (NodeClassReady)"
    tell = Tell(subject=pool, reason="Ready", note=note)

    assert said([tell], "note", "NodePool", controller="transitions") == [
        ("nodepool changed its readiness", note, {"name": "web"})
    ]


def test_labels_that_users_wrote_stay_out(lines):
    claim = with_meta(CLAIM, labels={**CLAIM.metadata.labels, "token": "x"}, annotations={"a": "x"})
    release = Release(subject=refer(NODE_CLAIMS, claim), reason="Finalized", thing=claim)

    (told,) = lines(lambda log: log.came_of("termination", release, DONE, 1), logging.DEBUG)
    assert "x" not in told.values()
    assert "token" not in json.dumps(told)


def test_an_error_brings_its_story(lines):
    def act(_):
        try:
            int("broken")
        except ValueError:
            logging.getLogger("nodewright.decisions").exception("stopped")

    (told,) = lines(act)
    assert told["error"].startswith("ValueError: invalid literal")
    assert "test_logs.py" in told["stacktrace"]
