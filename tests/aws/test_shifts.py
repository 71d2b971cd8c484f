"""Zonal shifts: zones that a cluster is moved away from are closed, and an outage opens nothing."""

import pytest

from builders.standin import a_network
from builders.types import ZONES, a_type
from nodewright.aws.shifts import FRESH_MS, OUTAGE_MS, ZonalShifts, leave_zones
from nodewright.model.ec2nodeclass import SubnetStatus
from nodewright.sandbox.aws.faults import Switch

SUBNETS = (
    SubnetStatus(id="subnet-1", zone="us-west-2a", zone_id="usw2-az1"),
    SubnetStatus(id="subnet-2", zone="us-west-2b", zone_id="usw2-az2"),
)


@pytest.fixture(scope="module")
def arn(standin):
    made = standin.client("eks").create_cluster(
        name="shifted",
        roleArn="arn:aws:iam::123456789012:role/eks",
        resourcesVpcConfig={"subnetIds": list(a_network(standin, "shifts").subnets)},
    )
    return made["cluster"]["arn"]


@pytest.fixture
def arc(standin, arn):
    """The console of zonal shifts, with every shift ended afterwards."""
    arc = standin.client("arc-zonal-shift")
    yield arc
    standin.account.faults.clear()
    for one in arc.get_managed_resource(resourceIdentifier=arn)["zonalShifts"]:
        arc.cancel_zonal_shift(zonalShiftId=one["zonalShiftId"])


@pytest.fixture
def shifts(gateway):
    return ZonalShifts(gateway, gateway._clock, "shifted")


def move_away(arc, arn, zone):
    arc.start_zonal_shift(resourceIdentifier=arn, awayFrom=zone, expiresIn="1h", comment="flood")


async def test_a_zone_is_closed_while_the_cluster_is_moved_away_from_it(arc, arn, gateway, shifts):
    before = await shifts.zones(SUBNETS)
    move_away(arc, arn, "usw2-az1")
    gateway._clock.now += FRESH_MS

    assert before == frozenset()
    assert await shifts.zones(SUBNETS) == {"us-west-2a"}


async def test_machines_of_a_closed_zone_are_left_alone(arc, arn, gateway, shifts):
    move_away(arc, arn, "usw2-az1")
    unknown = await shifts.has("us-west-2a")
    await shifts.zones(SUBNETS)

    assert not unknown
    assert [await shifts.has(one.zone) for one in SUBNETS] == [True, False]
    assert not await shifts.has("")


async def test_arc_is_asked_twice_a_minute(standin, arc, gateway, shifts):
    for wait_ms in (0, FRESH_MS - 1, 1):
        gateway._clock.now += wait_ms
        await shifts.zones(SUBNETS)

    asked = standin.account.calls.named("arc-zonal-shift.GetManagedResource")
    assert len(asked) == 2


async def test_an_outage_opens_no_zone_and_closes_none(standin, arc, arn, gateway, shifts):
    move_away(arc, arn, "usw2-az2")
    closed = await shifts.zones(SUBNETS)
    standin.account.faults.set("arc-zonal-shift.GetManagedResource", Switch("deny"))
    gateway._clock.now += FRESH_MS
    during = await shifts.zones(SUBNETS)
    gateway._clock.now += OUTAGE_MS

    assert closed == during == {"us-west-2b"}
    assert await shifts.zones(SUBNETS) == frozenset()


async def test_a_cluster_that_eks_does_not_know_closes_nothing(gateway):
    assert await ZonalShifts(gateway, gateway._clock, "nobody").zones(SUBNETS) == frozenset()


def test_types_are_not_on_sale_in_closed_zones():
    (closed,) = leave_zones((a_type(),), frozenset({ZONES[0]}))

    assert {one.zone: one.available for one in closed.offerings} == {
        ZONES[0]: False,
        ZONES[1]: True,
        ZONES[2]: True,
    }


def test_where_nothing_is_closed_the_types_are_the_same():
    types = (a_type(),)

    assert leave_zones(types, frozenset()) is types
