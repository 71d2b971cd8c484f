"""How machines do by EC2's own checks."""

import datetime as dt

import pytest

from builders.standin import a_fleet, a_network, ids_of
from nodewright.aws.health import find_unwell, read_status
from nodewright.aws.tags import CLUSTER_NAME
from nodewright.ports.cloud import MachineStatus
from nodewright.sandbox.aws.ec2 import happenings
from nodewright.sandbox.aws.faults import Switch

CLUSTER = "demo"
AT = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def a_status(instance="ok", system="ok", events=()):
    def check(status):
        details = [{"ImpairedSince": AT}] if status == "impaired" else [{}]
        return {"Status": status, "Details": details}

    return {
        "InstanceId": "i-1",
        "AvailabilityZone": "us-west-2a",
        "InstanceStatus": check(instance),
        "SystemStatus": check(system),
        "Events": [{"Code": code, "Description": words} for code, words in events],
        "AttachedEbsStatus": {"Status": "impaired"},
    }


def test_a_machine_that_is_well_has_nothing_to_tell():
    assert read_status(a_status()) == MachineStatus("i-1")


@pytest.mark.parametrize("check", ["instance", "system"])
def test_either_check_tells_since_when(check):
    found = read_status(a_status(**{check: "impaired"}))

    assert found.impaired_since_ms == int(AT.timestamp() * 1000)
    assert found.impaired_check == f"{check}_status"


@pytest.mark.parametrize(
    ("code", "words", "expected"),
    [
        ("instance-stop", "soon", "instance-stop"),
        ("instance-stop", "[Completed] x", ""),
        ("something-else", "", ""),
    ],
)
def test_a_planned_event_counts_until_it_is_done(code, words, expected):
    assert read_status(a_status(events=[(code, words)])).planned_event == expected


@pytest.fixture(scope="module")
def network(standin):
    standin.client("iam").create_service_linked_role(AWSServiceName="spot.amazonaws.com")
    happenings.set_depth(standin.account, standin.account.region, "*/*/*", 1_000)
    return a_network(standin)


@pytest.fixture
def machines(standin, network):
    """Six spot machines that run."""
    tags = [{"ResourceType": "instance", "Tags": [{"Key": CLUSTER_NAME, "Value": CLUSTER}]}]
    asked = a_fleet(network, kind="spot", count=6, TagSpecifications=tags)
    made = standin.client("ec2").create_fleet(**asked)
    yield ids_of(made)
    standin.client("ec2").terminate_instances(InstanceIds=ids_of(made))


async def test_everything_that_a_message_tells_is_found_by_asking(standin, gateway, machines):
    account = standin.account
    well, slow, sick, planned, warned, gone = machines
    happenings.impair(account, slow, "instance")
    happenings.impair(account, sick, "system")
    happenings.schedule(account, planned, "instance-retirement")
    happenings.interrupt(account, warned)
    standin.client("ec2").terminate_instances(InstanceIds=[gone])
    unwell = await find_unwell(gateway, CLUSTER)
    found = {one.machine: one for one in unwell.machines}

    assert unwell.faults == ()
    assert well not in found
    assert found[slow].impaired_check == "instance_status"
    assert found[sick].impaired_check == "system_status"
    assert found[planned].planned_event == "instance-retirement"
    assert found[warned].is_taken_back
    assert found[gone].state == "terminated"


async def test_a_machine_is_told_of_once_with_all_that_ails_it(standin, gateway, machines):
    account, one = standin.account, machines[0]
    happenings.impair(account, one)
    happenings.schedule(account, one, "instance-stop")
    happenings.interrupt(account, one)
    [found] = [
        status for status in (await find_unwell(gateway, CLUSTER)).machines if status.machine == one
    ]

    assert (found.impaired_check, found.planned_event) == ("instance_status", "instance-stop")
    assert found.is_taken_back


async def test_a_question_that_is_not_allowed_leaves_the_others(standin, gateway, machines):
    happenings.impair(standin.account, machines[0])
    standin.account.faults.set("ec2.DescribeSpotInstanceRequests", Switch("deny"))
    unwell = await find_unwell(gateway, CLUSTER)

    [(call, fault)] = unwell.faults
    assert call.operation == "DescribeSpotInstanceRequests"
    assert fault.is_unauthorized
    assert machines[0] in {one.machine for one in unwell.machines}


async def test_machines_of_others_that_ended_are_not_asked_for(standin, gateway, network):
    made = standin.client("ec2").create_fleet(**a_fleet(network))
    standin.client("ec2").terminate_instances(InstanceIds=ids_of(made))
    unwell = await find_unwell(gateway, CLUSTER)

    assert not set(ids_of(made)) & {one.machine for one in unwell.machines}
