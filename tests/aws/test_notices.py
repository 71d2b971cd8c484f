"""Messages of EventBridge, as they lie in the queue, and what EC2 says of machines beside them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.awsaccounts import a_class, a_cloud, make_account, resolve
from builders.awslaunches import a_launch
from nodewright.aws.machines import instance_of
from nodewright.aws.notices import Message, read_message
from nodewright.ports.cloud import QueueFault, Unavailable
from nodewright.sandbox.aws.ec2 import happenings
from nodewright.sandbox.aws.faults import Switch

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


@pytest.fixture(scope="module")
def account(standin):
    return make_account(standin)


@pytest.fixture(scope="module")
def shared(standin, account):
    """One cloud for all tests, with the rights of the controller and no others."""
    cloud, gateway = a_cloud(standin, account[1], queue="demo")
    yield cloud, gateway
    gateway.close()


@pytest.fixture
def cloud(shared):
    return shared[0]


@pytest.fixture
async def node_class(shared):
    return await resolve(shared[1], a_class())


def a_request(node_class, name, types=("m5.large", "m6i.large")):
    return a_launch(
        token=f"uid-{name}-0",
        claim=f"default-{name}",
        claim_uid=f"uid-{name}",
        node_class=node_class,
        instance_types=types,
        labels={"karpenter.sh/nodepool": "default"},
    )


async def test_a_warning_names_the_machine_and_the_claim_it_was_made_for(
    standin, cloud, node_class
):
    launched = await cloud.launch(a_request(node_class, "warned", types=("c6i.large",)))
    machine = instance_of(launched.machine.provider_id)
    body = {
        "version": "0",
        "source": "aws.ec2",
        "detail-type": "EC2 Spot Instance Interruption Warning",
        "time": "2026-01-01T00:00:00Z",
        "detail": {"instance-id": machine, "instance-action": "terminate"},
    }
    sqs = standin.client("sqs")
    url = sqs.get_queue_url(QueueName="demo")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps(body))
    [notice] = await cloud.receive_notices()

    assert notice.kind == "spot_interrupted"
    assert (notice.machines, notice.claims) == ((machine,), ("default-warned",))
    assert await cloud.acknowledge((notice.receipt,)) == 1
    left = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert left["ApproximateNumberOfMessagesNotVisible"] == "0"


async def test_what_was_taken_back_is_not_on_sale_for_a_while(cloud, node_class):
    launched = await cloud.launch(a_request(node_class, "taken", types=("c6i.xlarge",)))
    cloud.mark_unavailable(launched.labels)
    types = await cloud.instance_types(node_class)

    [kind] = [one for one in types if one.name == "c6i.xlarge"]
    sold = {one.zone for one in kind.offerings if one.capacity_type == "spot" and not one.available}
    assert sold == {launched.machine.zone}


async def test_without_a_queue_nothing_is_heard(standin, account):
    cloud, gateway = a_cloud(standin)
    answer = await cloud.receive_notices()
    gateway.close()

    assert (answer.fault, answer.retry_after_ms > 0) == (QueueFault.UNSET, True)


async def test_a_missing_queue_is_told(standin, account):
    cloud, gateway = a_cloud(standin, queue="nowhere")
    answer = await cloud.receive_notices()
    gateway.close()

    assert (answer.fault, answer.retry_after_ms > 0) == (QueueFault.MISSING, True)


async def test_machines_that_are_unwell_are_told(standin, cloud, node_class):
    launched = await cloud.launch(a_request(node_class, "unwell"))
    machine = instance_of(launched.machine.provider_id)
    assert machine not in {one.machine for one in await cloud.statuses()}
    happenings.impair(standin.account, machine)
    [one] = [one for one in await cloud.statuses() if one.machine == machine]

    assert (one.impaired_check, one.impaired_since_ms is not None) == ("instance_status", True)


async def test_what_may_not_be_asked_is_logged_once(standin, cloud, caplog):
    standin.account.faults.set("ec2.Describe*", Switch("deny"))
    answers = [await cloud.statuses() for _ in range(3)]

    assert all(isinstance(one, Unavailable) for one in answers)
    assert [one.levelname for one in caplog.records] == 3 * ["WARNING"]
