"""Networks of ready-made accounts."""

import pytest

from nodewright.sandbox.accounts import scenario
from nodewright.sandbox.accounts.network import make_vpc
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.server import Server
from nodewright.sandbox.kubelet.cloud import INSIDER_KEY, Keys


@pytest.fixture(scope="module")
def keys():
    """A stand-in, with the key of its own parts."""
    with Server(Account()) as server:
        yield Keys(server.url, "us-west-2", INSIDER_KEY)


def default_routes(keys, vpc_id):
    tables = keys.client("ec2").describe_route_tables(
        Filters=[{"Name": "vpc-id", "Values": [vpc_id]}]
    )["RouteTables"]
    routes = [route for table in tables for route in table["Routes"]]
    return [one for one in routes if one.get("DestinationCidrBlock") == "0.0.0.0/0"]


def test_each_zone_has_a_public_and_a_private_subnet(keys):
    vpc = make_vpc(keys, scenario.Network(zone_count=2))

    found = keys.client("ec2").describe_subnets(SubnetIds=[*vpc.public, *vpc.private])["Subnets"]
    zones = {one["SubnetId"]: one["AvailabilityZone"] for one in found}

    assert [zones[one] for one in vpc.public] == [zones[one] for one in vpc.private]
    assert len(set(zones.values())) == 2
    assert len({one["CidrBlock"] for one in found}) == 4
    assert len(default_routes(keys, vpc.id)) == 2


def test_a_closed_network_has_endpoints_instead_of_a_gateway(keys):
    wanted = scenario.read("private").network
    vpc = make_vpc(keys, wanted)

    found = keys.client("ec2").describe_vpc_endpoints(
        Filters=[{"Name": "vpc-id", "Values": [vpc.id]}]
    )["VpcEndpoints"]

    assert {one["ServiceName"].partition("us-west-2.")[2] for one in found} == set(wanted.endpoints)
    assert [one.get("NatGatewayId") for one in default_routes(keys, vpc.id)] == [None]
