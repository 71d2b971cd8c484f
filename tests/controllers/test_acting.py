"""Acting: each decision is one call, and what is gone already counts as done."""

import asyncio

import pytest

from builders import NOW_MS, a_node, a_pod
from builders.lives import a_claim, with_meta
from nodewright.controllers.acting import perform
from nodewright.controllers.ports import Memory
from nodewright.model.decision import (
    Change,
    Delete,
    End,
    Evict,
    Keep,
    Nominate,
    Refuse,
    Release,
    Start,
    Tell,
    rest_on,
)
from nodewright.model.labels import TERMINATION_FINALIZER
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, refer
from nodewright.ports.cloud import Ended
from nodewright.ports.kube import Answer, Outcome

NODE = with_meta(a_node("n"), resource_version="5", finalizers=(TERMINATION_FINALIZER,))
REF, POD = refer(NODES, NODE), refer(PODS, a_pod("p"))


class RecordingPorts:
    """Ports that write down what they are asked, and answer as they are told."""

    def __init__(self, answer=None, ended=Ended.ACCEPTED):
        self.kube = self.cloud = self.clock = self
        self.answer = answer or Answer(Outcome.DONE, version="6")
        self.ended = ended
        self.calls = []
        self.notices = []

    def now_ms(self):
        return NOW_MS

    async def patch(self, ref, change, options):
        self.calls.append(("patch", str(ref), change, options.subresource, options.if_version))
        return self.answer

    async def delete(self, ref, options):
        self.calls.append(("delete", str(ref), options.grace_s))
        return self.answer

    async def evict(self, ref):
        self.calls.append(("evict", str(ref)))
        return self.answer

    async def remove_finalizer(self, ref, thing, finalizer):
        self.calls.append(("remove_finalizer", str(ref), thing.metadata.name, finalizer))
        return self.answer

    async def terminate(self, provider_id):
        self.calls.append(("terminate", provider_id))
        return self.ended

    def publish(self, notice):
        self.notices.append((notice.reason, notice.is_warning))
        return True


def do(decision, ports=None, memory=None):
    ports = ports or RecordingPorts()
    answer = asyncio.run(perform(decision, ports, memory or Memory()))
    return answer, ports


def a_change(**fields):
    return Change(subject=REF, reason="Test", change={"a": 1}, **fields)


@pytest.mark.parametrize(
    ("decision", "call"),
    [
        (a_change(), ("patch", "nodes/n", {"a": 1}, "", "")),
        (a_change(on_status=True, if_version="5"), ("patch", "nodes/n", {"a": 1}, "status", "5")),
        (Delete(subject=REF, reason="Test"), ("delete", "nodes/n", None)),
        (Delete(subject=POD, reason="Test", grace_s=3), ("delete", "pods/default/p", 3)),
        (Evict(subject=POD, reason="Test", node=REF), ("evict", "pods/default/p")),
        (End(subject=REF, reason="Test", provider_id="id"), ("terminate", "id")),
        (
            Release(subject=REF, reason="Test", thing=NODE),
            ("remove_finalizer", "nodes/n", "n", TERMINATION_FINALIZER),
        ),
    ],
)
def test_each_decision_is_one_call(decision, call):
    answer, ports = do(decision)

    assert ports.calls == [call]
    assert answer.is_done


def test_what_is_gone_already_is_done_where_it_was_to_go():
    gone = RecordingPorts(Answer(Outcome.NOT_FOUND))

    assert do(Delete(subject=REF, reason="Test"), gone)[0].is_done
    assert do(Evict(subject=POD, reason="Test", node=REF), gone)[0].is_done
    assert not do(a_change(), gone)[0].is_done


def test_a_version_that_was_written_is_awaited():
    memory = Memory()
    do(a_change(), memory=memory)

    assert memory.expectations.is_stale(rest_on((NODES, NODE)), NOW_MS)


def test_what_the_cloud_says_of_a_machine_is_remembered():
    memory = Memory()
    end = End(subject=REF, reason="Test", provider_id="id")
    busy, _ = do(end, RecordingPorts(ended=Ended.TRY_AGAIN), memory)
    assert (busy.is_done, memory.view(None).ending) == (False, frozenset())
    do(end, RecordingPorts(ended=Ended.ACCEPTED), memory)
    assert memory.view(None).ending == {"id"}
    do(end, RecordingPorts(ended=Ended.GONE), memory)
    assert memory.view(None).gone == {"id"}
    memory.forget(set())
    assert memory.view(None).gone == frozenset()


@pytest.mark.parametrize(
    ("decision", "notices"),
    [
        (Tell(subject=REF, reason="Word", is_warning=True), [("Word", True)]),
        (Refuse(subject=POD, reason="FailedScheduling", code="NW-1"), [("FailedScheduling", True)]),
        (Nominate(subject=POD, reason="Nominated", host="n"), [("Nominated", False)]),
        (Keep(subject=REF, reason="Later", look_again_ms=1), []),
    ],
)
def test_words_are_published_and_nothing_is_done(decision, notices):
    _, ports = do(decision)

    assert (ports.notices, ports.calls) == (notices, [])


def test_a_decision_that_needs_more_than_a_call_is_not_taken_for_one():
    claim = a_claim()
    start = Start(subject=refer(NODE_CLAIMS, claim), reason="Launch", claim=claim)

    with pytest.raises(TypeError, match="Start"):
        do(start)
