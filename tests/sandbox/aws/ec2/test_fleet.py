"""CreateFleet: prices, strategies, capacity, half success, tokens, and what the template says."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import a_fleet, a_template, error_of, ids_of
from nodewright.sandbox.aws.ec2 import happenings

REGION = "us-west-2"


@pytest.fixture(autouse=True)
def deep(standin):
    happenings.set_depth(standin.account, REGION, "*/*/*", 1_000_000)


def only(ec2, fleet):
    [number] = ids_of(fleet)
    return ec2.describe_instances(InstanceIds=[number])["Reservations"][0]["Instances"][0]


def test_lowest_price_takes_the_cheapest_type_on_sale(ec2, network):
    fleet = ec2.create_fleet(**a_fleet(network, ("m5.4xlarge", "c5.large", "m5.large")))

    assert fleet["Errors"] == []
    assert fleet["Instances"][0]["InstanceType"] == "c5.large"
    assert fleet["Instances"][0]["Lifecycle"] == "on-demand"


def test_prioritized_takes_the_smallest_priority(ec2, network):
    asked = a_fleet(network, ("c5.large", "m5.large"))
    asked["OnDemandOptions"]["AllocationStrategy"] = "prioritized"
    for one in asked["LaunchTemplateConfigs"][0]["Overrides"]:
        one["Priority"] = 1.0 if one["InstanceType"] == "m5.large" else 2.0
    fleet = ec2.create_fleet(**asked)

    assert fleet["Instances"][0]["InstanceType"] == "m5.large"


def test_spot_prefers_depth_before_price(standin, ec2, network):
    happenings.set_depth(standin.account, REGION, "c5.large/*/spot", 1)
    fleet = ec2.create_fleet(**a_fleet(network, ("c5.large", "m5.4xlarge"), "spot"))

    assert fleet["Instances"][0]["InstanceType"] == "m5.4xlarge"
    assert fleet["Instances"][0]["Lifecycle"] == "spot"


def test_capacity_optimized_prioritized_takes_the_priority_within_a_depth(ec2, network):
    asked = a_fleet(network, ("c5.large", "m5.large"), "spot")
    asked["SpotOptions"]["AllocationStrategy"] = "capacity-optimized-prioritized"
    for one in asked["LaunchTemplateConfigs"][0]["Overrides"]:
        one["Priority"] = 1.0 if one["InstanceType"] == "m5.large" else 2.0

    assert ec2.create_fleet(**asked)["Instances"][0]["InstanceType"] == "m5.large"


def test_an_offering_that_is_sold_out_is_an_error_beside_the_instance(standin, ec2, network):
    happenings.set_depth(standin.account, REGION, "c5.large/us-west-2a/on-demand", 0)
    happenings.set_depth(standin.account, REGION, "c5.large/us-west-2b/on-demand", 0)
    fleet = ec2.create_fleet(**a_fleet(network, ("c5.large",)))

    assert len(ids_of(fleet)) == 1
    assert [one["ErrorCode"] for one in fleet["Errors"]] == ["InsufficientInstanceCapacity"] * 2
    override = fleet["Errors"][0]["LaunchTemplateAndOverrides"]["Overrides"]
    assert override["InstanceType"] == "c5.large"
    assert override["AvailabilityZone"] == "us-west-2a"


def test_a_fleet_may_be_filled_in_part(standin, ec2, network):
    happenings.set_depth(standin.account, REGION, "c5.large/*/on-demand", 1)
    fleet = ec2.create_fleet(**a_fleet(network, ("c5.large",), count=5))

    assert len(ids_of(fleet)) == 3
    assert len(fleet["Errors"]) == 3


def test_a_fleet_below_its_least_size_is_not_launched_at_all(standin, ec2, network):
    happenings.set_depth(standin.account, REGION, "c5.large/*/on-demand", 1)
    asked = a_fleet(network, ("c5.large",), count=5)
    asked["OnDemandOptions"]["MinTargetCapacity"] = 5
    asked["OnDemandOptions"]["SingleInstanceType"] = True
    fleet = ec2.create_fleet(**asked)

    assert fleet["Instances"] == []
    assert {one["ErrorCode"] for one in fleet["Errors"]} == {"UnfulfillableCapacity"}


def test_an_unknown_type_is_an_error_and_not_an_instance(ec2, network):
    fleet = ec2.create_fleet(**a_fleet(network, ("zz9.large",)))

    assert fleet["Instances"] == []
    assert {one["ErrorCode"] for one in fleet["Errors"]} == {"InvalidParameterValue"}


def test_the_template_is_honoured_in_full(ec2, network):
    asked = a_fleet(network)
    asked["TagSpecifications"] = [
        {"ResourceType": "instance", "Tags": [{"Key": "who", "Value": "me"}]},
        {"ResourceType": "volume", "Tags": [{"Key": "disk", "Value": "mine"}]},
        {"ResourceType": "fleet", "Tags": [{"Key": "fleet", "Value": "mine"}]},
    ]
    one = only(ec2, ec2.create_fleet(**asked))

    assert [group["GroupId"] for group in one["SecurityGroups"]] == [network.group]
    assert one["IamInstanceProfile"]["Arn"].endswith(":instance-profile/net")
    assert one["MetadataOptions"]["HttpTokens"] == "required"
    assert {"Key": "who", "Value": "me"} in one["Tags"]
    assert one["Placement"]["AvailabilityZoneId"].startswith("usw2-az")
    [device] = one["BlockDeviceMappings"]
    [volume] = ec2.describe_volumes(VolumeIds=[device["Ebs"]["VolumeId"]])["Volumes"]
    assert (volume["Size"], volume["VolumeType"], volume["Encrypted"]) == (30, "gp3", True)
    assert {"Key": "disk", "Value": "mine"} in volume["Tags"]
    [card] = one["NetworkInterfaces"]
    [eni] = ec2.describe_network_interfaces(NetworkInterfaceIds=[card["NetworkInterfaceId"]])[
        "NetworkInterfaces"
    ]
    assert {"Key": "card", "Value": "yes"} in eni["TagSet"]
    data = ec2.describe_instance_attribute(InstanceId=one["InstanceId"], Attribute="userData")
    assert data["UserData"]["Value"]


def test_every_efa_interface_of_the_template_is_attached(standin, ec2, network):
    cards = [
        {
            "NetworkCardIndex": index,
            "DeviceIndex": min(index, 1),
            "InterfaceType": "efa",
            "Groups": [network.group],
        }
        for index in range(4)
    ]
    name = a_template(standin, "efa", network.group, "net", NetworkInterfaces=cards)
    asked = a_fleet(network, ("p4d.24xlarge",))
    asked["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = name
    one = only(ec2, ec2.create_fleet(**asked))

    told = [
        (card["Attachment"]["NetworkCardIndex"], card["InterfaceType"])
        for card in one["NetworkInterfaces"]
    ]
    assert told == [(0, "efa"), (1, "efa"), (2, "efa"), (3, "efa")]


def test_a_token_gives_the_same_fleet_again(ec2, network):
    asked = a_fleet(network, ClientToken="claim-1")
    first, second = ec2.create_fleet(**asked), ec2.create_fleet(**asked)

    assert ids_of(first) == ids_of(second)
    assert first["FleetId"] == second["FleetId"]


def test_a_token_with_other_words_is_refused(ec2, network):
    ec2.create_fleet(**a_fleet(network, ClientToken="claim-2"))
    with pytest.raises(ClientError) as raised:
        ec2.create_fleet(**a_fleet(network, ("c5.large",), ClientToken="claim-2"))

    assert error_of(raised) == "IdempotentParameterMismatch"


def test_a_missing_template_fails_the_call(ec2, network):
    asked = a_fleet(network)
    asked["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = (
        "nowhere"
    )
    with pytest.raises(ClientError) as raised:
        ec2.create_fleet(**asked)

    assert error_of(raised) == "InvalidLaunchTemplateName.NotFoundException"


def test_a_dry_run_launches_nothing(standin, ec2, network):
    with pytest.raises(ClientError) as raised:
        ec2.create_fleet(**a_fleet(network, DryRun=True))

    assert error_of(raised) == "DryRunOperation"
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == 412


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"ImageId": "ami-00000000000000000"}, "InvalidAMIID.NotFound"),
        ({"IamInstanceProfile": {"Name": "nobody"}}, "InvalidParameterValue"),
        ({"NetworkInterfaces": [{"DeviceIndex": 0, "Groups": ["sg-0"]}]}, "InvalidGroup.NotFound"),
        (
            {"BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 1}}]},
            "InvalidBlockDeviceMapping",
        ),
        ({"Placement": {"GroupName": "nowhere"}}, "InvalidPlacementGroup.Unknown"),
    ],
)
def test_what_ec2_refuses_at_launch_is_an_error_of_the_fleet(standin, ec2, network, more, code):
    name = a_template(standin, f"bad-{next(iter(more))}", network.group, "net", **more)
    asked = a_fleet(network)
    asked["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = name
    fleet = ec2.create_fleet(**asked)

    assert fleet["Instances"] == []
    assert {one["ErrorCode"] for one in fleet["Errors"]} == {code}


def test_an_image_of_another_architecture_is_refused(standin, ec2, network):
    name = a_template(standin, "arm", network.group, "net", ImageId=standin.image("arm64"))
    asked = a_fleet(network, ("m5.large", "m6g.large"))
    asked["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = name
    fleet = ec2.create_fleet(**asked)

    assert fleet["Instances"][0]["InstanceType"] == "m6g.large"


def test_a_full_subnet_is_an_error_of_the_fleet(standin, ec2, network):
    subnet = ec2.create_subnet(
        VpcId=network.vpc, CidrBlock="10.0.200.0/28", AvailabilityZone="us-west-2a"
    )["Subnet"]["SubnetId"]
    asked = a_fleet(network, count=20)
    for one in asked["LaunchTemplateConfigs"][0]["Overrides"]:
        one["SubnetId"] = subnet
    fleet = ec2.create_fleet(**asked)

    assert len(ids_of(fleet)) == 11
    assert {one["ErrorCode"] for one in fleet["Errors"]} == {"InsufficientFreeAddressesInSubnet"}


def test_a_group_of_another_network_is_refused(standin, ec2, network):
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    group = ec2.create_security_group(VpcId=vpc, GroupName="far", Description="far")["GroupId"]
    name = a_template(standin, "far", group, "net")
    asked = a_fleet(network)
    asked["LaunchTemplateConfigs"][0]["LaunchTemplateSpecification"]["LaunchTemplateName"] = name
    [first, *_] = ec2.create_fleet(**asked)["Errors"]

    assert first["ErrorCode"] == "InvalidParameter"
    assert "belong to different networks" in first["ErrorMessage"]


def test_an_instant_fleet_is_deleted_with_its_instances_only(ec2, network):
    fleet = ec2.create_fleet(**a_fleet(network))
    [number] = ids_of(fleet)
    kept = ec2.delete_fleets(FleetIds=[fleet["FleetId"]], TerminateInstances=False)
    gone = ec2.delete_fleets(FleetIds=[fleet["FleetId"]], TerminateInstances=True)
    [told] = ec2.describe_instances(InstanceIds=[number])["Reservations"][0]["Instances"]

    assert len(kept["UnsuccessfulFleetDeletions"]) == 1
    assert len(gone["SuccessfulFleetDeletions"]) == 1
    assert told["State"]["Name"] == "terminated"
