"""EC2's answers about networks, read into what decides whether a machine gets through."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from nodewright.sandbox.kubelet.network import Group, Route, Rule

_DEFAULT: Final = "0.0.0.0/0"
_ALL_PORTS: Final = (0, 65_535)


def read_group(told: Mapping[str, Any]) -> Group:
    """Read one entry of DescribeSecurityGroups."""
    return Group(
        id=told["GroupId"],
        ingress=tuple(_rule(one) for one in told.get("IpPermissions", ())),
        egress=tuple(_rule(one) for one in told.get("IpPermissionsEgress", ())),
    )


def _rule(told: Mapping[str, Any]) -> Rule:
    low, high = told.get("FromPort", _ALL_PORTS[0]), told.get("ToPort", _ALL_PORTS[1])
    return Rule(
        protocol=str(told.get("IpProtocol", "-1")),
        low=max(0, int(low)),
        high=_ALL_PORTS[1] if int(high) < 0 else int(high),
        groups=frozenset(pair["GroupId"] for pair in told.get("UserIdGroupPairs", ())),
        ranges=tuple(one["CidrIp"] for one in told.get("IpRanges", ())),
    )


def route_of(
    subnet_id: str, tables: Iterable[Mapping[str, Any]], live_gateways: frozenset[str]
) -> Route:
    """Tell where a subnet's default route leads, by its own route table or the VPC's main one."""
    table = _table_of(subnet_id, tuple(tables))
    for route in table.get("Routes", ()) if table else ():
        if route.get("DestinationCidrBlock") == _DEFAULT:
            return _kind(route, live_gateways)
    return "none"


def _table_of(subnet_id: str, tables: tuple[Mapping[str, Any], ...]) -> Mapping[str, Any] | None:
    main = None
    for table in tables:
        for link in table.get("Associations", ()):
            if link.get("SubnetId") == subnet_id:
                return table
            if link.get("Main"):
                main = table
    return main


def _kind(route: Mapping[str, Any], live_gateways: frozenset[str]) -> Route:
    if route.get("State") == "blackhole":
        return "blackhole"
    if gateway := route.get("NatGatewayId"):
        return "nat" if gateway in live_gateways else "blackhole"
    target = route.get("GatewayId") or ""
    if target.startswith("igw-"):
        return "internet" if target in live_gateways else "blackhole"
    return "other"


def service_of(endpoint: Mapping[str, Any], region: str) -> str:
    """Give the short name of the service behind a VPC endpoint, such as `ecr.api`."""
    name = str(endpoint.get("ServiceName", ""))
    return name.partition(f".{region}.")[2]
