"""Storage for pods: classes, claims bound and unbound, and what nodes can attach."""

from typing import Any

from problems.catalog import ZONE, ZONES, term
from problems.dice import Dice

DRIVER = "disk.csi.example.com"


def make_classes(dice: Dice) -> list[dict[str, Any]]:
    """Classes that differ in where they make volumes, and when."""
    spots = [
        {"matchLabelExpressions": [{"key": ZONE, "values": dice.some(ZONES, 1, 2)}]}
        for _ in range(dice.number(1, 2))
    ]
    classes: list[dict[str, Any]] = [
        _make_class(dice, "anywhere"),
        {**_make_class(dice, "zonal"), "allowedTopologies": spots},
        {**_make_class(dice, "hasty"), "volumeBindingMode": "Immediate"},
    ]
    return classes


def _make_class(dice: Dice, name: str) -> dict[str, Any]:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, "uid": dice.uid()},
        "provisioner": DRIVER,
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def attach_volume(dice: Dice, pod: dict[str, Any]) -> list[dict[str, Any]]:
    """Give a pod a volume; the objects that belong to it are returned."""
    spec, namespace = pod["spec"], pod["metadata"]["namespace"]
    sort = dice.pick(
        ("anywhere", "zonal", "zonal", "hasty", "gone")
        if dice.chance(0.15)
        else ("anywhere", "zonal")
    )
    if dice.chance(0.3):
        volume = dice.name("scratch")
        request = {"accessModes": ["ReadWriteOnce"], "storageClassName": sort}
        request["resources"] = {"requests": {"storage": "1Gi"}}
        ephemeral = {"volumeClaimTemplate": {"spec": request}}
        spec.setdefault("volumes", []).append({"name": volume, "ephemeral": ephemeral})
        return [_make_claim(dice, f"{pod['metadata']['name']}-{volume}", namespace, sort)]
    name = dice.name("data")
    spec.setdefault("volumes", []).append(
        {"name": name, "persistentVolumeClaim": {"claimName": name}}
    )
    if dice.chance(0.5):
        return [_make_claim(dice, name, namespace, sort)]
    return _make_bound(dice, name, namespace)


def _make_claim(dice: Dice, name: str, namespace: str, sort: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace, "uid": dice.uid()},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": sort,
            "resources": {"requests": {"storage": "1Gi"}},
        },
        "status": {"phase": "Pending"},
    }


def _make_bound(dice: Dice, name: str, namespace: str) -> list[dict[str, Any]]:
    volume = dice.name("volume")
    claim = _make_claim(dice, name, namespace, "anywhere")
    claim["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    claim["spec"]["volumeName"] = volume
    claim["status"] = {"phase": "Bound"}
    terms = [
        {"matchExpressions": [term(ZONE, "In", dice.pick(ZONES))]}
        for _ in range(1 if dice.chance(0.7) else 2)
    ]
    spec: dict[str, Any] = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "csi": {"driver": DRIVER, "volumeHandle": volume},
        "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
    }
    return [
        claim,
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": volume, "uid": dice.uid()},
            "spec": spec,
        },
    ]


def make_csi_node(dice: Dice, node: str) -> dict[str, Any]:
    """How many volumes a node can hold."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": node, "uid": dice.uid()},
        "spec": {
            "drivers": [
                {"name": DRIVER, "nodeID": node, "allocatable": {"count": dice.number(1, 4)}}
            ]
        },
    }
