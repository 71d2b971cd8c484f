"""A whole account and the cluster in it, made in the order in which a person would make them.

Everything goes through AWS's own API and the cluster's own, so what comes out is what those allow. Machines
of node groups are started last but one and join by themselves; then this waits until they are ready.
"""

import time
from collections.abc import Callable, Iterable
from ipaddress import ip_network
from typing import Any, Final, Protocol

import httpx2
import msgspec

from nodewright.model.errors import UserError
from nodewright.sandbox.accounts import manifests, scenario
from nodewright.sandbox.accounts.autoscaler import make_autoscaler
from nodewright.sandbox.accounts.clusters import Made, Plane, make_cluster
from nodewright.sandbox.accounts.karpenter import make_karpenter
from nodewright.sandbox.accounts.leftovers import (
    leave_stale_controller,
    leave_stale_queue,
    leave_stale_role,
)
from nodewright.sandbox.accounts.legacy import make_legacy
from nodewright.sandbox.accounts.manifests import Object
from nodewright.sandbox.accounts.network import Vpc, make_vpc
from nodewright.sandbox.accounts.nodegroups import make_node_group
from nodewright.sandbox.kubelet.cloud import Keys

_WAIT_S: Final = 120.0
_POLL_S: Final = 0.5
_ASK_S: Final = 10.0

type Say = Callable[[str], None]


class Kubectl(Protocol):
    """Runs kubectl and gives what it prints."""

    def __call__(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run one command."""
        ...


class ControlPlane(msgspec.Struct, frozen=True):
    """The real control plane that the first cluster gets."""

    endpoint: str
    authority: str
    version: str
    service_range: str
    kubectl: Kubectl


def make_account(
    wanted: scenario.Scenario, keys: Keys, plane: ControlPlane, say: Say
) -> tuple[Made, ...]:
    """Make everything that a scenario names; give its clusters."""
    say("making the network")
    vpc = make_vpc(keys, wanted.network)
    for name in wanted.stale_clusters:
        leave_stale_role(keys, name, f"{name}_12345678901234567890")
        leave_stale_controller(keys, name)
        leave_stale_queue(keys, name)
    made = []
    for index, cluster in enumerate(wanted.clusters):
        say(f"making the cluster {cluster.name}")
        made.append(_make_one(keys, cluster, vpc, plane, is_real=index == 0))
    first = wanted.clusters[0]
    say(f"waiting for the nodes of {first.name}")
    count = sum(group.count for group in first.node_groups)
    _await_nodes(plane.kubectl, count + (first.scaler == "karpenter-v1"))
    return tuple(made)


def _make_one(
    keys: Keys, wanted: scenario.Cluster, vpc: Vpc, plane: ControlPlane, *, is_real: bool
) -> Made:
    version = ".".join(plane.version.removeprefix("v").split(".")[:2])
    bind = _binder(keys.url, plane) if is_real else _leave_alone
    cluster = make_cluster(keys, wanted, vpc, Plane(version, plane.service_range, bind))
    if is_real:
        _create(plane.kubectl, manifests.system_objects(_dns_address(plane.service_range)))
    node_roles = [
        make_node_group(keys, cluster, group, wanted.made_by) for group in wanted.node_groups
    ]
    extra, objects = _make_scaler(keys, cluster, wanted)
    _let_in(keys, wanted, (*node_roles, *extra), plane if is_real else None)
    if is_real:
        _create(plane.kubectl, objects)
    return cluster


def _make_scaler(
    keys: Keys, cluster: Made, wanted: scenario.Cluster
) -> tuple[tuple[str, ...], tuple[Object, ...]]:
    match wanted.scaler:
        case "karpenter-v1":
            role, objects = make_karpenter(keys, cluster)
            return (role,), objects
        case "karpenter-legacy":
            role, objects = make_legacy(keys, cluster, wanted.node_groups[0].name)
            return (role,), objects
        case "cluster-autoscaler":
            return (), make_autoscaler(keys, cluster)
    return (), ()


def _let_in(
    keys: Keys, wanted: scenario.Cluster, node_roles: Iterable[str], plane: ControlPlane | None
) -> None:
    """Let nodes in the way EKS does for its own groups: by entries where the mode has them."""
    known = tuple(node_roles)
    if wanted.authentication_mode == "CONFIG_MAP":
        if plane is not None:
            _create(plane.kubectl, (manifests.aws_auth(known),))
        return
    eks = keys.client("eks")
    there = set(eks.list_access_entries(clusterName=wanted.name)["accessEntries"])
    for role in known:
        if role not in there:
            eks.create_access_entry(clusterName=wanted.name, principalArn=role, type="EC2_LINUX")


def _binder(url: str, plane: ControlPlane) -> Callable[[str], None]:
    def bind(name: str) -> None:
        told = {"name": name, "endpoint": plane.endpoint, "certificateAuthority": plane.authority}
        httpx2.post(f"{url}/_standin/cluster", json=told, timeout=_ASK_S).raise_for_status()

    return bind


def _leave_alone(_name: str) -> None:
    """Keep the endpoint that EKS invented."""


def _dns_address(service_range: str) -> str:
    return str(ip_network(service_range)[10])


def _create(kubectl: Kubectl, objects: Iterable[Object]) -> None:
    """Create objects; definitions come first, and a status goes in by its own door."""
    listed = list(objects)
    definitions = [one for one in listed if one["kind"] == "CustomResourceDefinition"]
    for group in (definitions, [one for one in listed if one not in definitions]):
        if group:
            kubectl("create", "-f", "-", stdin=_list_of(group))
        if group is definitions and group:
            kubectl(
                "wait",
                "--for=condition=Established",
                "--timeout=60s",
                "-f",
                "-",
                stdin=_list_of(group),
            )
    for one in listed:
        if "status" in one and one["kind"] == "NodeClaim":
            kubectl(
                "patch",
                "nodeclaim",
                one["metadata"]["name"],
                "--subresource=status",
                "--type=merge",
                "-p",
                msgspec.json.encode({"status": one["status"]}).decode(),
            )


def _list_of(objects: list[Object]) -> bytes:
    return msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": objects})


def _await_nodes(kubectl: Kubectl, count: int) -> None:
    end = time.monotonic() + _WAIT_S
    while time.monotonic() < end:
        nodes = msgspec.json.decode(kubectl("get", "nodes", "-o", "json"))["items"]
        ready = sum(map(_is_ready, nodes))
        if ready >= count:
            return
        time.sleep(_POLL_S)
    raise UserError(
        f"only {ready} of {count} nodes are ready after {_WAIT_S:.0f} s",
        code="NW-9112",
        advice="the log kubelet.log of the sandbox and `aws ec2 get-console-output` say why",
    )


def _is_ready(node: dict[str, Any]) -> bool:
    conditions = node.get("status", {}).get("conditions", [])
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
