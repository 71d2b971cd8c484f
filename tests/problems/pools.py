"""NodePools of all sorts, and the DaemonSets that run on their nodes."""

from typing import Any

from problems.catalog import (
    ARCH,
    CAPACITY_TYPE,
    CPU,
    FAMILY,
    GPU,
    GPU_COUNT,
    INSTANCE_TYPE,
    ZONE,
    ZONES,
    term,
)
from problems.dice import TEAMS, Dice

TEAM = "example.com/team"
RACK = "example.com/rack"


def make_pool(dice: Dice, flavour: set[str]) -> dict[str, Any]:
    """A pool with some of what pools can have."""
    template: dict[str, Any] = {
        "metadata": {"labels": {}},
        "spec": {
            "nodeClassRef": {
                "group": "karpenter.k8s.aws",
                "kind": "EC2NodeClass",
                "name": "default",
            },
            "requirements": _make_requirements(dice, flavour),
            "expireAfter": "Never",
        },
    }
    if dice.chance(0.3):
        template["metadata"]["labels"][TEAM] = dice.pick(TEAMS)
    elif dice.chance(0.3):
        template["spec"]["requirements"].append(
            dice.pick(
                (
                    term(TEAM, "Exists"),
                    term(TEAM, "In", *TEAMS),
                    term(TEAM, "NotIn", TEAMS[0]),
                )
            )
        )
    if "rack" in flavour:
        template["spec"]["requirements"].append(term(RACK, "In", "rack-1", "rack-2"))
    if "taints" in flavour and dice.chance(0.5):
        template["spec"]["taints"] = [_make_taint(dice)]
    if "startup" in flavour:
        template["spec"]["startupTaints"] = [
            {"key": "example.com/booting", "value": "true", "effect": "NoSchedule"}
        ]
    spec: dict[str, Any] = {"template": template, "disruption": {"consolidateAfter": "Never"}}
    if "limits" in flavour and dice.chance(0.7):
        spec["limits"] = _make_limits(dice)
    if "weights" in flavour and dice.chance(0.7):
        spec["weight"] = dice.number(1, 100)
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": dice.name("pool"), "uid": dice.uid()},
        "spec": spec,
    }


def _make_requirements(dice: Dice, flavour: set[str]) -> list[dict[str, Any]]:
    requirements = []
    if dice.chance(0.4):
        kinds = ["on-demand", "spot"] + (["reserved"] if "reserved" in flavour else [])
        requirements.append(term(CAPACITY_TYPE, "In", *dice.some(kinds)))
    if dice.chance(0.3):
        operator = dice.pick(("In", "NotIn"))
        requirements.append(term(ZONE, operator, *dice.some(ZONES, 1, 2)))
    if dice.chance(0.3):
        operator = dice.pick(("Gt", "Lt", "Gte", "Lte"))
        bound = dice.pick(("1", "2", "4") if operator in ("Gt", "Gte") else ("16", "32", "64"))
        requirements.append(term(CPU, operator, bound))
    if dice.chance(0.15):
        requirements.append(term(ARCH, "In", "amd64"))
    if dice.chance(0.1):
        requirements.append(term(GPU_COUNT, dice.pick(("Exists", "DoesNotExist"))))
    if "minValues" in flavour and dice.chance(0.6):
        key = dice.pick((INSTANCE_TYPE, FAMILY, CPU))
        if not any(one["key"] == key for one in requirements):
            requirements.append({**term(key, "Exists"), "minValues": dice.number(2, 4)})
    return requirements


def _make_limits(dice: Dice) -> dict[str, str]:
    limits = {
        "cpu": str(dice.pick((8, 16, 40, 100))),
        "memory": f"{dice.pick((32, 64, 200))}Gi",
        "nodes": str(dice.number(1, 6)),
        GPU: str(dice.number(0, 4)),
    }
    return {name: limits[name] for name in dice.some(sorted(limits), 1, 2)}


def _make_taint(dice: Dice) -> dict[str, str]:
    effect = dice.pick(("NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule"))
    return {"key": "example.com/dedicated", "value": dice.pick(TEAMS), "effect": effect}


def make_toleration(dice: Dice) -> dict[str, str]:
    """A toleration of the taints that pools here may have, or of everything."""
    if dice.chance(0.1):
        return {"operator": "Exists"}
    if dice.chance(0.3):
        return {"key": "example.com/dedicated", "operator": "Exists"}
    return {"key": "example.com/dedicated", "operator": "Equal", "value": dice.pick(TEAMS)}


def make_daemon_set(dice: Dice) -> dict[str, Any]:
    """A DaemonSet on all nodes, or on some."""
    name = dice.name("agent")
    resources: dict[str, Any] = {"requests": {"cpu": "100m", "memory": "128Mi"}}
    if dice.chance(0.3):
        resources = {"limits": {"cpu": "250m", "memory": "256Mi"}}
    spec: dict[str, Any] = {"containers": [{"name": "main", "resources": resources}]}
    if dice.chance(0.5):
        spec["tolerations"] = [{"operator": "Exists"}]
    if dice.chance(0.3):
        spec["nodeSelector"] = {ARCH: dice.pick(("amd64", "arm64"))}
    if dice.chance(0.3):
        terms = [[term(CPU, "Gt", "4")], [term(ZONE, "In", dice.pick(ZONES))]]
        spec["affinity"] = {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": one} for one in dice.some(terms, 1, 2)
                    ]
                }
            }
        }
    if dice.chance(0.2):
        port = dice.pick((8080, 9100))
        spec["containers"][0]["ports"] = [{"containerPort": port, "hostPort": port}]
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "kube-system", "uid": dice.uid()},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
        },
    }
