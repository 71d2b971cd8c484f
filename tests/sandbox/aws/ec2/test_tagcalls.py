"""Tags on everything, but not on an instance that nobody can see yet."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import a_fleet, error_of, ids_of
from nodewright.sandbox.aws.account import Timing

TAG = [{"Key": "team", "Value": "a"}]


def test_what_moto_has_and_what_it_has_not_can_be_tagged(ec2, network):
    fleet = ec2.create_fleet(**a_fleet(network, kind="spot"))
    [number] = ids_of(fleet)
    reservation = ec2.create_capacity_reservation(
        InstanceType="m5.large",
        InstancePlatform="Linux/UNIX",
        AvailabilityZone="us-west-2a",
        InstanceCount=1,
    )["CapacityReservation"]["CapacityReservationId"]
    group = ec2.create_placement_group(GroupName="tagged")["PlacementGroup"]["GroupId"]
    ec2.create_tags(Resources=[number, reservation, group, fleet["FleetId"]], Tags=TAG)
    by_tag = [{"Name": "tag:team", "Values": ["a"]}]
    found = (
        ec2.describe_instances(Filters=by_tag)["Reservations"],
        ec2.describe_capacity_reservations(Filters=by_tag)["CapacityReservations"],
        ec2.describe_placement_groups(Filters=by_tag)["PlacementGroups"],
    )
    ec2.delete_tags(Resources=[reservation, number], Tags=TAG)

    assert [len(one) for one in found] == [1, 1, 1]
    assert ec2.describe_capacity_reservations(Filters=by_tag)["CapacityReservations"] == []
    assert ec2.describe_instances(Filters=by_tag)["Reservations"] == []


def test_an_instance_that_is_not_seen_yet_cannot_be_tagged(standin, ec2, network):
    account = standin.account
    account.timing = Timing(visible_ms=5_000, boot_ms=0, shutdown_ms=0)
    [number] = ids_of(ec2.create_fleet(**a_fleet(network)))
    account.timing = Timing(0, 0, 0)
    with pytest.raises(ClientError) as raised:
        ec2.create_tags(Resources=[number], Tags=TAG)
    account.clock.skip(5_000)
    ec2.create_tags(Resources=[number], Tags=TAG)

    assert error_of(raised) == "InvalidInstanceID.NotFound"


def test_a_resource_that_is_not_there_cannot_be_tagged(ec2):
    with pytest.raises(ClientError) as raised:
        ec2.create_tags(Resources=["cr-0"], Tags=TAG)

    assert error_of(raised) == "InvalidID"
