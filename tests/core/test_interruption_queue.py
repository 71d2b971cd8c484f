"""The queue of interruptions as classes tell of it."""

import msgspec
import pytest

from builders import NOW_MS, a_world
from builders.lives import ago, with_conditions, with_meta, with_status
from nodewright.core.interruption_queue import QUEUE, TOLERATED_MS, judge_queue
from nodewright.model.beside import Beside
from nodewright.model.cloudview import QueueView
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.metadata import Condition, ObjectMeta

CLASS = EC2NodeClass(ObjectMeta(name="c", uid="u", generation=2, resource_version="7"))


def judged(*classes, fault="", since_ms=0, view=True):
    queue = QueueView(NOW_MS - since_ms, fault, "demo: why") if view else None
    world = msgspec.structs.replace(a_world(*classes), beside=Beside(queue=queue))
    return list(judge_queue(world))


def written(change):
    return msgspec.convert(change.change["status"]["conditions"], tuple[Condition, ...])


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("missing", "QueueNotFound"),
        ("forbidden", "QueueForbidden"),
        ("unreachable", "QueueUnreachable"),
    ],
)
def test_a_queue_that_cannot_be_heard_is_a_condition_and_an_event(fault, reason):
    tell, change = judged(CLASS, fault=fault, since_ms=TOLERATED_MS)
    [condition] = written(change)

    assert (condition.type, condition.status, condition.reason) == (QUEUE, "False", reason)
    assert condition.message.startswith("NW-3021: ")
    assert "demo: why" in condition.message
    assert (tell.reason, tell.is_warning) == ("InterruptionQueueNotReady", True)
    assert change.if_version == "7"


def test_a_queue_that_is_heard_is_a_condition_too():
    [change] = judged(CLASS)
    [condition] = written(change)

    assert (condition.type, condition.status) == (QUEUE, "True")


def test_what_is_written_already_is_not_written_again():
    [_, change] = judged(CLASS, fault="missing")
    told = with_status(CLASS, conditions=written(change))

    assert [one.kind for one in judged(told, fault="missing")] == ["Tell"]


def test_a_condition_keeps_its_time_while_it_says_the_same():
    old = with_conditions(CLASS, since=ago(60_000), **{QUEUE: "False"})
    [_, change] = judged(old, fault="missing")

    assert written(change)[0].last_transition_time == ago(60_000)


def test_a_queue_that_does_not_answer_for_a_moment_is_no_news():
    assert judged(CLASS, fault="unreachable", since_ms=TOLERATED_MS - 1) == []


def test_other_conditions_stay_as_they_are_and_ready_stays_last():
    ready = Condition(type="Ready", status="True", observed_generation=1)
    other = Condition(type="AMIsReady", status="True", observed_generation=1)
    [change] = judged(with_status(CLASS, conditions=(ready, other)))
    conditions = written(change)

    assert [one.type for one in conditions] == ["AMIsReady", QUEUE, "Ready"]
    assert [one.observed_generation for one in conditions] == [1, 2, 1]


def test_where_no_queue_is_set_the_condition_is_taken_away():
    [change] = judged(with_conditions(CLASS, **{QUEUE: "False"}), fault="unset")

    assert written(change) == ()
    assert judged(CLASS, fault="unset") == []


def test_nothing_is_said_before_the_queue_was_asked():
    assert judged(CLASS, view=False) == []


def test_a_class_that_goes_is_left_alone():
    assert judged(with_meta(CLASS, deletion_timestamp=ago(0)), fault="missing") == []
