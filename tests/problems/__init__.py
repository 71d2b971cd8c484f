"""Random scheduling problems as snapshot documents, one for each seed.

Every problem draws a few flavours (features that its pods, pools and nodes may have), so that
problems differ in kind and not only in numbers: all features at once would only make pods that fit
nowhere. Problems of size `twisted` are small ones made odd.
"""

from typing import Any

from problems.catalog import make_catalog
from problems.cluster import (
    TAKEN_AT,
    make_budget,
    make_daemon_pod,
    make_nodes,
    put_pods,
)
from problems.dice import APPS, NAMESPACES, Dice
from problems.pods import make_pod, make_shape
from problems.pools import make_daemon_set, make_pool
from problems.storage import attach_volume, make_classes
from problems.twists import twist

SIZES = {"small": (1, 24), "twisted": (2, 30), "medium": (40, 140), "big": (300, 900)}
FLAVOURS = {
    "selector": 0.5,
    "nodeAffinity": 0.4,
    "orTerms": 0.3,
    "preferred": 0.3,
    "taints": 0.4,
    "startup": 0.2,
    "podAffinity": 0.3,
    "podAntiAffinity": 0.4,
    "namespaces": 0.25,
    "spread": 0.5,
    "spreadPolicies": 0.4,
    "rack": 0.15,
    "ports": 0.25,
    "volumes": 0.3,
    "init": 0.25,
    "sidecars": 0.5,
    "overhead": 0.2,
    "podLevel": 0.15,
    "daemons": 0.5,
    "limits": 0.3,
    "weights": 0.4,
    "minValues": 0.2,
    "existing": 0.5,
    "inflight": 0.5,
    "young": 0.5,
    "foreign": 0.5,
    "leaving": 0.4,
    "budgets": 0.5,
    "reserved": 0.2,
    "unavailable": 0.3,
    "pools": 0.5,
    "gpu": 0.2,
}

__all__ = ["FLAVOURS", "SIZES", "generate"]


def generate(seed: int, size: str = "small") -> dict[str, Any]:
    """Make the problem of a seed: a snapshot document."""
    dice = Dice(f"{size} {seed}")
    flavour = {name for name, odds in FLAVOURS.items() if dice.chance(odds)}
    catalog = make_catalog(dice, flavour)
    pools = [
        make_pool(dice, flavour) for _ in range(dice.number(2, 4) if "pools" in flavour else 1)
    ]
    pending, shapes, extras = _make_pods(dice, flavour, dice.number(*SIZES[size]))
    objects = [*pools, *_make_namespaces(dice), *extras]
    if "volumes" in flavour:
        objects += make_classes(dice)
    daemon_sets = (
        [make_daemon_set(dice) for _ in range(dice.number(1, 3))] if "daemons" in flavour else []
    )
    objects += daemon_sets
    if "existing" in flavour:
        count = max(1, round(len(pending) * dice.random.random() / 3))
        machines = make_nodes(dice, flavour, pools, catalog, count)
        objects += [*machines, *_make_bound(dice, machines, shapes, daemon_sets)]
    if "budgets" in flavour and "leaving" in flavour:
        objects += [make_budget(dice, app) for app in dice.some(APPS, 1, 3)]
    objects += pending
    if size == "twisted":
        twist(dice, objects, catalog)
    return {
        "apiVersion": "nodewright.dev/v1",
        "kind": "Snapshot",
        "metadata": {"name": f"problem {size} {seed}", "takenAt": TAKEN_AT},
        "objects": objects,
        "catalogs": {"all": catalog},
        "instanceTypes": {pool["metadata"]["name"]: "all" for pool in pools},
        "options": {
            "preferencePolicy": "Ignore" if dice.chance(0.15) else "Respect",
            "minValuesPolicy": "BestEffort" if dice.chance(0.3) else "Strict",
            "reservedOfferingMode": "Fallback" if dice.chance(0.4) else "Strict",
            "featureGates": {"ReservedCapacity": True, "NodeOverlay": True},
        },
    }


def _make_namespaces(dice: Dice) -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {
                "name": name,
                "uid": dice.uid(),
                "labels": {"kubernetes.io/metadata.name": name, **labels},
            },
        }
        for name, labels in NAMESPACES.items()
    ]


def _make_pods(
    dice: Dice, flavour: set[str], count: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    pods: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    extras: list[dict[str, Any]] = []
    while len(pods) < count:
        shape = make_shape(dice, flavour)
        shapes.append(shape)
        replicas = dice.number(1, max(1, min(count - len(pods), count // 3, 60)))
        for _ in range(replicas):
            pod = make_pod(dice, shape)
            if "volumes" in flavour and dice.chance(0.3):
                extras += attach_volume(dice, pod)
            pods.append(pod)
    return pods, shapes, extras


def _make_bound(
    dice: Dice,
    machines: list[dict[str, Any]],
    shapes: list[dict[str, Any]],
    daemon_sets: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    nodes = [one for one in machines if one["kind"] == "Node"]
    daemons = [
        make_daemon_pod(dice, daemon_set, node["metadata"]["name"])
        for node in nodes
        for daemon_set in daemon_sets
        if dice.chance(0.6)
    ]
    return [*put_pods(dice, nodes, shapes), *daemons]
