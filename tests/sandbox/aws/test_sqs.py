"""Queues of the stand-in: quick with a backlog, and forgetful in time."""

import time

import pytest


@pytest.fixture
def queue(standin):
    sqs = standin.client("sqs")
    url = sqs.create_queue(QueueName="q", Attributes={"MessageRetentionPeriod": "60"})["QueueUrl"]
    yield sqs, url
    sqs.delete_queue(QueueUrl=url)


def fill(sqs, url, count):
    for first in range(0, count, 10):
        entries = [{"Id": str(n), "MessageBody": str(first + n)} for n in range(10)]
        sqs.send_message_batch(QueueUrl=url, Entries=entries)


def test_a_backlog_does_not_make_receiving_slow(queue):
    sqs, url = queue
    fill(sqs, url, 500)
    began_s = time.process_time()
    found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]

    # Looking through the whole queue for each message took more than a second.
    assert len(found) == 10
    assert time.process_time() - began_s < 0.5


def test_a_message_is_kept_as_long_as_its_queue_says(standin, queue):
    sqs, url = queue
    fill(sqs, url, 10)
    backend = standin.account.inside.backend("sqs", standin.account.region)
    for message in backend.queues["q"].messages:
        message.sent_timestamp -= 61_000

    assert "Messages" not in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
