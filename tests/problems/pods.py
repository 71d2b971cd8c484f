"""Pods in groups that share a shape, as workloads make them."""

import copy
from typing import Any

from problems.catalog import ARCH, CAPACITY_TYPE, CPU, GPU, INSTANCE_TYPE, ZONE, ZONES, term
from problems.dice import APPS, NAMESPACES, TEAMS, Dice
from problems.pools import RACK, TEAM, make_toleration

HOSTNAME = "kubernetes.io/hostname"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def make_shape(dice: Dice, flavour: set[str]) -> dict[str, Any]:
    """A pod without a name: what all replicas of a workload have in common."""
    labels = {"app": dice.pick(APPS), "pod-template-hash": dice.pick(("h1", "h2"))}
    spec: dict[str, Any] = {"containers": [_make_container(dice, flavour)]}
    if "init" in flavour and dice.chance(0.5):
        spec["initContainers"] = [_make_init(dice, flavour) for _ in range(dice.number(1, 3))]
    if "overhead" in flavour and dice.chance(0.3):
        spec["overhead"] = {"cpu": "100m", "memory": "64Mi"}
    if "podLevel" in flavour and dice.chance(0.3):
        spec["resources"] = {"requests": {"cpu": "1500m", "memory": "2Gi"}}
    if "selector" in flavour and dice.chance(0.5):
        spec["nodeSelector"] = _make_selector(dice)
    if dice.chance(0.5 if "taints" in flavour else 0.05):
        spec["tolerations"] = [make_toleration(dice)]
    affinity = {
        "nodeAffinity": _make_node_affinity(dice, flavour, spec.get("nodeSelector", {})),
        "podAffinity": _make_pod_affinity(dice, flavour, labels, "podAffinity"),
        "podAntiAffinity": _make_pod_affinity(dice, flavour, labels, "podAntiAffinity"),
    }
    if any(affinity.values()):
        spec["affinity"] = {name: part for name, part in affinity.items() if part}
    if "spread" in flavour and dice.chance(0.5):
        keys = dice.some((ZONE, HOSTNAME, CAPACITY_TYPE, RACK), 1, 2)
        spec["topologySpreadConstraints"] = [
            _make_spread(dice, flavour, labels, key) for key in keys
        ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": dice.pick(("default", *NAMESPACES)), "labels": labels},
        "spec": spec,
    }


def make_pod(dice: Dice, shape: dict[str, Any]) -> dict[str, Any]:
    """One pending replica of a shape."""
    pod = copy.deepcopy(shape)
    pod["metadata"].update(name=dice.name("pod"), uid=dice.uid())
    pod["status"] = {
        "phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}],
    }
    return pod


def _make_container(dice: Dice, flavour: set[str]) -> dict[str, Any]:
    requests = {
        "cpu": dice.pick(("50m", "100m", "250m", "500m", "1", "1500m", "2", "3", "6")),
        "memory": dice.pick(("64Mi", "128Mi", "256Mi", "512Mi", "1Gi", "2Gi", "4Gi", "9Gi")),
    }
    if dice.chance(0.05):
        requests = {}
    container: dict[str, Any] = {"name": "main", "resources": {"requests": requests}}
    if "gpu" in flavour and dice.chance(0.3):
        count = str(dice.number(1, 2))
        requests[GPU] = count
        container["resources"]["limits"] = {GPU: count}
    if "ports" in flavour and dice.chance(0.3):
        port = {"containerPort": 80, "hostPort": dice.pick((8080, 8081))}
        if dice.chance(0.3):
            port["hostIP"] = dice.pick(("10.0.0.1", "10.0.0.2"))
        if dice.chance(0.2):
            port["protocol"] = "UDP"
        container["ports"] = [port]
    return container


def _make_init(dice: Dice, flavour: set[str]) -> dict[str, Any]:
    requests = {"cpu": dice.pick(("100m", "500m", "2", "3")), "memory": dice.pick(("64Mi", "1Gi"))}
    container: dict[str, Any] = {"name": dice.name("init"), "resources": {"requests": requests}}
    if "sidecars" in flavour and dice.chance(0.5):
        container["restartPolicy"] = "Always"
    return container


def _make_selector(dice: Dice) -> dict[str, str]:
    choices = {
        ZONE: dice.pick(ZONES),
        ARCH: dice.pick(("amd64", "amd64", "arm64")),
        CAPACITY_TYPE: dice.pick(("spot", "on-demand")),
        TEAM: dice.pick(TEAMS),
        OLD_ZONE: dice.pick(ZONES),
        "example.com/nowhere": "x",
    }
    weights = (ZONE, ZONE, ARCH, ARCH, CAPACITY_TYPE, TEAM, TEAM, *choices)
    return {key: choices[key] for key in dice.some(sorted({dice.pick(weights) for _ in range(2)}))}


def _make_terms(dice: Dice, taken: set[str]) -> list[dict[str, Any]]:
    """Expressions on keys that the pod does not speak of yet; now and then it contradicts itself."""
    used = set() if dice.chance(0.05) else set(taken)
    terms: list[dict[str, Any]] = []
    for _ in range(dice.number(1, 2)):
        drawn = [_make_expression(dice) for _ in range(8)]
        made = next((one for one in drawn if one["key"] not in used), drawn[0])
        used.add(made["key"])
        terms.append(made)
    return terms


def normalize(key: str) -> str:
    """Give today's name of the one deprecated key that is used here."""
    return ZONE if key == OLD_ZONE else key


def _make_expression(dice: Dice) -> dict[str, Any]:
    return dice.pick(
        (
            term(ZONE, "In", *dice.some(ZONES, 1, 2)),
            term(ZONE, "NotIn", dice.pick(ZONES)),
            term(CAPACITY_TYPE, "In", dice.pick(("spot", "on-demand"))),
            term(TEAM, "In", *dice.some(TEAMS)),
            term(TEAM, "NotIn", dice.pick(TEAMS)),
            term(TEAM, dice.pick(("Exists", "DoesNotExist"))),
            term(CPU, "Gt", dice.pick(("1", "3", "8"))),
            term(CPU, "Lt", dice.pick(("9", "17", "65"))),
            term(ARCH, "In", dice.pick(("amd64", "arm64"))),
            term(INSTANCE_TYPE, "NotIn", dice.pick(("c7.2x", "m7.4x", "r7.8x"))),
            term("example.com/nowhere", dice.pick(("Exists", "DoesNotExist"))),
        )
    )


def _make_node_affinity(dice: Dice, flavour: set[str], selector: dict[str, str]) -> dict[str, Any]:
    affinity: dict[str, Any] = {}
    taken = {normalize(key) for key in selector}

    if "nodeAffinity" in flavour and dice.chance(0.5):
        count = dice.number(1, 3) if "orTerms" in flavour else 1
        terms = [_make_terms(dice, taken) for _ in range(count)]
        affinity[REQUIRED] = {"nodeSelectorTerms": [{"matchExpressions": one} for one in terms]}
        taken |= {expression["key"] for one in terms for expression in one}
    if "preferred" in flavour and dice.chance(0.4):
        affinity[PREFERRED] = [
            {"weight": dice.number(1, 100), "preference": {"matchExpressions": one}}
            for one in (_make_terms(dice, taken) for _ in range(dice.number(1, 2)))
        ]
    return affinity


def _make_term(dice: Dice, flavour: set[str], labels: dict[str, str], key: str) -> dict[str, Any]:
    app = labels["app"] if dice.chance(0.6) else dice.pick(APPS)
    selector: dict[str, Any] = {"matchLabels": {"app": app}}
    if dice.chance(0.2):
        selector = {"matchExpressions": [{"key": "app", "operator": "In", "values": [app, "x"]}]}
    made: dict[str, Any] = {"labelSelector": selector, "topologyKey": key}
    if "namespaces" in flavour and dice.chance(0.5):
        if dice.chance(0.5):
            made["namespaces"] = dice.some(tuple(NAMESPACES), 1, 2)
        else:
            made["namespaceSelector"] = dice.pick(({}, {"matchLabels": {"env": "test"}}))
    return made


def _make_pod_affinity(
    dice: Dice, flavour: set[str], labels: dict[str, str], kind: str
) -> dict[str, Any]:
    affinity: dict[str, Any] = {}
    keys = (HOSTNAME, HOSTNAME, ZONE, ZONE, CAPACITY_TYPE, RACK if "rack" in flavour else ZONE)
    if kind in flavour and dice.chance(0.35):
        affinity[REQUIRED] = [_make_term(dice, flavour, labels, dice.pick(keys))]
    if "preferred" in flavour and dice.chance(0.2):
        affinity[PREFERRED] = [
            {
                "weight": dice.number(1, 100),
                "podAffinityTerm": _make_term(dice, flavour, labels, dice.pick(keys)),
            }
        ]
    return affinity


def _make_spread(dice: Dice, flavour: set[str], labels: dict[str, str], key: str) -> dict[str, Any]:
    app = labels["app"] if dice.chance(0.8) else dice.pick(APPS)
    selector: dict[str, Any] = {"matchLabels": {"app": app}}
    made: dict[str, Any] = {
        "maxSkew": dice.number(1, 3),
        "topologyKey": key,
        "whenUnsatisfiable": "ScheduleAnyway" if dice.chance(0.3) else "DoNotSchedule",
        "labelSelector": selector,
    }
    if "spreadPolicies" in flavour:
        if dice.chance(0.3):
            made["nodeAffinityPolicy"] = dice.pick(("Honor", "Ignore"))
        if dice.chance(0.3):
            made["nodeTaintsPolicy"] = dice.pick(("Honor", "Ignore"))
        if dice.chance(0.2) and made["whenUnsatisfiable"] == "DoNotSchedule":
            made["minDomains"] = dice.number(1, 4)
        if dice.chance(0.3):
            # The API server writes the keys into the selector too.
            hash_key = "pod-template-hash"
            made["matchLabelKeys"] = [hash_key]
            selector["matchExpressions"] = [
                {"key": hash_key, "operator": "In", "values": [labels[hash_key]]}
            ]
    return made
