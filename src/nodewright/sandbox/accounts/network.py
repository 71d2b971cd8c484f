"""The VPC of a scenario, made call by call.

Each zone has a public subnet, whose machines get public addresses and go out by the internet gateway, and
a private one, which goes out by a NAT gateway or not at all. Nodes live in the private ones.
"""

from ipaddress import ip_network
from typing import Any, Final

import msgspec

from nodewright.sandbox.accounts import scenario
from nodewright.sandbox.kubelet.cloud import Keys

_BITS: Final = 5
_GATEWAY_ENDPOINTS: Final = ("s3", "dynamodb")


class Vpc(msgspec.Struct, frozen=True):
    """What was made."""

    id: str
    cidr: str
    public: tuple[str, ...]
    private: tuple[str, ...]


def make_vpc(keys: Keys, wanted: scenario.Network) -> Vpc:
    """Make the network of an account."""
    ec2 = keys.client("ec2")
    vpc_id = ec2.create_vpc(CidrBlock=wanted.cidr, TagSpecifications=tags("vpc", Name="main"))[
        "Vpc"
    ]["VpcId"]
    for name in ("EnableDnsSupport", "EnableDnsHostnames"):
        ec2.modify_vpc_attribute(VpcId=vpc_id, **{name: {"Value": True}})
    zones = [zone["ZoneName"] for zone in ec2.describe_availability_zones()["AvailabilityZones"]][
        : wanted.zone_count
    ]
    ranges = [str(one) for one in ip_network(wanted.cidr).subnets(prefixlen_diff=_BITS)]
    public = _make_subnets(ec2, vpc_id, dict(zip(zones, ranges, strict=False)), "public")
    private = _make_subnets(ec2, vpc_id, dict(zip(zones, ranges[8:], strict=False)), "private")
    _open_public(ec2, vpc_id, public)
    table = ec2.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
    for subnet in private:
        ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)
    if wanted.nat:
        _route_by_nat(ec2, table, public[0])
    for service in wanted.endpoints:
        _make_endpoint(ec2, keys.region, service, (vpc_id, table, private))
    return Vpc(vpc_id, wanted.cidr, public, private)


def tags(kind: str, **pairs: str) -> list[dict[str, Any]]:
    """Give the tags of something that is being made."""
    return tags_of(kind, pairs)


def tags_of(kind: str, pairs: dict[str, str]) -> list[dict[str, Any]]:
    """Give tags whose keys are no names."""
    written = [{"Key": key, "Value": value} for key, value in pairs.items()]
    return [{"ResourceType": kind, "Tags": written}]


def _make_subnets(ec2: Any, vpc_id: str, ranges: dict[str, str], kind: str) -> tuple[str, ...]:
    role = "elb" if kind == "public" else "internal-elb"
    made = []
    for zone, cidr in ranges.items():
        subnet = ec2.create_subnet(
            VpcId=vpc_id,
            CidrBlock=cidr,
            AvailabilityZone=zone,
            TagSpecifications=tags_of(
                "subnet", {"Name": f"{kind}-{zone}", f"kubernetes.io/role/{role}": "1"}
            ),
        )["Subnet"]["SubnetId"]
        if kind == "public":
            ec2.modify_subnet_attribute(SubnetId=subnet, MapPublicIpOnLaunch={"Value": True})
        made.append(subnet)
    return tuple(made)


def _open_public(ec2: Any, vpc_id: str, subnets: tuple[str, ...]) -> None:
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc_id)
    table = ec2.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    for subnet in subnets:
        ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)


def _route_by_nat(ec2: Any, table: str, subnet: str) -> None:
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    gateway = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]
    ec2.create_route(
        RouteTableId=table,
        DestinationCidrBlock="0.0.0.0/0",
        NatGatewayId=gateway["NatGatewayId"],
    )


def _make_endpoint(
    ec2: Any, region: str, service: str, place: tuple[str, str, tuple[str, ...]]
) -> None:
    vpc_id, table, subnets = place
    is_gateway = service in _GATEWAY_ENDPOINTS
    kind: dict[str, Any] = (
        {"VpcEndpointType": "Gateway", "RouteTableIds": [table]}
        if is_gateway
        else {
            "VpcEndpointType": "Interface",
            "SubnetIds": list(subnets),
            "PrivateDnsEnabled": True,
        }
    )
    ec2.create_vpc_endpoint(VpcId=vpc_id, ServiceName=f"com.amazonaws.{region}.{service}", **kind)
