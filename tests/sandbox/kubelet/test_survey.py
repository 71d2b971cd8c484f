"""EC2's answers about networks."""

import pytest

from nodewright.sandbox.kubelet.network import Group, Rule
from nodewright.sandbox.kubelet.survey import read_group, route_of, service_of


def a_table(route, subnet=None):
    link = {"SubnetId": subnet} if subnet else {"Main": True}
    local = {"DestinationCidrBlock": "10.0.0.0/16", "GatewayId": "local"}
    default = {"DestinationCidrBlock": "0.0.0.0/0", **route} if route else None
    return {"Associations": [link], "Routes": [local, *filter(None, [default])]}


@pytest.mark.parametrize(
    ("route", "wanted"),
    [
        (None, "none"),
        ({"NatGatewayId": "nat-1"}, "nat"),
        ({"NatGatewayId": "nat-gone"}, "blackhole"),
        ({"GatewayId": "igw-1"}, "internet"),
        ({"GatewayId": "igw-gone"}, "blackhole"),
        ({"TransitGatewayId": "tgw-1"}, "other"),
        ({"NatGatewayId": "nat-1", "State": "blackhole"}, "blackhole"),
    ],
)
def test_the_default_route_tells_where_a_subnet_leads(route, wanted):
    live = frozenset({"nat-1", "igw-1"})

    assert route_of("subnet-1", [a_table(route, "subnet-1")], live) == wanted
    assert route_of("subnet-1", [a_table(route)], live) == wanted


def test_a_subnets_own_table_comes_before_the_main_one():
    tables = [a_table({"GatewayId": "igw-1"}), a_table(None, "subnet-1")]

    assert route_of("subnet-1", tables, frozenset({"igw-1"})) == "none"


def test_a_group_is_read():
    told = {
        "GroupId": "sg-1",
        "IpPermissions": [
            {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-2"}]},
            {
                "IpProtocol": "tcp",
                "FromPort": 443,
                "ToPort": 443,
                "IpRanges": [{"CidrIp": "10.0.0.0/8"}],
            },
        ],
        "IpPermissionsEgress": [{"IpProtocol": "-1", "FromPort": -1, "ToPort": -1}],
    }

    assert read_group(told) == Group(
        "sg-1",
        (Rule("-1", 0, 65_535, frozenset({"sg-2"})), Rule("tcp", 443, 443, ranges=("10.0.0.0/8",))),
        (Rule("-1", 0, 65_535),),
    )


@pytest.mark.parametrize("service", ["ec2", "ecr.api", "s3"])
def test_an_endpoint_is_known_by_its_service(service):
    told = {"ServiceName": f"com.amazonaws.us-west-2.{service}"}

    assert service_of(told, "us-west-2") == service
