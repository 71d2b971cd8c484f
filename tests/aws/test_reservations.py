"""Capacity reservations of a class."""

import pytest

from nodewright.aws.gateway import Fault
from nodewright.aws.reservations import find_reservations
from nodewright.model.ec2nodeclass_terms import CapacityReservationSelectorTerm as Term
from nodewright.sandbox.aws.ec2 import reservations
from nodewright.sandbox.aws.faults import Switch
from nodewright.sandbox.aws.moment import moment

REGION = "us-west-2"


@pytest.fixture(scope="module")
def made(standin):
    ec2 = standin.client("ec2")
    return [
        ec2.create_capacity_reservation(
            InstanceType=kind,
            InstancePlatform="Linux/UNIX",
            AvailabilityZone="us-west-2a",
            InstanceCount=count,
            InstanceMatchCriteria=criteria,
            TagSpecifications=[
                {"ResourceType": "capacity-reservation", "Tags": [{"Key": "k", "Value": kind}]}
            ],
        )["CapacityReservation"]["CapacityReservationId"]
        for kind, count, criteria in (("m5.large", 3, "targeted"), ("c5.large", 1, "open"))
    ]


async def ids(gateway, *terms):
    return [one.status.id for one in await find_reservations(gateway, terms, 0)]


async def test_they_are_found_by_id_tags_owner_and_criteria(gateway, made):
    assert await ids(gateway, Term(id=made[0])) == [made[0]]
    assert await ids(gateway, Term(tags={"k": "c5.large"})) == [made[1]]
    assert await ids(gateway, Term(tags={"k": "*"}, owner_id="123456789012")) == sorted(made)
    assert await ids(gateway, Term(instance_match_criteria="open")) == [made[1]]
    assert await ids(gateway, Term(tags={"k": "x"})) == []
    assert await ids(gateway) == []


async def test_one_that_is_gone_does_not_spoil_the_others(gateway, made):
    assert await ids(gateway, Term(id="cr-0000000000000dead"), Term(id=made[0])) == [made[0]]


async def test_what_is_left_is_offered(gateway, made):
    [found] = await find_reservations(gateway, [Term(id=made[0])], 0)

    assert found.status.instance_type == "m5.large"
    assert (found.offered.count, found.offered.zone) == (3, "us-west-2a")
    assert not found.offered.is_expiring


async def test_a_block_is_over_before_its_end(standin, gateway, made):
    end_ms = standin.account.clock.now_ms() + 3_600_000
    block = reservations.add(
        standin.account,
        REGION,
        {
            "InstanceType": "p5.48xlarge",
            "AvailabilityZone": "us-west-2b",
            "TotalInstanceCount": 1,
            "InstanceMatchCriteria": "targeted",
            "ReservationType": "capacity-block",
            "EndDate": moment(end_ms),
        },
    )
    term = Term(id=block["CapacityReservationId"])
    [early] = await find_reservations(gateway, [term], end_ms - 41 * 60_000)
    [late] = await find_reservations(gateway, [term], end_ms - 40 * 60_000)

    assert (early.status.state, late.status.state) == ("active", "expiring")
    assert late.offered.is_expiring
    assert late.status.end_time is not None


async def test_what_ec2_does_not_answer_is_told(standin, gateway):
    standin.account.faults.set("ec2.*", Switch("deny"))

    assert isinstance(await find_reservations(gateway, [Term(tags={"a": "*"})], 0), Fault)
