"""Placement groups: kept for a minute, and for a day while EC2 is silent."""

import pytest

from nodewright.aws.gateway import Fault
from nodewright.aws.placements import FRESH_MS, OUTAGE_MS, PlacementGroups
from nodewright.model.ec2nodeclass_terms import PlacementGroupSelector
from nodewright.sandbox.aws.faults import Switch

SPREAD = PlacementGroupSelector(name="apart")


@pytest.fixture(scope="module", autouse=True)
def groups(standin):
    ec2 = standin.client("ec2")
    ec2.create_placement_group(GroupName="apart", Strategy="spread")
    ec2.create_placement_group(GroupName="parts", Strategy="partition", PartitionCount=3)


@pytest.fixture
def finder(gateway):
    return PlacementGroups(gateway, gateway._clock)


async def test_a_group_is_found_with_how_machines_lie_in_it(finder):
    apart = await finder.find(SPREAD)
    parts = await finder.find(PlacementGroupSelector(name="parts"))
    by_id = await finder.find(PlacementGroupSelector(id=parts.group_id))

    assert (apart.name, apart.strategy, apart.partition_count) == ("apart", "spread", 0)
    assert (parts.strategy, parts.partition_count) == ("partition", 3)
    assert by_id == parts
    assert await finder.find(PlacementGroupSelector(name="nowhere")) is None


async def test_it_is_asked_for_once_a_minute(standin, gateway, finder):
    for wait_ms in (0, FRESH_MS - 1, 1):
        gateway._clock.now += wait_ms
        await finder.find(SPREAD)

    assert len(standin.account.calls.named("ec2.DescribePlacementGroups")) == 2


async def test_an_outage_is_borne_for_a_day_and_a_refusal_is_not(standin, gateway, finder):
    known = await finder.find(SPREAD)
    standin.account.faults.set("ec2.DescribePlacementGroups", Switch("throttle"))
    gateway._clock.now += FRESH_MS
    assert await finder.find(SPREAD) == known
    standin.account.faults.set("ec2.DescribePlacementGroups", Switch("deny"))
    assert isinstance(await finder.find(SPREAD), Fault)
    standin.account.faults.set("ec2.DescribePlacementGroups", Switch("throttle"))
    gateway._clock.now += OUTAGE_MS

    assert isinstance(await finder.find(SPREAD), Fault)
