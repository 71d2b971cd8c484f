"""Clusters after a scale-down, as snapshot documents: many nodes, each with little left on it.

Nodes of several sizes and families are filled with the replicas of many deployments, then every
deployment is scaled down by its own share. Nothing is tuned to a scheduler: which node keeps which
replica is drawn. Made from the seed alone.
"""

import random
from typing import Any

from problems import (
    CAPACITY_TYPE,
    GPU,
    HOSTNAME,
    SEED,
    TAKEN_AT,
    ZONE,
    Object,
    _daemon_set,
    _identify,
    _machine,
    _pool,
    _snapshot,
    _spread,
    _term,
    cloud_types,
    pending_pod,
)

_CPUS_M = (50, 100, 100, 150, 200, 250, 500, 1000)
_MEMORY_MI_PER_CPU = (512, 1024, 2048, 4096, 6144)
_NODE_CPUS = (8, 16, 32)
_FULL = 0.95
_DAEMON = {"cpu": "100m", "memory": "128Mi"}


def fragmented(
    nodes: int, seed: int = SEED, *, spot: float = 0.0, guarded: float = 0.0, kept: float = 0.5
) -> Object:
    """Make a cluster of so many nodes; shares of spot nodes, of guarded deployments, of pods kept."""
    dice = random.Random(f"fragmented {nodes} {seed}")
    catalog = cloud_types()
    kinds = [one for one in catalog if _is_plain(one)]
    deployments = [_deployment(dice, index, guarded) for index in range(max(8, nodes // 4))]
    machines: list[Object] = []
    pods: list[Object] = []
    for index in range(nodes):
        kind = dice.choice(kinds)
        name = f"node-{index:05d}"
        node, claim = _machine(dice, name, kind)
        capacity = "spot" if dice.random() < spot else "on-demand"
        for one in (node, claim):
            one["metadata"]["labels"][CAPACITY_TYPE] = capacity
            one["metadata"]["creationTimestamp"] = "2026-11-01T00:00:00Z"
        machines += [node, claim]
        pods += _daemon_pod(name)
        pods += _fill(dice, name, node, deployments, kept)
    _identify(dice, pods)
    capacity_types = ["on-demand", "spot"] if spot else ["on-demand"]
    pool = _pool(
        "default",
        [_term("kubernetes.io/arch", "In", "amd64"), _term(CAPACITY_TYPE, "In", *capacity_types)],
    )
    pool["spec"]["disruption"] = {
        "consolidateAfter": "0s",
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "budgets": [{"nodes": "10%"}],
    }
    guards = [_budget(one) for one in deployments if one["guarded"]]
    objects = [pool, _daemon_set("agent"), *machines, *guards, *pods]
    snapshot = _snapshot(f"fragmented {nodes} nodes", objects, catalog)
    snapshot["options"]["featureGates"] = {"SpotToSpotConsolidation": bool(spot)}
    return snapshot


def _is_plain(kind: Object) -> bool:
    labels = {one["key"]: one.get("values", [""])[0] for one in kind["requirements"]}
    return (
        GPU not in kind["capacity"]
        and labels["kubernetes.io/arch"] == "amd64"
        and int(kind["capacity"]["cpu"]) in _NODE_CPUS
        and not kind["name"].startswith("x")
    )


def _deployment(dice: random.Random, index: int, guarded: float) -> dict[str, Any]:
    cpu_m = dice.choice(_CPUS_M)
    memory = cpu_m * dice.choice(_MEMORY_MI_PER_CPU) // 1000
    return {
        "name": f"app-{index:04d}",
        "labels": {"app": f"app-{index:04d}"},
        "cpu_m": cpu_m,
        "memory_mi": memory,
        "requests": {"cpu": f"{cpu_m}m", "memory": f"{memory}Mi"},
        "kept": dice.uniform(0.5, 1.5),
        "guarded": dice.random() < guarded,
        "spread": dice.random() < guarded / 2,
        "count": 0,
    }


def _fill(
    dice: random.Random, name: str, node: Object, deployments: list[dict[str, Any]], kept: float
) -> list[Object]:
    """Fill a node with replicas, and give those that the scale-down leaves."""
    room = node["status"]["allocatable"]
    cpu_m = int(int(room["cpu"][:-1]) * _FULL) - 100
    memory = int(int(room["memory"][:-2]) * _FULL) - 128
    slots = int(room["pods"]) - 4
    found: list[Object] = []
    misses = 0
    while misses < 6 and slots > 0:
        one = dice.choice(deployments)
        if one["cpu_m"] > cpu_m or one["memory_mi"] > memory:
            misses += 1
            continue
        cpu_m -= one["cpu_m"]
        memory -= one["memory_mi"]
        slots -= 1
        if dice.random() < kept * one["kept"]:
            found.append(_replica(name, one))
    return found


def _replica(node: str, one: dict[str, Any]) -> Object:
    spec: dict[str, Any] = {"nodeName": node}
    if one["spread"]:
        spec["topologySpreadConstraints"] = [_spread(one["labels"], ZONE, 3)]
    pod = pending_pod(one["labels"], one["requests"], **spec)
    pod["metadata"]["name"] = f"{one['name']}-{one['count']:05d}"
    pod["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": one["name"], "uid": one["name"]}
    ]
    pod["status"] = {
        "phase": "Running",
        "startTime": "2026-11-01T00:00:00Z",
        "conditions": [{"type": "Ready", "status": "True"}],
    }
    one["count"] += 1
    return pod


def _daemon_pod(node: str) -> list[Object]:
    pod = pending_pod({"app": "agent"}, _DAEMON, nodeName=node)
    pod["metadata"] |= {
        "name": f"agent-{node}",
        "namespace": "kube-system",
        "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "daemon-agent"}
        ],
    }
    pod["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    return [pod]


def _budget(one: dict[str, Any]) -> Object:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": one["name"], "namespace": "default"},
        "spec": {"selector": {"matchLabels": one["labels"]}, "maxUnavailable": "10%"},
        "status": {"disruptionsAllowed": max(1, one["count"] // 10)},
    }


__all__ = ["HOSTNAME", "TAKEN_AT", "fragmented"]
