"""Whether a machine gets through: to the control plane, to AWS and to the registry of images.

Inside the VPC the security groups on both sides decide. Outside it the subnet's default route does: a
NAT gateway carries everybody, an internet gateway only machines with a public address. Where there is
no way out, interface endpoints can stand in, one for each service.
"""

from collections.abc import Iterable, Iterator
from ipaddress import ip_address, ip_network
from typing import Final, Literal

import msgspec

from nodewright.sandbox.kubelet.fault import Fault, absent, limited, unready

type Route = Literal["nat", "internet", "other", "blackhole", "none"]

HTTPS: Final = 443
KUBELET: Final = 10250
_ANYWHERE: Final = "0.0.0.0/0"
_REGISTRY: Final = ("ecr.api", "ecr.dkr", "s3")
# What the CNI wants before it lets the first pod in: an address for each of the system's own.
_ADDRESSES_MIN: Final = 1


class Rule(msgspec.Struct, frozen=True):
    """Whom a security group lets in, or out to, and on which ports."""

    protocol: str
    low: int
    high: int
    groups: frozenset[str] = frozenset()
    ranges: tuple[str, ...] = ()


class Group(msgspec.Struct, frozen=True):
    """A security group."""

    id: str
    ingress: tuple[Rule, ...] = ()
    egress: tuple[Rule, ...] = ()


class Site(msgspec.Struct, frozen=True):
    """Where a machine stands: its address, its subnet, and the control plane's side of the VPC.

    `endpoints` are the short names of the services that have a VPC endpoint here.
    """

    address: str
    subnet_id: str
    free_count: int
    route: Route
    groups: tuple[Group, ...]
    control_groups: tuple[Group, ...]
    endpoints: frozenset[str] = frozenset()
    has_public_address: bool = False
    has_dns: bool = True
    has_name: bool = True
    is_api_private: bool = True
    is_api_public: bool = True
    control_ranges: tuple[str, ...] = ()


def judge_network(site: Site, *, asks_eks: bool) -> Iterator[Fault]:
    """Give everything that the machine cannot get through to."""
    if not site.has_dns:
        yield absent("dial tcp: lookup failed: the VPC has DNS support switched off")
    if not site.has_name:
        yield absent("nodename: EC2 gave the machine no private DNS name; are DNS hostnames off?")
    yield from _judge_api(site)
    wanted = ("ec2", "eks") if asks_eks else ("ec2",)
    for service in wanted:
        if not _reaches(site, (service,)):
            yield absent(
                f"request to {service} failed: dial tcp: i/o timeout; {_no_way_out(site)} and "
                f"there is no VPC endpoint for {service}"
            )
    missing = [name for name in _REGISTRY if name not in site.endpoints]
    if not _reaches(site, _REGISTRY):
        yield unready(
            f"failed to pull the image of aws-node: {_no_way_out(site)} and there is no VPC "
            f"endpoint for {', '.join(missing)}"
        )
    if site.free_count < _ADDRESSES_MIN:
        yield unready(
            f"ipamd: InsufficientFreeAddressesInSubnet: {site.subnet_id} has no free address"
        )
    yield from _judge_way_back(site)


def _judge_api(site: Site) -> Iterator[Fault]:
    if not site.is_api_private:
        if not _has_way_out(site):
            yield absent(
                f"dial tcp: i/o timeout to the API server's public address: {_no_way_out(site)}"
            )
        return
    names = _names(site.control_groups)
    if not _lets_out(site.groups, HTTPS, site.control_groups, site.control_ranges):
        yield absent(
            f"dial tcp: i/o timeout to the API server: no egress rule of {_names(site.groups)} "
            f"lets TCP {HTTPS} out to {names}"
        )
    if not _lets_in(site.control_groups, HTTPS, site.groups, site.address):
        yield absent(
            f"dial tcp: i/o timeout to the API server: no ingress rule of {names} lets TCP "
            f"{HTTPS} in from {_names(site.groups)}"
        )


def _judge_way_back(site: Site) -> Iterator[Fault]:
    control_address = _first_address(site.control_ranges)
    if not _lets_in(site.groups, KUBELET, site.control_groups, control_address):
        yield limited(
            f"kubectl logs and exec will time out: no ingress rule of {_names(site.groups)} lets "
            f"TCP {KUBELET} in from {_names(site.control_groups)}"
        )


def _reaches(site: Site, services: Iterable[str]) -> bool:
    return _has_way_out(site) or all(name in site.endpoints for name in services)


def _has_way_out(site: Site) -> bool:
    carried = site.route in ("nat", "other") or (
        site.route == "internet" and site.has_public_address
    )
    return carried and _lets_out(site.groups, HTTPS, (), (_ANYWHERE,))


def _no_way_out(site: Site) -> str:
    match site.route:
        case "none":
            return f"{site.subnet_id} has no default route"
        case "blackhole":
            return f"the default route of {site.subnet_id} leads to a gateway that is gone"
        case "internet" if not site.has_public_address:
            return (
                f"the default route of {site.subnet_id} is an internet gateway and the machine "
                "has no public address"
            )
    return f"no egress rule of {_names(site.groups)} lets TCP {HTTPS} out"


def _lets_out(
    groups: Iterable[Group], port: int, others: Iterable[Group], ranges: tuple[str, ...]
) -> bool:
    ids = {group.id for group in others}
    return any(
        _covers(rule, port)
        and (bool(rule.groups & ids) or any(_contains(rule.ranges, one) for one in ranges))
        for group in groups
        for rule in group.egress
    )


def _lets_in(groups: Iterable[Group], port: int, others: Iterable[Group], address: str) -> bool:
    ids = {group.id for group in others}
    return any(
        _covers(rule, port)
        and (bool(rule.groups & ids) or (bool(address) and _contains(rule.ranges, address)))
        for group in groups
        for rule in group.ingress
    )


def _covers(rule: Rule, port: int) -> bool:
    if rule.protocol == "-1":
        return True
    return rule.protocol in ("tcp", "6") and rule.low <= port <= rule.high


def _contains(ranges: Iterable[str], inner: str) -> bool:
    """Tell whether one of the ranges holds a whole range or an address."""
    wanted = ip_network(inner, strict=False)
    return any(
        wanted.version == outer.version and wanted.subnet_of(outer)  # type: ignore[arg-type]
        for outer in (ip_network(one, strict=False) for one in ranges)
    )


def _first_address(ranges: tuple[str, ...]) -> str:
    return str(ip_address(ip_network(ranges[0], strict=False).network_address)) if ranges else ""


def _names(groups: Iterable[Group]) -> str:
    return ", ".join(group.id for group in groups) or "no security group"
