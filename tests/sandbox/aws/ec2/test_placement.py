"""Placement groups: found by name or id, seven to a zone when spread, numbered when partitioned."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import a_fleet, a_template, error_of, ids_of


def launch(standin, network, group, count):
    name = a_template(
        standin, f"in-{group}-{count}", network.group, "net", Placement={"GroupName": group}
    )
    asked = a_fleet(network, count=count)
    del asked["LaunchTemplateConfigs"][0]["Overrides"][1:]
    asked["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = name
    return standin.client("ec2").create_fleet(**asked)


def test_a_spread_group_takes_seven_in_a_zone(standin, ec2, network):
    made = ec2.create_placement_group(GroupName="wide", Strategy="spread")["PlacementGroup"]
    fleet = launch(standin, network, "wide", 8)
    [found] = ec2.describe_placement_groups(GroupIds=[made["GroupId"]])["PlacementGroups"]

    assert len(ids_of(fleet)) == 7
    assert "spread placement group" in fleet["Errors"][0]["ErrorMessage"]
    assert (found["GroupName"], found["SpreadLevel"]) == ("wide", "rack")


def test_partitions_are_filled_evenly(standin, ec2, network):
    ec2.create_placement_group(GroupName="parts", Strategy="partition", PartitionCount=3)
    numbers = ids_of(launch(standin, network, "parts", 6))
    told = [
        one["Placement"]["PartitionNumber"]
        for r in ec2.describe_instances(InstanceIds=numbers)["Reservations"]
        for one in r["Instances"]
    ]

    assert sorted(told) == [1, 1, 2, 2, 3, 3]


def test_a_group_in_use_is_not_deleted(standin, ec2, network):
    ec2.create_placement_group(GroupName="busy", Strategy="cluster")
    numbers = ids_of(launch(standin, network, "busy", 1))
    with pytest.raises(ClientError) as raised:
        ec2.delete_placement_group(GroupName="busy")
    ec2.terminate_instances(InstanceIds=numbers)
    ec2.delete_placement_group(GroupName="busy")
    with pytest.raises(ClientError) as gone:
        ec2.describe_placement_groups(GroupNames=["busy"])

    assert error_of(raised) == "InvalidPlacementGroup.InUse"
    assert error_of(gone) == "InvalidPlacementGroup.Unknown"


def test_a_name_can_be_had_once(ec2):
    ec2.create_placement_group(GroupName="twice")
    with pytest.raises(ClientError) as raised:
        ec2.create_placement_group(GroupName="twice")

    assert error_of(raised) == "InvalidPlacementGroup.Duplicate"
