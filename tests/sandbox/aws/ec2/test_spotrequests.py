"""Spot requests, and the role without which there are none."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import a_fleet, error_of, ids_of


def request_of(ec2, number):
    [one] = ec2.describe_spot_instance_requests(
        Filters=[{"Name": "instance-id", "Values": [number]}]
    )["SpotInstanceRequests"]
    return one


def test_a_spot_machine_fulfils_a_request(ec2, network):
    [number] = ids_of(ec2.create_fleet(**a_fleet(network, kind="spot")))
    one = request_of(ec2, number)

    assert one["State"] == "active"
    assert one["Status"]["Code"] == "fulfilled"
    assert one["LaunchSpecification"]["InstanceType"] == "m5.large"
    assert one["LaunchedAvailabilityZone"].startswith("us-west-2")


def test_ending_the_machine_closes_the_request(ec2, network):
    [number] = ids_of(ec2.create_fleet(**a_fleet(network, kind="spot")))
    ec2.terminate_instances(InstanceIds=[number])
    one = request_of(ec2, number)

    assert (one["State"], one["Status"]["Code"]) == ("closed", "instance-terminated-by-user")


def test_cancelling_the_request_leaves_the_machine(ec2, network):
    [number] = ids_of(ec2.create_fleet(**a_fleet(network, kind="spot")))
    ec2.cancel_spot_instance_requests(
        SpotInstanceRequestIds=[request_of(ec2, number)["SpotInstanceRequestId"]]
    )

    assert request_of(ec2, number)["State"] == "cancelled"


def test_an_unknown_request_is_refused(ec2):
    with pytest.raises(ClientError) as raised:
        ec2.describe_spot_instance_requests(SpotInstanceRequestIds=["sir-0"])

    assert error_of(raised) == "InvalidSpotInstanceRequestID.NotFound"


def test_the_first_spot_launch_of_the_root_makes_the_linked_role(standin, ec2, network):
    ec2.create_fleet(**a_fleet(network, kind="spot"))
    role = standin.client("iam").get_role(RoleName="AWSServiceRoleForEC2Spot")["Role"]

    assert role["Path"] == "/aws-service-role/spot.amazonaws.com/"
