"""Interruptions on EC2: a real control plane, an account that enforces policies, and a real queue."""

import pytest

from e2e.aws_controller_rig import Installed, a_load, an_ec2_class, an_ec2_pool
from e2e.aws_rig import an_account
from e2e.controller_rig import count_running

pytestmark = pytest.mark.e2e

SCENE = "spot"


@pytest.fixture(scope="module")
def installed(programs, tmp_path_factory):
    """A cluster on which the controller runs."""
    with an_account(programs, "eksctl", "interruption") as account:
        yield Installed(account, tmp_path_factory.mktemp("interruption"))


@pytest.fixture(scope="module")
def replica(installed):
    """The controller, with two pods on a spot machine."""
    started = installed.replica().start()
    pool = an_ec2_pool(SCENE, capacity=("spot",), disruption={"consolidateAfter": "Never"})
    installed.account.create(an_ec2_class(installed), pool, a_load(SCENE, 2))
    installed.account.wait_for("the pods run", lambda: running(installed) == 2)
    yield started
    started.stop()


def running(installed):
    return count_running(installed.account, "default", SCENE)


def claims(installed):
    """Give the claims by name, with the name of each one's instance."""
    found = installed.account.get("nodeclaims")["items"]
    return {
        one["metadata"]["name"]: one.get("status", {}).get("providerID", "").rpartition("/")[2]
        for one in found
        if "deletionTimestamp" not in one["metadata"]
    }


def condition(installed):
    """Give what the class says of the queue."""
    found = installed.account.get("ec2nodeclass", "default")["status"].get("conditions", [])
    return next((one for one in found if one["type"] == "InterruptionQueueReady"), {})


def says(installed, status):
    return lambda: condition(installed).get("status") == status


def messages(installed):
    """Count the messages in the queue, hidden ones too."""
    sqs = installed.account.client("sqs")
    url = sqs.get_queue_url(QueueName=installed.name)["QueueUrl"]
    told = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    names = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
    return sum(int(told[name]) for name in names)


def events(installed, name):
    found = installed.account.get("events.events.k8s.io", "-A")["items"]
    return {one["reason"] for one in found if one["regarding"].get("name") == name}


def test_a_warning_replaces_a_node_before_its_machine_ends(installed, replica):
    account = installed.account
    [(name, machine)] = claims(installed).items()
    installed.tell("happen", what="interrupt", instanceId=machine)
    account.wait_for("the claim goes", lambda: name not in claims(installed), 30)
    account.wait_for("another comes", lambda: claims(installed))
    account.wait_for("the pods run elsewhere", lambda: running(installed) == 2)
    account.wait_for("the old node is gone", lambda: account.node_of(machine) is None)
    account.wait_for("the queue is empty", lambda: messages(installed) == 0)

    assert machine not in claims(installed).values()
    assert {"SpotInterrupted", "TerminatingOnInterruption"} <= events(installed, name)
    assert condition(installed)["status"] == "True"
    assert installed.refusals() == []
    assert replica.complaints() == []


@pytest.mark.soak
def test_what_nobody_heard_is_found_by_asking_and_a_missing_queue_is_told(installed, replica):
    account, sqs = installed.account, installed.account.client("sqs")
    [(name, machine)] = claims(installed).items()
    replica.kill()
    sqs.delete_queue(QueueUrl=sqs.get_queue_url(QueueName=installed.name)["QueueUrl"])
    installed.tell("happen", what="interrupt", instanceId=machine)
    replica.start()
    account.wait_for("the claim goes", lambda: name not in claims(installed))
    account.wait_for("the class says so", says(installed, "False"))
    said = condition(installed)
    sqs.create_queue(QueueName=installed.name)
    account.wait_for("the queue is heard again", says(installed, "True"))
    account.wait_for("the pods run elsewhere", lambda: running(installed) == 2)

    assert said["reason"] == "QueueNotFound"
    assert "NW-3021" in said["message"]
    assert installed.refusals() == []
