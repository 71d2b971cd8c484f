"""The proof of an installation: a pod that only a new node can take gets one, and both go again.

The pod asks for a node of a pool and bears no pod of a Deployment beside it, so it cannot be bound before the
controller has made a machine that has joined (unless a pool has an idle one). It runs the controller's own image,
which nodes must be able to pull anyway.
"""

from typing import Final

import msgspec

from nodewright.install.cluster import Objects
from nodewright.install.found import Json
from nodewright.install.names import NAMESPACE
from nodewright.install.resources.objects import DEPLOYMENT_PATH
from nodewright.install.resources.pools import CLAIMS
from nodewright.install.rights import Right
from nodewright.ports.clock import Clock

LIMIT_MS: Final = 600_000
NAME: Final = "nodewright-smoke-test"
_POLL_MS: Final = 2_000
_GONE_MS: Final = 300_000
_PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
_POD: Final = f"{_PODS}/{NAME}"
_EVENTS: Final = f"/api/v1/namespaces/{NAMESPACE}/events"
_NODES: Final = "/api/v1/nodes"
_HOSTNAME: Final = "kubernetes.io/hostname"
_DEPLOYED: Final = "pod-template-hash"
_POOL: Final = "karpenter.sh/nodepool"
RIGHTS: Final = (
    *(Right("", "pods", verb, NAMESPACE, NAME) for verb in ("create", "delete", "get", "patch")),
    Right("", "events", "list", NAMESPACE),
    Right("", "nodes", "get"),
    Right("", "nodes", "list"),
    Right("", "pods", "list"),
    Right("karpenter.sh", "nodeclaims", "delete"),
    Right("karpenter.sh", "nodeclaims", "get"),
    Right("karpenter.sh", "nodeclaims", "list"),
)
"""What whoever proves an installation must be allowed on the cluster."""


class Smoke(msgspec.Struct, frozen=True):
    """What came of it: the node that the pod got, or why it got none."""

    node: str = ""
    instance_type: str = ""
    took_ms: int = 0
    problem: str = ""
    left: str = ""


async def smoke_test(objects: Objects, clock: Clock, pool: str) -> Smoke:
    """Have a pod get a node of a pool, and clean up whatever came of it."""
    began_ms = clock.now_ms()
    known = {str(one["metadata"]["name"]) for one in await objects.list(_NODES)}
    deployment = await objects.get(DEPLOYMENT_PATH) or {}
    await objects.remove(_POD)
    await _await_gone(objects, clock, _POD)
    wanted = smoke_pod(pool, _image(deployment))
    node = ""
    while clock.now_ms() - began_ms < LIMIT_MS and not node:
        if await objects.get(_POD) is None:
            # A node that is not ready for a moment loses its pods, and nobody else makes this one anew.
            await objects.apply(wanted)
        node = await _node_of(objects)
        if not node:
            await clock.sleep_ms(_POLL_MS)
    problem = "" if node else await _why(objects)
    found = await objects.get(f"{_NODES}/{node}") if node else None
    labels = (found or {}).get("metadata", {}).get("labels") or {}
    left = await _clean_up(objects, clock, known)
    kind = str(labels.get("node.kubernetes.io/instance-type", ""))
    return Smoke(node, kind, clock.now_ms() - began_ms, problem, left)


def smoke_pod(pool: str, image: str) -> Json:
    """Write the pod that a node of a pool must have to itself."""
    alone = {
        "topologyKey": _HOSTNAME,
        "namespaceSelector": {},
        "labelSelector": {"matchExpressions": [{"key": _DEPLOYED, "operator": "Exists"}]},
    }
    apart = {"requiredDuringSchedulingIgnoredDuringExecution": [alone]}
    restricted = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "runAsNonRoot": True,
        "runAsUser": 65532,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    container = {
        "name": "smoke-test",
        "image": image,
        "args": ["--version"],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
        "securityContext": restricted,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": NAMESPACE, "name": NAME},
        "spec": {
            "automountServiceAccountToken": False,
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
            "nodeSelector": {_POOL: pool},
            "affinity": {"podAntiAffinity": apart},
            "containers": [container],
        },
    }


def _image(deployment: Json) -> str:
    spec = deployment.get("spec", {}).get("template", {}).get("spec", {})
    return next((str(one["image"]) for one in spec.get("containers") or ()), "nodewright")


async def _node_of(objects: Objects) -> str:
    """Name the node of the pod, once the pod runs or has run there."""
    pod = await objects.get(_POD) or {}
    phase = (pod.get("status") or {}).get("phase", "")
    return str(pod["spec"].get("nodeName", "")) if phase in ("Running", "Succeeded") else ""


async def _why(objects: Objects) -> str:
    events = [
        one
        for one in await objects.list(_EVENTS)
        if (one.get("involvedObject") or one.get("regarding") or {}).get("name") == NAME
    ]
    # The scheduler only says that no node is there; what kept one from being made is ours to say.
    said = sorted(
        (str(one.get("message") or one.get("note") or "") for one in events),
        key=lambda text: "NW-" in text,
    )
    pod = await objects.get(_POD) or {}
    phase = (pod.get("status") or {}).get("phase", "unknown")
    last = f": {said[-1]}" if said else ""
    return f"the pod is {phase} after {LIMIT_MS // 60_000} min{last}"


async def _clean_up(objects: Objects, clock: Clock, known: set[str]) -> str:
    """Take the pod away, and the claims that were made for it; name one that does not go."""
    await objects.remove(_POD)
    made = [
        str(one["metadata"]["name"])
        for one in await objects.list(CLAIMS)
        if _is_for_us(one, known, await objects.list("/api/v1/pods"))
    ]
    for name in made:
        await objects.remove(f"{CLAIMS}/{name}")
    for name in made:
        if not await _await_gone(objects, clock, f"{CLAIMS}/{name}"):
            return name
    return ""


def _is_for_us(claim: Json, known: set[str], pods: list[Json]) -> bool:
    node = (claim.get("status") or {}).get("nodeName", "")
    if not node or node in known:
        return False
    # Whoever else was bound to the new node keeps it; pods of daemons come with every node.
    others = [
        one
        for one in pods
        if (one.get("spec") or {}).get("nodeName") == node and one["metadata"]["name"] != NAME
    ]
    return all(_is_daemon(one) for one in others)


def _is_daemon(pod: Json) -> bool:
    owners = pod["metadata"].get("ownerReferences") or ()
    return any(one.get("kind") in ("DaemonSet", "Node") for one in owners)


async def _await_gone(objects: Objects, clock: Clock, path: str) -> bool:
    end_ms = clock.now_ms() + _GONE_MS
    while await objects.get(path) is not None:
        if clock.now_ms() >= end_ms:
            return False
        await clock.sleep_ms(_POLL_MS)
    return True
