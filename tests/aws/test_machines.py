"""Instances of EC2 as machines."""

import asyncio
import datetime as dt

import pytest

from builders.standin import a_fleet, a_network, ids_of
from nodewright.aws.machines import Machines, instance_of, provider_id, read_machine
from nodewright.ports.cloud import Ended
from nodewright.sandbox.aws.ec2 import happenings
from nodewright.sandbox.aws.faults import Switch


@pytest.fixture(scope="module")
def ids(standin):
    happenings.set_depth(standin.account, "us-west-2", "*/*/*", 1_000_000)
    fleet = a_fleet(a_network(standin), count=4)
    return ids_of(standin.client("ec2").create_fleet(**fleet))


@pytest.fixture
def machines(gateway):
    return Machines(gateway, gateway._clock, "demo")


def test_provider_ids_are_made_and_read():
    assert provider_id("us-west-2a", "i-1") == "aws:///us-west-2a/i-1"
    assert instance_of("aws:///us-west-2a/i-1") == "i-1"
    assert instance_of("kwok://i-1") == ""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "on-demand"),
        ({"InstanceLifecycle": "spot"}, "spot"),
        ({"SpotInstanceRequestId": "sir-1"}, "spot"),
        (
            {
                "CapacityReservationId": "cr-1",
                "CapacityReservationSpecification": {
                    "CapacityReservationTarget": {"CapacityReservationId": "cr-1"}
                },
            },
            "reserved",
        ),
        (
            {
                "CapacityReservationSpecification": {
                    "CapacityReservationTarget": {"CapacityReservationId": "cr-over"}
                }
            },
            "on-demand",
        ),
        ({"CapacityReservationId": "cr-open"}, "on-demand"),
    ],
)
def test_the_capacity_type_is_read(more, expected):
    description = {"InstanceId": "i-1", "State": {"Name": "running"}, **more}

    assert read_machine(description).capacity_type == expected
    assert read_machine(description).launched_ms == 0
    at = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    assert read_machine({**description, "LaunchTime": at}).launched_ms == 1_767_225_600_000


def test_where_an_instance_stands_is_read():
    machine = read_machine(
        {
            "InstanceId": "i-1",
            "State": {"Name": "running"},
            "SubnetId": "subnet-1",
            "SecurityGroups": [{"GroupId": "sg-2"}, {"GroupId": "sg-1"}],
            "Placement": {"GroupName": "near", "GroupId": "pg-1", "PartitionNumber": 3},
            "CapacityReservationId": "cr-open",
        }
    )

    assert (machine.subnet_id, machine.security_groups) == ("subnet-1", ("sg-1", "sg-2"))
    assert machine.placement_group == "near"
    assert machine.labels == {
        "karpenter.k8s.aws/placement-group-id": "pg-1",
        "karpenter.k8s.aws/placement-group-partition": "3",
    }


async def test_several_looks_are_one_call(standin, machines, ids):
    found = await asyncio.gather(*map(machines.find, [*ids[:2], "i-0000000000000dead"]))

    assert [instance_of(one.provider_id) for one in found[:2]] == ids[:2]
    assert found[2] is None
    assert len(standin.account.calls.named("ec2.DescribeInstances")) == 1


async def test_several_ends_are_one_call_and_a_missing_one_spoils_nothing(standin, machines, ids):
    ended = await asyncio.gather(*map(machines.end, [ids[0], ids[1], "i-0000000000000dead"]))

    assert ended == [Ended.ACCEPTED, Ended.ACCEPTED, Ended.GONE]
    assert len(standin.account.calls.named("ec2.TerminateInstances")) == 1


async def test_one_that_ec2_refuses_to_end_does_not_hold_the_others(standin, machines, ids):
    standin.account.faults.set(
        "ec2.TerminateInstances", Switch("error", times=1, code="OperationNotPermitted", status=400)
    )
    ended = await asyncio.gather(*map(machines.end, ids[2:]))

    assert ended == [Ended.ACCEPTED, Ended.ACCEPTED]
    assert len(standin.account.calls.named("ec2.TerminateInstances")) == 3


async def test_machines_of_others_are_not_listed(machines, ids):
    assert await machines.list_all() == ()
