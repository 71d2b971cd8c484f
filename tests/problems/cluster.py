"""Nodes that are there already, in every stage of life, with pods on them."""

import copy
from typing import Any

from problems.catalog import CAPACITY_TYPE, RESERVATION_ID, ZONE
from problems.dice import TEAMS, Dice
from problems.pods import HOSTNAME
from problems.pools import RACK, TEAM
from problems.storage import make_csi_node

TAKEN_AT = "2026-11-15T09:00:00Z"
MIB = 1 << 20

type Object = dict[str, Any]


def make_nodes(
    dice: Dice, flavour: set[str], pools: list[Object], catalog: list[Object], count: int
) -> list[Object]:
    """Nodes and claims; what is on them comes later."""
    stages = ["ready", "ready", "ready"]
    stages += [stage for stage in ("inflight", "young", "foreign") if stage in flavour]
    stages += ["leaving"] if "leaving" in flavour else []
    made: list[Object] = []
    for _ in range(count):
        kind = dice.pick(catalog)
        made += _make_node(dice, flavour, dice.pick(stages), dice.pick(pools), kind)
    return made


def _make_node(
    dice: Dice, flavour: set[str], stage: str, pool: Object, kind: Object
) -> list[Object]:
    name = dice.name("node")
    labels = _labels(dice, kind)
    template = pool["spec"]["template"]
    capacity = dict(kind["capacity"])
    allocatable = _allocatable(kind)
    taints = copy.deepcopy(template["spec"].get("taints", []))
    startup = copy.deepcopy(template["spec"].get("startupTaints", []))
    node: Object = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": dice.uid(), "labels": {HOSTNAME: name, **labels}},
        "spec": {"providerID": f"fake:///{name}"},
        "status": {
            "capacity": capacity,
            "allocatable": allocatable,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
    if stage == "foreign":
        if dice.chance(0.3):
            node["spec"]["taints"] = [{"key": "example.com/foreign", "effect": "NoSchedule"}]
        return [node, *_csi(dice, flavour, name)]
    labels |= {"karpenter.sh/nodepool": pool["metadata"]["name"]}
    labels |= {"karpenter.k8s.aws/ec2nodeclass": "default"}
    labels |= template["metadata"]["labels"]
    labels |= _open_labels(dice, template["spec"]["requirements"])
    claim = _make_claim(dice, name, labels, kind, stage)
    claim["spec"] |= {"taints": taints, "startupTaints": startup}
    if stage == "inflight":
        return [claim]
    marks = {"karpenter.sh/registered": "true"}
    if stage != "young":
        marks["karpenter.sh/initialized"] = "true"
    else:
        taints = [*taints, *startup]
        if dice.chance(0.5):
            taints.append({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"})
        if "nvidia.com/gpu" in capacity:
            node["status"]["allocatable"] = {**allocatable, "nvidia.com/gpu": "0"}
    node["metadata"]["labels"] |= labels | marks
    if taints:
        node["spec"]["taints"] = taints
    if stage == "leaving":
        for owner in (claim, node) if dice.chance(0.5) else (claim,):
            owner["metadata"]["deletionTimestamp"] = TAKEN_AT
            owner["metadata"]["finalizers"] = ["karpenter.sh/termination"]
    return [node, claim, *_csi(dice, flavour, name)]


def _csi(dice: Dice, flavour: set[str], name: str) -> list[Object]:
    return [make_csi_node(dice, name)] if "volumes" in flavour and dice.chance(0.7) else []


def _labels(dice: Dice, kind: Object) -> dict[str, str]:
    labels = {
        one["key"]: one["values"][0]
        for one in kind["requirements"]
        if one.get("values") and one["key"] not in (ZONE, CAPACITY_TYPE, RESERVATION_ID)
    }
    offering = dice.pick(kind["offerings"])
    return labels | {one["key"]: one["values"][0] for one in offering["requirements"]}


def _open_labels(dice: Dice, requirements: list[Object]) -> dict[str, str]:
    labels = {}
    for one in requirements:
        if one["key"] == TEAM:
            labels[TEAM] = TEAMS[1] if one["operator"] == "NotIn" else dice.pick(TEAMS)
        if one["key"] == RACK:
            labels[RACK] = dice.pick(("rack-1", "rack-2"))
    return labels


def _allocatable(kind: Object) -> dict[str, str]:
    capacity, kept = kind["capacity"], kind["overhead"]["kubeReserved"]
    memory = int(capacity["memory"][:-2]) * 1024 - int(kept["memory"][:-2]) - 100
    return {
        **capacity,
        "cpu": f"{int(capacity['cpu']) * 1000 - int(kept['cpu'][:-1])}m",
        "memory": f"{memory}Mi",
    }


def _make_claim(dice: Dice, node: str, labels: dict[str, str], kind: Object, stage: str) -> Object:
    done = {"inflight": 1, "young": 2}.get(stage, 3)
    conditions = [
        {
            "type": name,
            "status": "True" if index < done else "Unknown",
            "reason": name if index < done else "AwaitingReconciliation",
            "message": "",
            "lastTransitionTime": TAKEN_AT,
        }
        for index, name in enumerate(("Launched", "Registered", "Initialized"))
    ]
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {
            "name": f"claim-{node}",
            "uid": dice.uid(),
            "labels": dict(labels),
            "creationTimestamp": TAKEN_AT,
        },
        "spec": {
            "nodeClassRef": {
                "group": "karpenter.k8s.aws",
                "kind": "EC2NodeClass",
                "name": "default",
            },
            "requirements": [],
            "resources": {},
            "expireAfter": "Never",
        },
        "status": {
            "providerID": f"fake:///{node}",
            "nodeName": "" if stage == "inflight" else node,
            "capacity": dict(kind["capacity"]),
            "allocatable": _allocatable(kind),
            "conditions": conditions,
        },
    }


def put_pods(dice: Dice, nodes: list[Object], shapes: list[Object]) -> list[Object]:
    """Running pods, as many as nodes have some room for."""
    pods = []
    for node in nodes:
        room = int(node["status"]["allocatable"]["cpu"][:-1])
        for _ in range(dice.number(0, 3)):
            shape = dice.pick(shapes)
            needed = _millicores(shape)
            if needed > room or shape["spec"].get("volumes"):
                continue
            room -= needed
            pods.append(_make_running(dice, shape, node["metadata"]["name"]))
    return pods


def _millicores(shape: Object) -> int:
    parts = [*shape["spec"]["containers"], *shape["spec"].get("initContainers", [])]
    texts = [part["resources"]["requests"].get("cpu", "0") for part in parts]
    texts.append(shape["spec"].get("resources", {}).get("requests", {}).get("cpu", "0"))
    return 100 + sum(int(text[:-1]) if text.endswith("m") else 1000 * int(text) for text in texts)


def _make_running(dice: Dice, shape: Object, node: str) -> Object:
    pod = copy.deepcopy(shape)
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "owner", "controller": True}
    if dice.chance(0.2):
        owner["kind"] = "StatefulSet"
    pod["metadata"].update(
        name=dice.name("old"), uid=dice.uid(), ownerReferences=[{**owner, "uid": dice.uid()}]
    )
    if dice.chance(0.1):
        pod["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
    pod["spec"]["nodeName"] = node
    phase = "Succeeded" if dice.chance(0.05) else "Running"
    pod["status"] = {"phase": phase, "conditions": [{"type": "PodScheduled", "status": "True"}]}
    if dice.chance(0.05):
        pod["metadata"]["deletionTimestamp"] = TAKEN_AT
    return pod


def make_daemon_pod(dice: Dice, daemon_set: Object, node: str) -> Object:
    """The pod of a DaemonSet on a node."""
    template = daemon_set["spec"]["template"]
    meta = daemon_set["metadata"]
    spec = copy.deepcopy(template["spec"])
    spec["nodeName"] = node
    for container in spec["containers"]:
        resources = container["resources"]
        resources["requests"] = {**resources.get("limits", {}), **resources.get("requests", {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": dice.name(meta["name"]),
            "namespace": meta["namespace"],
            "uid": dice.uid(),
            "creationTimestamp": TAKEN_AT,
            "labels": dict(template["metadata"]["labels"]),
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "DaemonSet",
                    "name": meta["name"],
                    "uid": meta["uid"],
                    "controller": True,
                }
            ],
        },
        "spec": spec,
        "status": {"phase": "Running"},
    }


def make_budget(dice: Dice, app: str) -> Object:
    """A PodDisruptionBudget for an app."""
    spec: Object = {"selector": {"matchLabels": {"app": app}}}
    field, value = dice.pick(
        (("maxUnavailable", 0), ("maxUnavailable", 1), ("minAvailable", "100%"))
    )
    spec[field] = value
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": dice.name("budget"), "namespace": "default", "uid": dice.uid()},
        "spec": spec,
    }
