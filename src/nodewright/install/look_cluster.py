"""Reads the side of Kubernetes: what is there of what we would put there, and who else scales nodes.

Before anything else it is made sure that the kubeconfig and EKS speak of the same cluster: installing the
parts of two clusters into one another would be hard to notice and harder to undo.
"""

import base64
import binascii
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from nodewright.install.cluster import Objects
from nodewright.install.found import Account, Found, GroupNode, Json, Kube, Scaler
from nodewright.install.plan import names_of
from nodewright.install.resources.access import AWS_AUTH
from nodewright.install.resources.objects import RECORD_PATH, wanted_paths
from nodewright.install.resources.pools import CLAIMS, CLASSES, POOLS
from nodewright.install.resources.scalers import NODE_GROUP, SYSTEM
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

ANOTHER: Final = "NW-9717"
_DEPLOYMENTS: Final = "/apis/apps/v1/deployments"
_SETS: Final = "/apis/apps/v1/statefulsets"
_NODES: Final = "/api/v1/nodes"
_PROVISIONERS: Final = "/apis/karpenter.sh/v1alpha5/provisioners"


async def look_at_cluster(objects: Objects, account: Account, wish: Wish) -> Kube:
    """Read everything of the cluster that an installation depends on."""
    check_same(account, objects.server, objects.authority)
    version = await objects.version()
    deployments = [{"kind": "Deployment", **one} for one in await objects.list(_DEPLOYMENTS)]
    sets = [{"kind": "StatefulSet", **one} for one in await objects.list(_SETS)]
    record = await objects.get(RECORD_PATH)
    kube = Kube(
        version=version,
        record=read_record(record),
        aws_auth=await objects.get(AWS_AUTH),
        scalers=tuple(filter(None, map(read_scaler, deployments))),
        system=tuple(one for one in (*deployments, *sets) if is_system(one)),
        pools=_names(await objects.list(POOLS)),
        provisioners=_names(await objects.list(_PROVISIONERS)),
        classes=_names(await objects.list(CLASSES)),
        claims=tuple(await objects.list(CLAIMS)),
        nodes=tuple(filter(None, map(_read_node, await objects.list(_NODES)))),
    )
    live = {}
    names = names_of(Found(account))
    for path in wanted_paths(Found(account, kube), wish, names):
        found = await objects.get(path)
        if found is not None:
            live[path] = found
    return msgspec.structs.replace(kube, live=live)


def check_same(account: Account, server: str, authority: str) -> None:
    """Refuse a kubeconfig that leads to another cluster than the one that was named."""
    cluster = account.cluster
    if _host(server) == _host(cluster.endpoint):
        return
    # Behind a tunnel the address differs, but nobody else has the cluster's authority.
    if authority and _plain(authority) == _plain(cluster.authority):
        return
    raise UserError(
        f"the kubeconfig leads to {server}, and EKS has cluster {cluster.name} at {cluster.endpoint}",
        code=ANOTHER,
        advice=f"aws eks update-kubeconfig --name {cluster.name} --region {account.region}, "
        "or choose another --context",
    )


def _host(url: str) -> str:
    parts = urlsplit(url if "//" in url else f"https://{url}")
    return f"{parts.hostname}:{parts.port or 443}"


def _plain(authority: str) -> bytes:
    try:
        return b"".join(base64.b64decode(authority).split())
    except (binascii.Error, ValueError):
        return authority.encode()


def read_record(document: Json | None) -> dict[str, Json]:
    """Read what was written down before earlier changes."""
    data: dict[str, str] = (document or {}).get("data") or {}
    return {key: msgspec.json.decode(value) for key, value in sorted(data.items())}


def read_scaler(deployment: Json) -> Scaler | None:
    """Recognise another autoscaler by its name or its image."""
    meta, spec = deployment["metadata"], deployment["spec"]
    images = [str(one.get("image", "")) for one in spec["template"]["spec"].get("containers") or ()]
    for kind, word in (("cluster-autoscaler", "cluster-autoscaler"), ("karpenter", "karpenter/")):
        named = _is_called(meta["name"], kind)
        image = next((one for one in images if word in one), "")
        if named or (image and kind == "cluster-autoscaler"):
            return Scaler(
                kind=kind,
                namespace=meta["namespace"],
                name=meta["name"],
                replicas=int(spec.get("replicas", 1)),
                version=image.partition("@")[0].rpartition(":")[2] if image else "",
            )
    return None


def _read_node(node: Json) -> GroupNode | None:
    group = (node["metadata"].get("labels") or {}).get(NODE_GROUP)
    closed = bool((node.get("spec") or {}).get("unschedulable"))
    return GroupNode(node["metadata"]["name"], group, closed) if group else None


def _is_called(name: str, kind: str) -> bool:
    return name == kind or name.endswith(f"-{kind}") or name.startswith(f"{kind}-aws")


def is_system(workload: Json) -> bool:
    """Tell whether the cluster's own work is done here, by the name or by the label for names."""
    meta = workload["metadata"]
    label = (meta.get("labels") or {}).get("app.kubernetes.io/name", "")
    # A release of a chart puts its own name before or after: monitoring-grafana, prometheus-server.
    padded = f"-{meta['name']}-"
    return label in SYSTEM or any(f"-{one}-" in padded for one in SYSTEM)


def _names(documents: list[Any]) -> tuple[str, ...]:
    return tuple(sorted(str(one["metadata"]["name"]) for one in documents))
