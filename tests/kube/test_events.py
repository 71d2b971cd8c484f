"""Events are said once in a while, never wait, and never pile up."""

import asyncio

import msgspec
import pytest

from kube.scripted import Said
from nodewright.kube.events import NOTE_MAX_BYTES, QUEUE_MAX, Recorder
from nodewright.kube.limiter import Limiter
from nodewright.model.resource import NODES, PODS, Ref
from nodewright.ports.kube import Notice

NOTICE = Notice(Ref(PODS, "p", "ns", "u1"), "FailedScheduling", "no room", is_warning=True)


@pytest.fixture
def recorder(client, clock):
    return Recorder(client, Limiter(clock, qps=10_000, burst=10_000), "replica-1")


async def written(recorder, server):
    """Write what is queued, and give it."""
    task = asyncio.create_task(recorder.run())
    assert await recorder.drain(5)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return [asked.json for asked in server.asked]


async def test_a_notice_becomes_an_event_about_its_object(recorder, server, clock):
    server.answer = lambda _: Said(201)
    recorder.publish(NOTICE)
    (event,) = await written(recorder, server)

    assert server.asked[0].path == "/apis/events.k8s.io/v1/namespaces/ns/events"
    assert event["regarding"] == {
        "apiVersion": "v1", "kind": "Pod", "name": "p", "namespace": "ns", "uid": "u1",
    }  # fmt: skip
    assert (event["type"], event["reason"], event["note"]) == (
        "Warning", "FailedScheduling", "no room",
    )  # fmt: skip
    assert event["reportingController"] == "karpenter"
    assert event["eventTime"] == "1970-01-01T00:16:40.000000Z"


async def test_an_event_about_a_node_lies_in_the_default_namespace(recorder, server):
    server.answer = lambda _: Said(201)
    recorder.publish(Notice(Ref(NODES, "n"), "Drained", "all pods are gone"))
    (event,) = await written(recorder, server)

    assert event["metadata"]["namespace"] == "default"
    assert "namespace" not in event["regarding"]


def test_the_same_notice_is_said_again_only_after_its_quiet_time(recorder, clock):
    said = [recorder.publish(NOTICE), recorder.publish(NOTICE)]
    clock.ticks += 119_999
    said.append(recorder.publish(NOTICE))
    clock.ticks += 1
    said.append(recorder.publish(NOTICE))

    assert said == [True, False, False, True]


def test_another_object_reason_or_identity_is_another_notice(recorder):
    others = (
        NOTICE,
        msgspec.structs.replace(NOTICE, about=Ref(PODS, "q", "ns")),
        msgspec.structs.replace(NOTICE, about=Ref(PODS, "p", "ns", "u2")),
        msgspec.structs.replace(NOTICE, reason="Nominated"),
        msgspec.structs.replace(NOTICE, dedupe=("x",)),
    )

    assert all(recorder.publish(notice) for notice in others)


def test_words_do_not_make_another_notice(recorder):
    recorder.publish(NOTICE)

    assert not recorder.publish(msgspec.structs.replace(NOTICE, note="still no room"))


def test_nominations_are_limited_as_a_whole(recorder, clock):
    def nominate(number):
        return recorder.publish(Notice(Ref(PODS, f"p{number}", "ns"), "Nominated", "there"))

    at_once = [nominate(number) for number in range(15)]
    clock.ticks += 2_000
    later = [nominate(100 + number) for number in range(15)]

    assert at_once.count(True) == later.count(True) == 10


def test_a_full_queue_drops_and_counts(recorder):
    taken = [
        recorder.publish(Notice(Ref(PODS, f"p{n}", "ns"), "Evicted", "x"))
        for n in range(QUEUE_MAX + 5)
    ]

    assert taken.count(True) == QUEUE_MAX
    assert recorder.dropped_count == 5


async def test_a_server_in_trouble_is_tried_again_and_one_that_refuses_is_not(recorder, server):
    answers = [Said(500), Said(201), Said(403), Said(201)]
    server.answer = lambda _: answers.pop(0)
    for name in ("a", "b", "c"):
        recorder.publish(Notice(Ref(PODS, name, "ns"), "Evicted", "x"))
    await written(recorder, server)

    assert (recorder.published_count, recorder.dropped_count) == (2, 1)


async def test_a_long_note_is_cut_between_letters(recorder, server):
    server.answer = lambda _: Said(201)
    recorder.publish(msgspec.structs.replace(NOTICE, note="ü" * 2_000))
    (event,) = await written(recorder, server)

    assert len(event["note"].encode()) <= NOTE_MAX_BYTES
    assert event["note"].endswith("…")
