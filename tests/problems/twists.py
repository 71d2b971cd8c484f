"""Twists: what makes a finished problem odd, each by itself rare and legal.

A twist changes objects that are there or adds a few: labels that pools leave open or set apart,
alternatives that contradict each other, pods that want company and distance at once, prices that
somebody corrected, pods that nobody can evict. A twisted problem gets two to four of them.
"""

from collections.abc import Callable
from typing import Any

from problems.catalog import ARCH, INSTANCE_TYPE, OS, ZONE, ZONES, term
from problems.dice import APPS, TEAMS, Dice
from problems.pods import HOSTNAME, REQUIRED
from problems.pools import RACK, TEAM

REGION = "topology.kubernetes.io/region"

type Objects = list[dict[str, Any]]


def twist(dice: Dice, objects: Objects, catalog: Objects) -> None:
    """Change a problem in two to four odd ways."""
    for odd in dice.some(_TWISTS, 2, 4):
        odd(dice, objects, catalog)


def _of(objects: Objects, kind: str) -> Objects:
    return [one for one in objects if one["kind"] == kind]


def _workloads(dice: Dice, objects: Objects) -> list[Objects]:
    """Pending pods, all replicas of a workload together, some of them only."""
    groups: dict[str, Objects] = {}
    for pod in _of(objects, "Pod"):
        if "nodeName" not in pod["spec"]:
            groups.setdefault(pod["metadata"]["labels"]["app"], []).append(pod)
    return [group for group in groups.values() if dice.chance(0.6)]


def _racks(dice: Dice, objects: Objects, _catalog: Objects) -> None:
    for pool in _of(objects, "NodePool"):
        template = pool["spec"]["template"]
        rest = [one for one in template["spec"]["requirements"] if one["key"] != RACK]
        if dice.chance(0.3):
            template["metadata"]["labels"][RACK] = dice.pick(("rack-1", "rack-4"))
        else:
            rest.append(term(RACK, "In", *dice.some(("rack-1", "rack-2", "rack-3"))))
        template["spec"]["requirements"] = rest
    for pods in _workloads(dice, objects):
        app = pods[0]["metadata"]["labels"]["app"]
        spread = {
            "maxSkew": dice.number(1, 2),
            "topologyKey": dice.pick((RACK, RACK, ZONE)),
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": app}},
        }
        for pod in pods:
            pod["spec"]["topologySpreadConstraints"] = [spread]


def _alternatives(dice: Dice, objects: Objects, catalog: Objects) -> None:
    names = [one["name"] for one in catalog]
    for pods in _workloads(dice, objects):
        choices = (
            term(TEAM, dice.pick(("Exists", "DoesNotExist"))),
            term(TEAM, "NotIn", dice.pick(TEAMS)),
            term(INSTANCE_TYPE, "NotIn", *dice.some(names, 1, 3)),
            term(ARCH, "In", "amd64"),
            term(OS, "NotIn", "windows"),
            term(REGION, dice.pick(("Exists", "DoesNotExist"))),
            term(ZONE, "In", *dice.some(ZONES, 1, 2)),
        )
        terms = [{"matchExpressions": [one]} for one in dice.some(choices, 2, 3)]
        for pod in pods:
            pod["spec"].setdefault("affinity", {}).setdefault("nodeAffinity", {})[REQUIRED] = {
                "nodeSelectorTerms": terms
            }


def _open_teams(dice: Dice, objects: Objects, _catalog: Objects) -> None:
    for pool in _of(objects, "NodePool"):
        template = pool["spec"]["template"]
        template["metadata"]["labels"].pop(TEAM, None)
        rest = [one for one in template["spec"]["requirements"] if one["key"] != TEAM]
        if dice.chance(0.5):
            rest.append(term(TEAM, "NotIn", TEAMS[0]))
        template["spec"]["requirements"] = rest


def _near_and_far(dice: Dice, objects: Objects, _catalog: Objects) -> None:
    for pods in _workloads(dice, objects):
        own = pods[0]["metadata"]["labels"]["app"]
        near = [own] if dice.chance(0.5) else [own, dice.pick(APPS)]
        wanted = {"matchExpressions": [{"key": "app", "operator": "In", "values": near}]}
        for pod in pods:
            affinity = pod["spec"].setdefault("affinity", {})
            affinity["podAffinity"] = {
                REQUIRED: [{"labelSelector": wanted, "topologyKey": dice.pick((HOSTNAME, ZONE))}]
            }
            if dice.chance(0.5):
                shunned = {"matchLabels": {"app": own}}
                affinity["podAntiAffinity"] = {
                    REQUIRED: [{"labelSelector": shunned, "topologyKey": HOSTNAME}]
                }


def _overlays(dice: Dice, objects: Objects, catalog: Objects) -> None:
    for weight in (3, 7):
        correction = dice.pick(
            (
                {"price": "0.02"},
                {"priceAdjustment": "+50%"},
                {"priceAdjustment": "-0.01"},
                {"capacity": {"example.com/fuse": "1"}},
            )
        )
        named = term(INSTANCE_TYPE, "In", dice.pick(catalog)["name"])
        requirement = dice.pick((named, term(ZONE, "In", dice.pick(ZONES))))
        objects.append(
            {
                "apiVersion": "karpenter.sh/v1alpha1",
                "kind": "NodeOverlay",
                "metadata": {"name": dice.name("overlay"), "uid": dice.uid()},
                "spec": {"requirements": [requirement], "weight": weight, **correction},
            }
        )


def _odd_amounts(dice: Dice, objects: Objects, _catalog: Objects) -> None:
    for pods in _workloads(dice, objects):
        name, amount = dice.pick((("example.com/fuse", "1"), ("example.com/none", "0")))
        for pod in pods:
            pod["spec"]["containers"][0]["resources"]["requests"][name] = amount


def _stubborn(dice: Dice, objects: Objects, _catalog: Objects) -> None:
    for pod in _of(objects, "Pod"):
        if pod["spec"].get("nodeName") and dice.chance(0.5):
            pod["spec"]["tolerations"] = [{"operator": "Exists"}]
        elif dice.chance(0.1):
            pod["status"]["nominatedNodeName"] = "elsewhere"


def _unselective(dice: Dice, objects: Objects, _catalog: Objects) -> None:
    for pods in _workloads(dice, objects):
        for pod in pods:
            for one in pod["spec"].get("topologySpreadConstraints", ()):
                one.pop("labelSelector", None)
                one.pop("matchLabelKeys", None)


_TWISTS: tuple[Callable[[Dice, Objects, Objects], None], ...] = (
    _racks,
    _alternatives,
    _open_teams,
    _near_and_far,
    _overlays,
    _odd_amounts,
    _stubborn,
    _unselective,
)
