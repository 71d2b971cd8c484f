"""The Node that a machine becomes: labels, taints, addresses and what is left for pods.

Capacity and what is kept back come from the catalog's formulas, with what the user data sets in place of
the defaults and the volumes that the machine really has. KWOK plays the kubelet from there on; a node
that cannot be ready is held, and its Ready condition says why.
"""

from typing import Any, Final

import msgspec

from nodewright.catalog.capacity import capacity_of, overhead_of
from nodewright.catalog.settings import BOTTLEROCKET, RAID0, BlockDevice, NodeSettings
from nodewright.catalog.table import Shape
from nodewright.kwok.machine import HELD, PLAYED
from nodewright.model.instance import InstanceType
from nodewright.model.labels import (
    ARCH,
    HOSTNAME,
    INSTANCE_TYPE,
    OS,
    REGION,
    WINDOWS_BUILD,
    ZONE,
    ZONE_ID,
    add_aliases,
)
from nodewright.model.quantity import BadQuantity, parse_resources, print_resources
from nodewright.model.requirements import Requirements
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.daemons import Daemon, keep_offered
from nodewright.sandbox.kubelet.family import Image
from nodewright.sandbox.kubelet.instance import Instance

_GIB_MILLI: Final = 1024**3 * 1000
_SYSTEMS: Final = {"AL2": "Amazon Linux 2", "AL2023": "Amazon Linux 2023"}


class Body(msgspec.Struct, frozen=True):
    """Everything about a machine that shows on its Node."""

    instance: Instance
    image: Image
    shape: Shape
    boot: Boot
    zone_id: str = ""
    # Device and size in GiB of each volume.
    disks: tuple[tuple[str, int], ...] = ()
    daemons: tuple[Daemon, ...] = ()
    kubelet_version: str = ""


def draft_node(body: Body, problem: str = "") -> dict[str, Any]:
    """Write the Node with which the kubelet registers; a problem keeps it from being ready."""
    name = body.instance.dns_name
    capacity, allocatable = _resources(body)
    held = {HELD: "not ready"} if problem else {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": _labels(body),
            "annotations": {
                PLAYED: "fake",
                "alpha.kubernetes.io/provided-node-ip": body.instance.address,
                "node.alpha.kubernetes.io/ttl": "0",
                **held,
            },
        },
        "spec": {
            "providerID": body.instance.provider_id,
            "taints": [msgspec.to_builtins(taint) for taint in body.boot.taints],
        },
        "status": {
            "capacity": capacity,
            "allocatable": allocatable,
            "addresses": _addresses(body.instance),
            "nodeInfo": _info(body),
        },
    }


def not_ready(problem: str, now: str) -> dict[str, Any]:
    """Give the status of a node that cannot be ready."""
    return {"status": {"conditions": [_condition("False", "KubeletNotReady", problem, now)]}}


def fell_silent(now: str) -> dict[str, Any]:
    """Give the status of a node whose kubelet is gone."""
    words = "Kubelet stopped posting node status."
    return {"status": {"conditions": [_condition("Unknown", "NodeStatusUnknown", words, now)]}}


def _condition(status: str, reason: str, message: str, now: str) -> dict[str, str]:
    return {
        "type": "Ready",
        "status": status,
        "reason": reason,
        "message": message,
        "lastHeartbeatTime": now,
        "lastTransitionTime": now,
    }


def settings_of(body: Body) -> NodeSettings:
    """Give the catalog's settings that stand for what the user data and the launch set."""
    boot = body.boot
    try:
        return NodeSettings(
            ami_family=body.image.family,
            max_pods=boot.max_pods,
            pods_per_core=boot.pods_per_core,
            kube_reserved=tuple(sorted(parse_resources(boot.kube_reserved).items())),
            system_reserved=tuple(sorted(parse_resources(boot.system_reserved).items())),
            eviction_hard=tuple(sorted(boot.eviction_hard.items())),
            block_devices=tuple(
                BlockDevice(device, size * _GIB_MILLI) for device, size in body.disks
            ),
            instance_store_policy=RAID0 if boot.joins_disks else "",
        )
    except BadQuantity as error:
        raise BootError(f'kubelet: "command failed" err="{error}"') from error


def _resources(body: Body) -> tuple[dict[str, str], dict[str, str]]:
    settings = settings_of(body)
    whole = capacity_of(body.shape, settings)
    overhead = overhead_of(body.shape, settings, whole)
    seen = keep_offered(whole, body.daemons, brings_plugins=body.image.family == BOTTLEROCKET)
    left = InstanceType(body.shape.name, Requirements(), seen, overhead).allocatable
    return print_resources(seen), print_resources(left)


def _labels(body: Body) -> dict[str, str]:
    instance = body.instance
    build = settings_of(body).windows_build
    labels = {
        ARCH: body.shape.arch,
        OS: "windows" if build else "linux",
        HOSTNAME: instance.dns_name,
        INSTANCE_TYPE: instance.type,
        ZONE: instance.zone,
        REGION: instance.region,
    }
    if body.zone_id:
        labels[ZONE_ID] = body.zone_id
    if build:
        labels[WINDOWS_BUILD] = build
    # The cloud's part of the control plane sets its labels after the kubelet's.
    return {**body.boot.labels, **add_aliases(labels)}


def _addresses(instance: Instance) -> list[dict[str, str]]:
    found = (
        ("InternalIP", instance.address),
        ("ExternalIP", instance.public_address),
        ("InternalDNS", instance.dns_name),
        ("Hostname", instance.dns_name),
        ("ExternalDNS", instance.public_dns_name),
    )
    return [{"type": kind, "address": value} for kind, value in found if value]


def _info(body: Body) -> dict[str, str]:
    family = body.image.family
    windows = family.startswith("Windows")
    return {
        "architecture": body.shape.arch,
        "operatingSystem": "windows" if windows else "linux",
        "kubeletVersion": body.kubelet_version,
        "containerRuntimeVersion": "containerd://2.0.0",
        "osImage": _SYSTEMS.get(family, family),
        "kernelVersion": "10.0" if windows else "6.1",
        "kubeProxyVersion": "",
        "machineID": body.instance.id,
        "systemUUID": body.instance.id,
        "bootID": body.instance.id,
    }
