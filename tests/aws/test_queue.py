"""The queue of messages about machines."""

import json

import pytest

from builders.awsclients import a_gateway
from nodewright.aws.gateway import Fault
from nodewright.aws.queue import Queue, classify
from nodewright.ports.cloud import Deaf, QueueFault
from nodewright.sandbox.aws.faults import Switch

BODY = {
    "version": "0",
    "source": "aws.ec2",
    "detail-type": "EC2 Spot Instance Interruption Warning",
    "detail": {"instance-id": "i-1", "instance-action": "terminate"},
}


@pytest.fixture
def sqs(standin):
    client = standin.client("sqs")
    url = client.create_queue(QueueName="demo")["QueueUrl"]
    yield client, url
    client.delete_queue(QueueUrl=url)


def a_queue(gateway, name="demo"):
    return Queue(gateway, name, wait_s=0)


async def test_a_message_stays_until_it_is_deleted(gateway, sqs):
    client, url = sqs
    client.send_message(QueueUrl=url, MessageBody=json.dumps(BODY))
    client.send_message(QueueUrl=url, MessageBody="nonsense")
    queue = a_queue(gateway)
    received = await queue.receive()

    assert [one.message.kind for one in received] == ["spot_interrupted", ""]
    assert all(one.message.sent_ms > 0 for one in received)
    for one in received:
        client.change_message_visibility(
            QueueUrl=url, ReceiptHandle=one.receipt, VisibilityTimeout=0
        )
    again = await queue.receive()
    assert len(again) == 2
    assert await queue.delete(tuple(one.receipt for one in again)) == 2
    assert await queue.receive() == ()


async def test_many_messages_are_deleted_ten_at_a_time(standin, gateway, sqs):
    client, url = sqs
    for _ in range(23):
        client.send_message(QueueUrl=url, MessageBody="x")
    queue = a_queue(gateway)
    receipts = []
    while received := await queue.receive():
        receipts += [one.receipt for one in received]

    assert await queue.delete(tuple(receipts)) == 23
    assert len(standin.account.calls.named("sqs.DeleteMessageBatch")) == 3


async def test_what_could_not_be_deleted_is_not_counted(standin, gateway, sqs):
    client, url = sqs
    client.send_message(QueueUrl=url, MessageBody="x")
    queue = a_queue(gateway)
    [one] = await queue.receive()
    standin.account.faults.set("sqs.DeleteMessageBatch", Switch("drop", times=1))

    assert await queue.delete((one.receipt,)) == 0
    assert await queue.delete((one.receipt,)) == 1


async def test_a_message_that_nobody_can_read_is_told_and_settled(gateway, sqs, caplog):
    client, url = sqs
    for body in ("{", '{"version": "0", "source": "aws.ec2", "detail-type": "Something else"}'):
        client.send_message(QueueUrl=url, MessageBody=body)
    received = await a_queue(gateway).receive()

    assert [one.message.kind for one in received] == ["", ""]
    said = [one.getMessage() for one in caplog.records if "cannot be read" in one.getMessage()]
    assert said == ["a message of the queue cannot be read, and is passed over: '{'"]


async def test_the_first_poll_is_short_and_the_others_as_long_as_a_queue_allows(
    standin, gateway, sqs
):
    client, url = sqs
    queue = Queue(gateway, "demo")
    for _ in range(2):
        client.send_message(QueueUrl=url, MessageBody="x")
        await queue.receive()
    calls = standin.account.calls.named("sqs.ReceiveMessage")

    assert [one.params["WaitTimeSeconds"] for one in calls] == [0, 20]
    assert {one.params["VisibilityTimeout"] for one in calls} == {20}
    assert {one.params["MaxNumberOfMessages"] for one in calls} == {10}


async def test_a_queue_that_comes_later_is_found(standin, gateway):
    queue = a_queue(gateway, "later")
    missing = await queue.receive()
    standin.client("sqs").create_queue(QueueName="later")

    assert isinstance(missing, Deaf)
    assert (missing.fault, missing.retry_after_ms > 0) == (QueueFault.MISSING, True)
    assert "later" in missing.message
    assert await queue.receive() == ()


async def test_a_queue_that_goes_is_looked_for_anew(standin, gateway):
    client = standin.client("sqs")
    url = client.create_queue(QueueName="going")["QueueUrl"]
    queue = a_queue(gateway, "going")
    await queue.receive()
    client.delete_queue(QueueUrl=url)
    assert (await queue.receive()).fault is QueueFault.MISSING
    client.create_queue(QueueName="going")

    assert await queue.receive() == ()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("deny", QueueFault.FORBIDDEN), ("drop", QueueFault.UNREACHABLE)],
)
@pytest.mark.usefixtures("sqs")
async def test_trouble_is_logged_once_and_so_is_its_end(standin, caplog, kind, expected):
    caplog.set_level("INFO", "nodewright.aws")
    gateway = a_gateway(standin)
    queue = a_queue(gateway)
    standin.account.faults.set("sqs.*", Switch(kind))
    faults = {(await queue.receive()).fault for _ in range(3)}
    standin.account.faults.clear()

    assert faults == {expected}
    assert await queue.receive() == ()
    assert await queue.receive() == ()
    gateway.close()
    levels = [(one.levelname, expected.value in one.getMessage()) for one in caplog.records]
    assert levels == [("WARNING", True), ("INFO", False)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("AWS.SimpleQueueService.NonExistentQueue", QueueFault.MISSING),
        ("AccessDenied", QueueFault.FORBIDDEN),
        ("KmsAccessDenied", QueueFault.FORBIDDEN),
        ("KMS.DisabledException", QueueFault.FORBIDDEN),
        ("Unreachable", QueueFault.UNREACHABLE),
        ("RequestLimitExceeded", QueueFault.UNREACHABLE),
    ],
)
def test_the_code_says_what_is_wrong_with_a_queue(code, expected):
    assert classify(Fault(code)) is expected
