"""Nominations towards an API server: quiet, and given up where they are not wanted."""

import asyncio
import logging

import pytest
from msgspec.structs import replace

from builders import NOW_MS, a_node, a_pod
from builders.lives import with_meta
from nodewright.controllers.nominations import Nominations
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.resource import NODES, PODS
from nodewright.ports.kube import Answer, Outcome, Urgency
from nodewright.state.mirror import Change, Mirror

POD = a_pod("p")


class OnePod:
    """Ports of a cluster with one pod that is expected on one node."""

    def __init__(self, answer):
        self.kube = self.clock = self
        self.mirror = Mirror()
        self.mirror.replace(PODS, [POD], "1")
        self.mirror.replace(NODES, [a_node("n")], "1")
        self.answer = answer
        self.patches = []

    def now_ms(self):
        return NOW_MS

    async def patch(self, ref, change, options):
        self.patches.append((ref.name, change, options.subresource, options.urgency))
        return self.answer


def turn(controller):
    """Look, decide and act once; tell whether there was anything to look for."""

    async def run():
        if not await controller.gather():
            return False
        for decision in controller.decide(controller.see()):
            await controller.act(decision)
        return True

    return asyncio.run(run())


def started(answer, **settings):
    ports, memory = OnePod(answer), Memory()
    memory.expectations.nominate(POD.metadata.uid, "n", NOW_MS)
    return ports, Nominations(ports, memory, Settings(**settings))


def test_a_nomination_is_a_patch_of_the_status_that_lets_others_go_first():
    ports, controller = started(Answer(Outcome.DONE, version="2"))
    turn(controller)

    change = {"status": {"nominatedNodeName": "n"}}
    assert ports.patches == [("p", change, "status", Urgency.BACKGROUND)]


@pytest.mark.parametrize("outcome", [Outcome.FORBIDDEN, Outcome.INVALID])
def test_a_server_that_does_not_want_it_is_asked_no_more_and_that_is_said_once(outcome, caplog):
    ports, controller = started(Answer(outcome, "pods/status is not for you"))

    with caplog.at_level(logging.WARNING):
        assert turn(controller)
        assert not turn(controller)
    assert len(ports.patches) == 1
    assert [one for one in caplog.messages if "pods/status is not for you" in one] != []
    assert len(caplog.messages) == 1


def test_trouble_that_passes_is_no_refusal():
    ports, controller = started(Answer(Outcome.BUSY))
    turn(controller)
    turn(controller)

    assert len(ports.patches) == 2


def test_a_promise_that_is_taken_from_a_waiting_pod_wakes_and_other_news_of_pods_does_not():
    _, controller = started(Answer(Outcome.DONE))
    promised = replace(POD, status=replace(POD.status, nominated_node_name="n"))
    bound = replace(POD, spec=replace(POD.spec, node_name="n"))

    assert controller.hears(Change(PODS, "p", promised, POD))
    assert not controller.hears(Change(PODS, "p", POD, promised))
    assert not controller.hears(Change(PODS, "p", promised, bound))
    assert not controller.hears(Change(PODS, "p", None, POD))
    assert not controller.hears(Change(PODS, "p", promised, None))


def test_nominations_can_be_switched_off():
    ports, controller = started(Answer(Outcome.DONE), nominates=False)

    assert not turn(controller)
    assert ports.patches == []


def test_heartbeats_of_nodes_wake_nobody():
    _, controller = started(Answer(Outcome.DONE))
    node, gone = a_node("n"), a_node("n", deleted="2026-01-01T00:00:00Z")

    assert not controller.hears(Change(NODES, "n", node, node))
    assert controller.hears(Change(NODES, "n", None, node))
    assert controller.hears(Change(NODES, "n", node, gone))


def test_a_promise_that_the_scheduler_took_back_is_made_again():
    ports, controller = started(Answer(Outcome.DONE, version="2"))
    turn(controller)
    assert dict(controller.memory.nominated) == {POD.metadata.uid: "n"}

    ports.mirror.put(PODS, with_meta(POD, resource_version="3"), "3")
    controller.see()
    assert controller.memory.nominated == {}
    turn(controller)
    assert len(ports.patches) == 2


def test_a_promise_that_is_not_seen_yet_is_not_broken():
    ports, controller = started(Answer(Outcome.DONE, version="2"))
    turn(controller)
    ports.mirror.put(PODS, with_meta(POD, resource_version="1"), "1")
    controller.see()

    assert dict(controller.memory.nominated) == {POD.metadata.uid: "n"}


def test_promises_that_may_lead_nowhere_are_looked_through_less_often_while_many_wait():
    ports, controller = started(Answer(Outcome.DONE))
    nodes = [a_node(f"n{number}") for number in range(100)]
    pods = [a_pod(f"p{number}") for number in range(100)]
    promised = [
        replace(pod, status=replace(pod.status, nominated_node_name=node.metadata.name))
        for pod, node in zip(pods, nodes, strict=True)
    ]
    ports.mirror.replace(NODES, nodes, "2")
    ports.mirror.replace(PODS, promised, "2")

    first, soon = controller.see(), controller.see()
    assert len(first.pods) == 100
    assert soon.pods == ()
    assert soon.beside.idle_since_ms == first.beside.idle_since_ms
