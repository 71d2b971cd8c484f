"""A controller in a VPC without a way out, that was not told so: it waits for prices that never come."""

from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from typing import Final

import msgspec

from nodewright.doctor.account import subnets_of_vpc
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import NODES, Controller, describe_cluster, find_controller
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.patches import change, with_variables
from nodewright.install.found import Json

_VARIABLE: Final = "ISOLATED_VPC"
_WAYS: Final = (
    "NatGatewayId",
    "TransitGatewayId",
    "NetworkInterfaceId",
    "InstanceId",
    "VpcPeeringConnectionId",
)


class Facts(msgspec.Struct, frozen=True):
    """The controller, and the subnets of its nodes that have no way out of the VPC."""

    controller: Controller | None
    shut: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


async def probe(look: Look) -> Facts:
    """Read the routes of the subnets that the cluster's nodes are in."""
    controller = await find_controller(look)
    told = await describe_cluster(look)
    vpc = told.get("resourcesVpcConfig", {}).get("vpcId", "")
    tables = await look.aws_all(
        "ec2.DescribeRouteTables", "RouteTables", Filters=[{"Name": "vpc-id", "Values": [vpc]}]
    )
    subnets = await subnets_of_vpc(look)
    addresses = {
        str(each["address"])
        for one in await look.all(NODES)
        for each in (one.get("status") or {}).get("addresses") or ()
        if each["type"] == "InternalIP"
    }
    used = [one for one in subnets if any(_holds(one, address) for address in addresses)]
    shut = tuple(str(one["SubnetId"]) for one in used if not has_way_out(one["SubnetId"], tables))
    return Facts(
        controller, shut, tuple(str(one["SubnetId"]) for one in used if one["SubnetId"] not in shut)
    )


def _holds(subnet: Json, address: str) -> bool:
    return ip_address(address) in ip_network(subnet["CidrBlock"])


def has_way_out(subnet: str, tables: list[Json]) -> bool:
    """Tell whether a subnet's route table leads out of the VPC."""
    chosen = [
        one
        for one in tables
        if any(each.get("SubnetId") == subnet for each in one.get("Associations") or ())
    ]
    chosen = chosen or [
        one for one in tables if any(each.get("Main") for each in one.get("Associations") or ())
    ]
    for table in chosen:
        for route in table.get("Routes") or ():
            if (
                route.get("DestinationCidrBlock") != "0.0.0.0/0"
                or route.get("State") == "blackhole"
            ):
                continue
            if any(route.get(way) for way in _WAYS) or str(route.get("GatewayId", "")).startswith(
                "igw-"
            ):
                return True
    return False


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield the controller, where all its subnets are shut and it does not know."""
    one = facts.controller
    if one is None or not facts.shut or facts.open:
        return
    value = one.settings.get(_VARIABLE, "")
    if value.lower() == "true":
        return
    after = with_variables(one.document, {_VARIABLE: "true"})
    yield Finding(
        objects=(one.title, *facts.shut),
        message=say(
            "{title} cannot reach the price list from its subnets, and waits for it",
            "{title}의 서브넷에서는 가격 목록에 닿을 수 없어 계속 기다립니다",
            title=one.title,
        ),
        cause=say(
            "the subnets have no route out of the VPC, and {variable} is not true",
            "서브넷에 VPC 밖으로 나가는 경로가 없고 {variable}가 true가 아님",
            variable=_VARIABLE,
        ),
        facts=(
            fact(one.title, f"env {_VARIABLE}", value or "not set"),
            *(fact(subnet, "route 0.0.0.0/0", "none") for subnet in facts.shut[:3]),
        ),
        mends=(
            change(
                one.path,
                ("deployment", f"{one.namespace}/{one.name}"),
                f"{_VARIABLE}=true",
                one.document,
                after,
            ),
        ),
    )


CHECK = Check(
    code="NW-3056",
    section="chart",
    severity="warning",
    title=Text("an isolated controller knows that it is", "격리된 VPC의 컨트롤러가 그 사실을 앎"),
    why=Text(
        "There is no VPC endpoint for the price list: every look at it ends in a time-out, and prices are stale.",
        "가격 목록에는 VPC 엔드포인트가 없어 매번 시간 초과로 끝나고 가격이 오래된 채로 남습니다.",
    ),
    answer=Text(
        "ISOLATED_VPC becomes true, and the built-in prices are used.",
        "ISOLATED_VPC를 true로 바꿔 내장 가격을 쓰게 합니다.",
    ),
    probe=probe,
    judge=judge,
    yields_to=("NW-3009",),
    is_fixable=True,
)
