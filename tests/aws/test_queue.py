"""The queue of messages about machines."""

import json

import pytest

from nodewright.aws.gateway import Fault
from nodewright.aws.queue import Queue

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
    client.purge_queue(QueueUrl=url)
    return client, url


async def test_a_message_stays_until_it_is_deleted(gateway, sqs):
    client, url = sqs
    client.send_message(QueueUrl=url, MessageBody=json.dumps(BODY))
    client.send_message(QueueUrl=url, MessageBody="nonsense")
    queue = Queue(gateway, "demo")
    received = await queue.receive(wait_s=0)

    assert [one.message.kind for one in received] == ["spot_interrupted", ""]
    assert all(one.message.sent_ms > 0 for one in received)
    for one in received:
        client.change_message_visibility(
            QueueUrl=url, ReceiptHandle=one.receipt, VisibilityTimeout=0
        )
    again = await queue.receive(wait_s=0)
    assert len(again) == 2
    for one in again:
        assert await queue.delete(one.receipt) is None
    assert await queue.receive(wait_s=0) == ()


async def test_a_queue_that_comes_later_is_found(standin, gateway):
    queue = Queue(gateway, "later")
    missing = await queue.receive(wait_s=0)
    standin.client("sqs").create_queue(QueueName="later")

    assert isinstance(missing, Fault)
    assert missing.is_gone
    assert await queue.receive(wait_s=0) == ()


async def test_a_queue_that_goes_is_looked_for_anew(standin, gateway):
    client = standin.client("sqs")
    url = client.create_queue(QueueName="going")["QueueUrl"]
    queue = Queue(gateway, "going")
    await queue.receive(wait_s=0)
    client.delete_queue(QueueUrl=url)
    assert isinstance(await queue.receive(wait_s=0), Fault)
    client.create_queue(QueueName="going")

    assert await queue.receive(wait_s=0) == ()
