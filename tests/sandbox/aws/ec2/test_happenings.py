"""What EC2 does by itself, as it arrives in the queue that rules of EventBridge lead to."""

import json

import pytest
from botocore.exceptions import ClientError

from builders.standin import a_fleet, ids_of
from nodewright.sandbox.aws.ec2 import happenings

RULES = {
    "spot": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "state": ("aws.ec2", "EC2 Instance State-change Notification"),
    "health": ("aws.health", "AWS Health Event"),
}


class Queue:
    def __init__(self, standin, name, *, open_to_events=True):
        self._sqs = standin.client("sqs")
        self.url = self._sqs.create_queue(QueueName=name)["QueueUrl"]
        asked = self._sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=["QueueArn"])
        arn = asked["Attributes"]["QueueArn"]
        if open_to_events:
            statement = {
                "Effect": "Allow",
                "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
                "Action": "sqs:SendMessage",
                "Resource": arn,
            }
            policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
            self._sqs.set_queue_attributes(QueueUrl=self.url, Attributes={"Policy": policy})
        events = standin.client("events")
        for rule, (source, kind) in RULES.items():
            pattern = json.dumps({"source": [source], "detail-type": [kind]})
            events.put_rule(Name=f"{name}-{rule}", EventPattern=pattern)
            events.put_targets(Rule=f"{name}-{rule}", Targets=[{"Id": "q", "Arn": arn}])

    def take(self):
        found = []
        while True:
            asked = self._sqs.receive_message(
                QueueUrl=self.url, MaxNumberOfMessages=10, WaitTimeSeconds=0
            )
            if not asked.get("Messages"):
                return found
            for one in asked["Messages"]:
                self._sqs.delete_message(QueueUrl=self.url, ReceiptHandle=one["ReceiptHandle"])
                found.append(json.loads(one["Body"]))


@pytest.fixture(scope="module")
def queue(standin):
    return Queue(standin, "cluster")


@pytest.fixture
def machine(standin, network, queue):
    [number] = ids_of(standin.client("ec2").create_fleet(**a_fleet(network, kind="spot")))
    queue.take()
    return number


def test_a_launch_and_an_end_are_told_state_by_state(ec2, queue, network):
    [number] = ids_of(ec2.create_fleet(**a_fleet(network)))
    ec2.terminate_instances(InstanceIds=[number])
    told = queue.take()

    assert [one["detail"]["state"] for one in told] == [
        "pending", "running", "shutting-down", "terminated",
    ]  # fmt: skip
    assert {one["detail"]["instance-id"] for one in told} == {number}


def test_the_envelope_is_that_of_aws(standin, queue, machine):
    happenings.interrupt(standin.account, machine)
    [told] = queue.take()

    assert set(told) == {
        "version", "id", "detail-type", "source", "account", "time", "region", "resources", "detail",
    }  # fmt: skip
    assert told["version"] == "0"
    assert told["account"] == "123456789012"
    assert told["detail"] == {"instance-id": machine, "instance-action": "terminate"}
    assert told["resources"][0].startswith("arn:aws:ec2:us-west-2")


def test_a_spot_machine_ends_two_minutes_after_the_warning(standin, ec2, queue, machine):
    happenings.interrupt(standin.account, machine)
    [marked] = ec2.describe_spot_instance_requests(
        Filters=[{"Name": "instance-id", "Values": [machine]}]
    )["SpotInstanceRequests"]
    standin.account.clock.skip(120_000)
    [one] = ec2.describe_instances(InstanceIds=[machine])["Reservations"][0]["Instances"]
    [request] = ec2.describe_spot_instance_requests(
        Filters=[{"Name": "instance-id", "Values": [machine]}]
    )["SpotInstanceRequests"]
    queue.take()

    assert marked["Status"]["Code"] == "marked-for-termination"
    assert one["State"]["Name"] == "terminated"
    assert one["StateReason"]["Code"] == "Server.SpotInstanceTermination"
    assert request["Status"]["Code"] == "instance-terminated-no-capacity"


def test_a_hint_and_a_retirement_are_told(standin, ec2, queue, machine):
    happenings.rebalance(standin.account, machine)
    happenings.schedule(standin.account, machine, "instance-retirement")
    hint, health = queue.take()
    [status] = ec2.describe_instance_status(InstanceIds=[machine])["InstanceStatuses"]

    assert hint["detail-type"] == "EC2 Instance Rebalance Recommendation"
    assert health["source"] == "aws.health"
    assert health["detail"]["service"] == "EC2"
    assert health["detail"]["eventTypeCategory"] == "scheduledChange"
    assert health["detail"]["affectedEntities"] == [{"entityValue": machine}]
    assert status["Events"][0]["Code"] == "instance-retirement"


def test_a_queue_that_does_not_let_events_in_gets_none(standin, queue, machine):
    closed = Queue(standin, "closed", open_to_events=False)
    happenings.rebalance(standin.account, machine)

    assert closed.take() == []
    assert len(queue.take()) == 1


def test_a_machine_that_vanishes_is_gone_at_once(standin, ec2, queue, machine):
    happenings.vanish(standin.account, machine)
    [one] = ec2.describe_instances(InstanceIds=[machine])["Reservations"][0]["Instances"]
    queue.take()

    assert one["State"]["Name"] == "terminated"


def test_a_missing_queue_is_told_as_sqs_does(standin):
    with pytest.raises(ClientError) as raised:
        standin.client("sqs").get_queue_url(QueueName="nobody")

    assert "NonExistentQueue" in raised.value.response["Error"]["Code"]
