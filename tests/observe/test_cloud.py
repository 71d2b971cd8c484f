"""The cloud with a stopwatch passes everything on, and counts."""

import pytest

from builders import a_type
from builders.scrape import samples
from nodewright.model.instance import Offering
from nodewright.model.labels import CAPACITY_TYPE, ZONE, ZONE_ID
from nodewright.model.requirements import Requirements
from nodewright.observe.cloud import TimedCloud
from nodewright.observe.hearing import Heard
from nodewright.observe.metrics import Metrics
from nodewright.ports.cloud import (
    Deaf,
    Ended,
    LaunchFailed,
    LaunchFault,
    LaunchRequest,
    Notice,
    QueueFault,
    Refusal,
    Unavailable,
)

REQUEST = LaunchRequest("t", "c", "u", "p", None, Requirements(), ())
PLACED = Requirements.from_labels({ZONE: "zone-a", ZONE_ID: "az1", CAPACITY_TYPE: "spot"})
OFFERED = a_type(offerings=(Offering(PLACED, 1),))
NOTICE = Notice("r", "spot_interrupted", ("i-1",), sent_ms=4_000)


def received(metrics):
    """Give the kinds of messages that came, and how many; all are there from the beginning."""
    found = samples(metrics, "karpenter_interruption_received_messages_total")
    return {row: count for row, count in found.items() if count}


class Clock:
    def __init__(self):
        self.ms = 10_000

    def now_ms(self):
        self.ms += 500
        return self.ms

    async def sleep_ms(self, duration_ms):
        self.ms += duration_ms


class Cloud:
    """A cloud that has one answer to each question."""

    def __init__(self, **answers):
        self.answers = answers
        self.acknowledged = []

    def __getattr__(self, name):
        async def answer(*asked):
            if name == "acknowledge":
                self.acknowledged.append(*asked)
            return self.answers.get(name)

        return answer


def timed(**answers):
    metrics = Metrics()
    cloud = Cloud(**answers)
    return TimedCloud(cloud, metrics, Clock(), "aws"), metrics, cloud


async def test_an_answer_is_passed_on_and_timed():
    cloud, metrics, _ = timed(terminate=Ended.ACCEPTED)

    assert await cloud.terminate("i-1") is Ended.ACCEPTED
    assert samples(metrics, "karpenter_cloudprovider_duration_seconds_sum") == {
        (("controller", "nodeclaim.lifecycle"), ("method", "Delete"), ("provider", "aws")): 0.5
    }
    assert samples(metrics, "karpenter_cloudprovider_errors_total") == {}


@pytest.mark.parametrize(
    ("question", "asked", "answer", "error"),
    [
        (
            "launch",
            REQUEST,
            LaunchFailed(LaunchFault.NO_CAPACITY, "x"),
            "InsufficientCapacityError",
        ),
        (
            "launch",
            REQUEST,
            LaunchFailed(LaunchFault.CLASS_NOT_READY, "x"),
            "NodeClassNotReadyError",
        ),
        ("launch", REQUEST, LaunchFailed(LaunchFault.TRANSIENT, "x"), None),
        ("describe", "i-1", None, "NodeClaimNotFoundError"),
        ("terminate", "i-1", Ended.GONE, "NodeClaimNotFoundError"),
        ("instance_types", None, Unavailable("x"), None),
    ],
)
async def test_errors_have_karpenters_names(question, asked, answer, error):
    cloud, metrics, _ = timed(**{question: answer})

    assert await getattr(cloud, question)(asked) == answer
    (labels,) = samples(metrics, "karpenter_cloudprovider_errors_total")
    assert dict(labels).get("error") == error


async def test_what_a_launch_tried_in_vain_is_counted_by_place_and_code():
    refused = (Refusal("zone-a", "spot", "InsufficientInstanceCapacity"),) * 2
    failed = LaunchFailed(LaunchFault.NO_CAPACITY, "x", refused=refused)
    cloud, metrics, _ = timed(launch=failed, instance_types=(OFFERED,))
    await cloud.instance_types(None)
    await cloud.launch(REQUEST)

    place = (("zone", "zone-a"), ("zone_id", "az1"))
    why = (("capacity_type", "spot"), ("reason", "InsufficientInstanceCapacity"))
    assert samples(metrics, "karpenter_cloudprovider_instance_launch_failures_total") == {
        (why[0], why[1], *place): 2
    }


@pytest.mark.parametrize(
    ("provider_id", "zone"), [("aws:///us-east-1a/i-1", "us-east-1a"), ("kwok://node-1", None)]
)
async def test_a_machine_that_cannot_be_given_back_is_counted_by_its_zone(provider_id, zone):
    cloud, metrics, _ = timed(terminate=Ended.TRY_AGAIN)
    await cloud.terminate(provider_id)
    found = samples(metrics, "karpenter_cloudprovider_instance_termination_failures_total")

    [(labels, count)] = found.items()
    assert (dict(labels).get("zone"), count) == (zone, 1)


async def test_lists_and_statuses_are_passed_on():
    cloud, metrics, _ = timed(list_machines=(), statuses=())

    assert await cloud.list_machines() == ()
    assert await cloud.statuses() == ()
    assert len(samples(metrics, "karpenter_cloudprovider_duration_seconds_sum")) == 1


async def test_messages_are_counted_by_kind_with_their_age():
    cloud, metrics, inner = timed(receive_notices=(NOTICE, NOTICE), acknowledge=2)

    assert await cloud.receive_notices() == (NOTICE, NOTICE)
    assert await cloud.acknowledge(("r", "s")) == 2

    assert received(metrics) == {(("message_type", "spot_interrupted"),): 2}
    assert samples(metrics, "karpenter_interruption_deleted_messages_total") == {(): 2}
    assert samples(metrics, "karpenter_interruption_message_queue_duration_seconds_sum") == {
        (): 13.5
    }
    assert metrics.hearing.latest == Heard(7_000)
    assert inner.acknowledged == [("r", "s")]


@pytest.mark.parametrize(
    ("kind", "detail", "expected"),
    [
        ("instance_state", {"state": "stopping"}, "instance_stopped"),
        ("instance_state", {"state": "running"}, "no_op"),
        ("", {}, "no_op"),
    ],
)
async def test_kinds_of_messages_have_karpenters_names(kind, detail, expected):
    cloud, metrics, _ = timed(receive_notices=(Notice("r", kind, (), 0, detail),))
    await cloud.receive_notices()

    assert received(metrics) == {(("message_type", expected),): 1}


async def test_only_messages_that_are_gone_count_as_deleted():
    cloud, metrics, _ = timed(acknowledge=0)
    await cloud.acknowledge(("r",))

    assert samples(metrics, "karpenter_interruption_deleted_messages_total") == {(): 0}


async def test_a_clock_that_is_behind_makes_no_message_younger_than_now():
    cloud, metrics, _ = timed(receive_notices=(Notice("r", "", (), 10**15),))
    await cloud.receive_notices()

    assert samples(metrics, "karpenter_interruption_message_queue_duration_seconds_sum") == {(): 0}


@pytest.mark.parametrize(
    ("fault", "expected"),
    [(QueueFault.MISSING, {(("reason", "missing"),): 1}), (QueueFault.UNSET, {})],
)
async def test_a_queue_that_is_not_heard_is_no_message(fault, expected):
    cloud, metrics, _ = timed(receive_notices=Deaf(fault))
    told = None if fault is QueueFault.UNSET else Heard(fault="missing")

    assert await cloud.receive_notices() == Deaf(fault)
    assert received(metrics) == {}
    assert samples(metrics, "nodewright_interruption_queue_errors_total") == expected
    assert metrics.hearing.latest == told
