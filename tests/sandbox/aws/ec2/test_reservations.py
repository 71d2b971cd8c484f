"""Capacity reservations: open ones are used by accident, targeted ones by name only."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import a_fleet, a_template, error_of, ids_of
from nodewright.sandbox.aws.ec2 import happenings, reservations
from nodewright.sandbox.aws.moment import moment


def reserve(ec2, kind, criteria="targeted", count=1):
    return ec2.create_capacity_reservation(
        InstanceType=kind,
        InstancePlatform="Linux/UNIX",
        AvailabilityZone="us-west-2a",
        InstanceCount=count,
        InstanceMatchCriteria=criteria,
        TagSpecifications=[
            {"ResourceType": "capacity-reservation", "Tags": [{"Key": "k", "Value": kind}]}
        ],
    )["CapacityReservation"]["CapacityReservationId"]


def told(ec2, number):
    [one] = ec2.describe_capacity_reservations(CapacityReservationIds=[number])[
        "CapacityReservations"
    ]
    return one


def fleet_with(network, kind, template):
    asked = a_fleet(network, (kind,))
    asked["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = (
        template
    )
    return asked


def test_a_targeted_reservation_is_used_by_name_even_where_all_is_sold_out(standin, ec2, network):
    number = reserve(ec2, "r5.large")
    happenings.set_depth(standin.account, "us-west-2", "r5.large/*/on-demand", 0)
    target = {
        "CapacityReservationPreference": "capacity-reservations-only",
        "CapacityReservationTarget": {"CapacityReservationId": number},
    }
    name = a_template(
        standin, "reserved", network.group, "net", CapacityReservationSpecification=target
    )
    first = ec2.create_fleet(**fleet_with(network, "r5.large", name))
    second = ec2.create_fleet(**fleet_with(network, "r5.large", name))
    [found] = ec2.describe_instances(InstanceIds=ids_of(first))["Reservations"][0]["Instances"]

    assert found["CapacityReservationId"] == number
    assert told(ec2, number)["AvailableInstanceCount"] == 0
    assert {one["ErrorCode"] for one in second["Errors"]} == {"ReservationCapacityExceeded"}

    ec2.terminate_instances(InstanceIds=ids_of(first))
    assert told(ec2, number)["AvailableInstanceCount"] == 1


def test_an_open_one_is_used_unless_the_launch_says_none(standin, ec2, network):
    number = reserve(ec2, "c5.xlarge", "open", 2)
    asked = fleet_with(network, "c5.xlarge", network.template)
    del asked["LaunchTemplateConfigs"][0]["Overrides"][1:]
    ec2.create_fleet(**asked)
    name = a_template(
        standin, "not-reserved", network.group, "net",
        CapacityReservationSpecification={"CapacityReservationPreference": "none"},
    )  # fmt: skip
    ec2.create_fleet(**fleet_with(network, "c5.xlarge", name))

    assert told(ec2, number)["AvailableInstanceCount"] == 1


def test_they_are_found_by_tag_and_state(ec2):
    number = reserve(ec2, "i3.large")
    filters = [
        {"Name": "tag:k", "Values": ["i3.large"]},
        {"Name": "state", "Values": ["active"]},
    ]
    [one] = ec2.describe_capacity_reservations(Filters=filters)["CapacityReservations"]

    assert one["CapacityReservationId"] == number
    assert one["ReservationType"] == "default"
    assert one["OwnerId"] == "123456789012"


def test_a_cancelled_one_has_nothing_left(ec2):
    number = reserve(ec2, "i3.xlarge")
    ec2.cancel_capacity_reservation(CapacityReservationId=number)

    assert told(ec2, number)["State"] == "cancelled"
    assert told(ec2, number)["AvailableInstanceCount"] == 0


def test_a_capacity_block_expires(standin, ec2):
    account = standin.account
    wanted = {
        "InstanceType": "p5.48xlarge",
        "AvailabilityZone": "us-west-2a",
        "TotalInstanceCount": 1,
        "InstanceMatchCriteria": "targeted",
        "ReservationType": "capacity-block",
        "EndDate": moment(account.clock.now_ms() + 60_000),
    }
    number = reservations.add(account, "us-west-2", wanted)["CapacityReservationId"]
    before = told(ec2, number)["State"]
    account.clock.skip(60_000)

    assert (before, told(ec2, number)["State"]) == ("active", "expired")


def test_an_unknown_one_is_refused(ec2):
    with pytest.raises(ClientError) as raised:
        ec2.describe_capacity_reservations(CapacityReservationIds=["cr-0"])

    assert error_of(raised) == "InvalidCapacityReservationId.NotFound"


def test_a_machine_of_a_capacity_block_says_so(standin, ec2, network):
    account = standin.account
    wanted = {
        "InstanceType": "p4d.24xlarge",
        "AvailabilityZone": "us-west-2a",
        "TotalInstanceCount": 1,
        "InstanceMatchCriteria": "targeted",
        "ReservationType": "capacity-block",
        "EndDate": moment(account.clock.now_ms() + 3_600_000),
    }
    number = reservations.add(account, "us-west-2", wanted)["CapacityReservationId"]
    happenings.set_depth(account, "us-west-2", "p4d.24xlarge/*/*", 0)
    name = a_template(
        standin, "block", network.group, "net",
        InstanceMarketOptions={"MarketType": "capacity-block"},
        CapacityReservationSpecification={
            "CapacityReservationTarget": {"CapacityReservationId": number}
        },
    )  # fmt: skip
    asked = fleet_with(network, "p4d.24xlarge", name)
    asked["TargetCapacitySpecification"]["DefaultTargetCapacityType"] = "capacity-block"
    [one] = ec2.describe_instances(InstanceIds=ids_of(ec2.create_fleet(**asked)))["Reservations"]

    assert one["Instances"][0]["InstanceLifecycle"] == "capacity-block"
    assert one["Instances"][0]["CapacityReservationId"] == number
