"""RunInstances and the end of machines: templates, counts, tokens, states and their reasons."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of
from nodewright.sandbox.aws.ec2 import happenings

REGION = "us-west-2"


def asked(network, **more):
    return {
        "LaunchTemplate": {"LaunchTemplateName": network.template},
        "SubnetId": network.subnets[0],
        "InstanceType": "m5.large",
        "MinCount": 1,
        "MaxCount": 1,
        **more,
    }


def test_the_template_is_honoured_and_no_extra_volume_is_added(ec2, network):
    answer = ec2.run_instances(**asked(network))
    [one] = answer["Instances"]

    assert [group["GroupId"] for group in one["SecurityGroups"]] == [network.group]
    assert one["IamInstanceProfile"]["Arn"].endswith("/net")
    assert one["MetadataOptions"]["HttpTokens"] == "required"
    assert [device["DeviceName"] for device in one["BlockDeviceMappings"]] == ["/dev/xvda"]
    assert one["SubnetId"] == network.subnets[0]
    assert answer["ReservationId"].startswith("r-")


def test_spot_by_market_options_has_a_request(ec2, network):
    [one] = ec2.run_instances(**asked(network, InstanceMarketOptions={"MarketType": "spot"}))[
        "Instances"
    ]

    assert one["InstanceLifecycle"] == "spot"
    [request] = ec2.describe_spot_instance_requests(
        SpotInstanceRequestIds=[one["SpotInstanceRequestId"]]
    )["SpotInstanceRequests"]
    assert request["InstanceId"] == one["InstanceId"]


def test_fewer_than_the_least_are_not_left_behind(standin, ec2, network):
    happenings.set_depth(standin.account, REGION, "m5.xlarge/us-west-2a/on-demand", 2)
    with pytest.raises(ClientError) as raised:
        ec2.run_instances(**asked(network, InstanceType="m5.xlarge", MinCount=3, MaxCount=3))

    assert error_of(raised) == "InsufficientInstanceCapacity"
    told = ec2.describe_instances(
        Filters=[
            {"Name": "instance-type", "Values": ["m5.xlarge"]},
            {"Name": "instance-state-name", "Values": ["pending", "running"]},
        ]
    )
    assert told["Reservations"] == []


def test_between_the_least_and_the_most_as_many_as_there_are(standin, ec2, network):
    happenings.set_depth(standin.account, REGION, "m5.2xlarge/us-west-2a/on-demand", 2)
    answer = ec2.run_instances(**asked(network, InstanceType="m5.2xlarge", MinCount=1, MaxCount=5))

    assert len(answer["Instances"]) == 2


def test_a_token_gives_the_same_instances(ec2, network):
    first = ec2.run_instances(**asked(network, ClientToken="one"))
    again = ec2.run_instances(**asked(network, ClientToken="one"))

    assert first["Instances"][0]["InstanceId"] == again["Instances"][0]["InstanceId"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"DryRun": True}, "DryRunOperation"),
        ({"InstanceType": "zz9.large"}, "InvalidParameterValue"),
        ({"SubnetId": "subnet-0"}, "InvalidSubnetID.NotFound"),
        ({"ImageId": "ami-0"}, "InvalidAMIID.NotFound"),
    ],
)
def test_what_cannot_be_launched_is_refused_in_ec2s_words(ec2, network, more, code):
    with pytest.raises(ClientError) as raised:
        ec2.run_instances(**asked(network, **more))

    assert error_of(raised) == code


def test_a_terminated_instance_says_who_ended_it(ec2, network):
    [one] = ec2.run_instances(**asked(network))["Instances"]
    [change] = ec2.terminate_instances(InstanceIds=[one["InstanceId"]])["TerminatingInstances"]
    [told] = ec2.describe_instances(InstanceIds=[one["InstanceId"]])["Reservations"][0]["Instances"]

    assert change["PreviousState"]["Name"] == "running"
    assert change["CurrentState"]["Name"] == "shutting-down"
    assert told["State"]["Name"] == "terminated"
    assert told["StateReason"]["Code"] == "Client.UserInitiatedShutdown"
    assert told["StateTransitionReason"].startswith("User initiated (")


def test_ending_one_that_is_ended_is_no_error_and_an_unknown_one_is(ec2, network):
    [one] = ec2.run_instances(**asked(network))["Instances"]
    ec2.terminate_instances(InstanceIds=[one["InstanceId"]])
    [again] = ec2.terminate_instances(InstanceIds=[one["InstanceId"]])["TerminatingInstances"]
    with pytest.raises(ClientError) as raised:
        ec2.terminate_instances(InstanceIds=["i-00000000000000000"])

    assert again["CurrentState"]["Name"] == "terminated"
    assert error_of(raised) == "InvalidInstanceID.NotFound"


def test_its_address_comes_back(ec2, network):
    def free():
        [told] = ec2.describe_subnets(SubnetIds=[network.subnets[0]])["Subnets"]
        return told["AvailableIpAddressCount"]

    before = free()
    [one] = ec2.run_instances(**asked(network))["Instances"]
    between = free()
    ec2.terminate_instances(InstanceIds=[one["InstanceId"]])

    assert (between, free()) == (before - 1, before)


def test_an_instance_stops_and_starts(standin, ec2, network):
    [one] = ec2.run_instances(**asked(network))["Instances"]
    [stopped] = ec2.stop_instances(InstanceIds=[one["InstanceId"]])["StoppingInstances"]
    standin.account.advance()
    [started] = ec2.start_instances(InstanceIds=[one["InstanceId"]])["StartingInstances"]

    assert stopped["CurrentState"]["Name"] == "stopping"
    assert started["PreviousState"]["Name"] == "stopped"
