"""Amazon Linux 2023: nodeadm reads NodeConfig documents and starts the kubelet from them.

All documents of the user data are merged in their order: objects key by key, lists and plain values
by the later one, the kubelet's flags one after the other. What must be there after the merge is
the cluster's name, endpoint, authority and service range.
"""

import base64
import binascii
from typing import Any, Final

import msgspec
import yaml

from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.flags import apply_flags, check_labels, read_count, read_taint
from nodewright.sandbox.kubelet.parts import NODE_CONFIG, PLAIN, SHELL, is_mime, read_parts

_API: Final = "node.eks.aws/v1alpha1"
_KIND: Final = "NodeConfig"
_FAILED: Final = "nodeadm: Failed to load configuration"


class Cluster(msgspec.Struct, frozen=True, rename="camel"):
    """The cluster to join."""

    name: str = ""
    api_server_endpoint: str = ""
    certificate_authority: str = ""
    cidr: str = ""
    id: str = ""
    enable_outpost: bool = False


class Kubelet(msgspec.Struct, frozen=True):
    """What the kubelet's file and command line shall hold."""

    config: dict[str, Any] = {}
    flags: tuple[str, ...] = ()


class LocalStorage(msgspec.Struct, frozen=True):
    """What becomes of the disks of the machine itself."""

    strategy: str = ""


class Instance(msgspec.Struct, frozen=True, rename="camel"):
    """Settings of the machine."""

    local_storage: LocalStorage = LocalStorage()


class NodeSpec(msgspec.Struct, frozen=True):
    """The spec of a NodeConfig, or of several merged ones."""

    cluster: Cluster = Cluster()
    kubelet: Kubelet = Kubelet()
    instance: Instance = Instance()


def read_al2023(text: str) -> Boot:
    """Give what nodeadm makes of the user data."""
    merged: dict[str, Any] = {}
    documents = _documents(text)
    if not documents:
        raise BootError(f"{_FAILED}: no config in chain")
    for document in documents:
        merged = _merge(merged, _spec_of(document))
    try:
        spec = msgspec.convert(merged, NodeSpec)
    except msgspec.ValidationError as error:
        raise BootError(f"{_FAILED}: json: cannot unmarshal: {error}") from error
    _validate(spec.cluster)
    return _boot(spec)


def _documents(text: str) -> list[str]:
    if not is_mime(text):
        whole = read_parts(text)
        return [part.text for part in whole if part.kind == PLAIN]
    parts = read_parts(text)
    bare = [
        part for part in parts if part.kind == SHELL and not part.text.lstrip().startswith("#!")
    ]
    found = [part.text for part in parts if part.kind == NODE_CONFIG]
    if not found and bare:
        raise BootError(
            f"cloud-init: Exec format error. Missing #! in script?\n{_FAILED}: no config in chain"
        )
    return found


def _spec_of(text: str) -> dict[str, Any]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BootError(f"{_FAILED}: {' '.join(str(error).split())}") from error
    if not isinstance(document, dict):
        raise BootError(f"{_FAILED}: the document is not an object")
    if (document.get("apiVersion"), document.get("kind")) != (_API, _KIND):
        raise BootError(
            f'{_FAILED}: no kind "{document.get("kind")}" is registered for version '
            f'"{document.get("apiVersion")}"'
        )
    spec = document.get("spec") or {}
    if not isinstance(spec, dict):
        raise BootError(f"{_FAILED}: json: cannot unmarshal: spec is not an object")
    return spec


def _merge(base: dict[str, Any], over: dict[str, Any], path: str = "") -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        here = f"{path}.{key}"
        there = merged.get(key)
        if isinstance(there, dict) and isinstance(value, dict):
            merged[key] = _merge(there, value, here)
        elif here == ".kubelet.flags" and isinstance(there, list) and isinstance(value, list):
            merged[key] = [*there, *value]
        elif value is not None:
            merged[key] = value
    return merged


def _validate(cluster: Cluster) -> None:
    for value, name in (
        (cluster.name, "Name"),
        (cluster.api_server_endpoint, "Apiserver endpoint"),
        (cluster.certificate_authority, "Certificate authority"),
        (cluster.cidr, "CIDR"),
    ):
        if not value:
            raise BootError(f"nodeadm: {name} is missing in cluster configuration")
    try:
        base64.b64decode(cluster.certificate_authority, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BootError(f"{_FAILED}: illegal base64 data in certificateAuthority") from error


def _boot(spec: NodeSpec) -> Boot:
    config = spec.kubelet.config
    boot = Boot(
        cluster_name=spec.cluster.name,
        endpoint=spec.cluster.api_server_endpoint,
        authority=spec.cluster.certificate_authority,
        cluster_dns=tuple(_texts(config.get("clusterDNS"))),
        taints=tuple(
            read_taint(_taint_text(one)) for one in config.get("registerWithTaints") or ()
        ),
        max_pods=_count(config, "maxPods"),
        pods_per_core=_count(config, "podsPerCore"),
        kube_reserved=_map(config, "kubeReserved"),
        system_reserved=_map(config, "systemReserved"),
        eviction_hard=_map(config, "evictionHard"),
        joins_disks=spec.instance.local_storage.strategy == "RAID0",
    )
    boot = apply_flags(boot, spec.kubelet.flags)
    check_labels(boot.labels)
    return boot


def _count(config: dict[str, Any], name: str) -> int | None:
    return None if config.get(name) is None else read_count(config[name], name)


def _map(config: dict[str, Any], name: str) -> dict[str, str]:
    found = config.get(name) or {}
    if not isinstance(found, dict):
        raise BootError(f"kubelet: failed to load kubelet config file: {name} is not an object")
    return {str(key): str(value) for key, value in found.items()}


def _texts(found: object) -> list[str]:
    return [str(one) for one in found] if isinstance(found, list) else []


def _taint_text(taint: object) -> str:
    if not isinstance(taint, dict):
        raise BootError("kubelet: failed to load kubelet config file: a taint is not an object")
    return f"{taint.get('key', '')}={taint.get('value') or ''}:{taint.get('effect', '')}"
