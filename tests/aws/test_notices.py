"""Messages of EventBridge, as they lie in the queue."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.aws.notices import Message, read_message

SPOT = "EC2 Spot Instance Interruption Warning"


def a_body(kind=SPOT, source="aws.ec2", version="0", **detail):
    return json.dumps(
        {
            "version": version,
            "id": "1",
            "source": source,
            "detail-type": kind,
            "account": "123456789012",
            "time": "2026-01-01T00:00:01Z",
            "region": "us-west-2",
            "resources": [],
            "detail": detail or {"instance-id": "i-1", "instance-action": "terminate"},
        }
    )


def a_health_event(service="EC2", category="scheduledChange", *ids):
    return a_body(
        "AWS Health Event",
        "aws.health",
        eventArn="x",
        service=service,
        eventTypeCategory=category,
        eventTypeCode="AWS_EC2_RETIREMENT",
        affectedEntities=[{"entityValue": one} for one in ids],
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (SPOT, "spot_interrupted"),
        ("EC2 Instance Rebalance Recommendation", "rebalance_recommendation"),
        (
            "EC2 Capacity Reservation Instance Interruption Warning",
            "capacity_reservation_interrupted",
        ),
        ("EC2 Something Else", ""),
    ],
)
def test_the_kind_follows_from_the_type(kind, expected):
    message = read_message(a_body(kind))

    assert message.kind == expected
    assert message.instance_ids == (("i-1",) if expected else ())
    assert message.sent_ms == 1_767_225_601_000


def test_states_are_told_in_small_letters():
    kind = "EC2 Instance State-change Notification"
    message = read_message(a_body(kind, **{"instance-id": "i-1", "state": "Shutting-Down"}))

    assert (message.kind, message.detail) == ("instance_state", {"state": "shutting-down"})


def test_a_health_event_may_name_several_machines():
    message = read_message(a_health_event("EC2", "scheduledChange", "i-1", "i-2"))

    assert (message.kind, message.instance_ids) == ("scheduled_change", ("i-1", "i-2"))


@pytest.mark.parametrize("body", [a_health_event("RDS"), a_health_event("EC2", "issue")])
def test_other_health_events_are_none_of_ours(body):
    assert read_message(body).kind == ""


@pytest.mark.parametrize(
    "body",
    [
        "",
        "not json",
        "[]",
        '{"version": 0}',
        a_body(version="1"),
        a_body(source="aws.other"),
        a_body(**{"instance-id": 7}),
        a_body(other="x"),
    ],
)
def test_what_nobody_can_read_is_of_no_kind(body):
    assert (read_message(body).kind, read_message(body).instance_ids) == ("", ())


@given(st.text())
def test_no_text_is_too_odd(text):
    assert isinstance(read_message(text), Message)
