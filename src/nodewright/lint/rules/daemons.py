"""Daemon sets that keep nodes from becoming ready, or that wait where they cannot run."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.lint.finding import Finding
from nodewright.lint.raw import dig, items, mapping, text, word
from nodewright.lint.stream import Stream
from nodewright.lint.views import NodeClass, PodView, Pool
from nodewright.model.labels import UNREGISTERED_TAINT

_COMPUTE_TYPE: Final = "eks.amazonaws.com/compute-type"
_CRITICAL: Final = "system-node-critical"
_SYSTEM_NAMESPACE: Final = "kube-system"


def check(stream: Stream) -> Iterator[Finding]:
    """Yield system daemons that do not tolerate a pool, and daemons that reach for Fargate."""
    daemons = [pod for pod in stream.pods if pod.manifest.kind == "DaemonSet"]
    for daemon in daemons:
        if _is_system(daemon):
            yield from _check_tolerations(daemon, stream.pools)
    if _has_fargate(stream):
        for daemon in daemons:
            if not _avoids_fargate(daemon):
                yield Finding(
                    "NW-3019",
                    daemon.manifest,
                    daemon.path,
                    f"{daemon.manifest.name} also wants to run on Fargate nodes, where its pods "
                    "stay pending",
                    f"add a required node affinity: {_COMPUTE_TYPE} NotIn [fargate]",
                    on="key",
                )
    for node_class in stream.classes:
        yield from _check_custom(node_class)


def _is_system(daemon: PodView) -> bool:
    return (
        daemon.manifest.namespace == _SYSTEM_NAMESPACE
        or text(daemon.spec.get("priorityClassName")) == _CRITICAL
    )


def _check_tolerations(daemon: PodView, pools: tuple[Pool, ...]) -> Iterator[Finding]:
    said: set[tuple[str, str]] = set()
    for pool in pools:
        for field in ("taints", "startupTaints"):
            for _, taint in pool.taints(field):
                key, effect = text(taint.get("key")), text(taint.get("effect"))
                if effect == "PreferNoSchedule" or (key, effect) in said:
                    continue
                if any(_tolerates(mapping(one), taint) for one in daemon.tolerations):
                    continue
                said.add((key, effect))
                kind = "startup taint" if field == "startupTaints" else "taint"
                path = (*daemon.path, "tolerations")
                there = "tolerations" in daemon.spec
                yield Finding(
                    "NW-3012",
                    daemon.manifest,
                    path if there else daemon.path,
                    f"{daemon.manifest.name} does not tolerate the {kind} {key}:{effect} of pool "
                    f"{pool.name}; its nodes wait for it",
                    "add the toleration {operator: Exists}, as system daemons have it",
                    on="key",
                )


def _tolerates(toleration: dict[str, Any], taint: dict[str, Any]) -> bool:
    effect = text(toleration.get("effect"))
    if effect and effect != taint.get("effect"):
        return False
    key, operator = text(toleration.get("key")), text(toleration.get("operator")) or "Equal"
    if not key:
        return operator == "Exists"
    if key != taint.get("key"):
        return False
    return operator == "Exists" or word(toleration.get("value")) == word(taint.get("value"))


def _has_fargate(stream: Stream) -> bool:
    for node in stream.of_kind("Node"):
        labels = mapping(dig(node.raw, ("metadata", "labels")))
        if labels.get(_COMPUTE_TYPE) == "fargate":
            return True
    return any(one.raw.get("fargateProfiles") for one in stream.of_kind("ClusterConfig"))


def _avoids_fargate(daemon: PodView) -> bool:
    if daemon.spec.get("nodeSelector"):
        return True  # Fargate nodes carry hardly any label that a selector could ask for.
    required = dig(
        daemon.spec,
        ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
    )
    terms = [mapping(term) for term in items(mapping(required).get("nodeSelectorTerms"))]
    return bool(terms) and all(_leaves_fargate_out(term) for term in terms)


def _leaves_fargate_out(term: dict[str, Any]) -> bool:
    for expression in items(term.get("matchExpressions")):
        one = mapping(expression)
        key, operator = text(one.get("key")), text(one.get("operator"))
        values = [word(value) for value in items(one.get("values"))]
        if key == _COMPUTE_TYPE:
            if operator == "DoesNotExist" or (operator == "NotIn" and "fargate" in values):
                return True
            if operator == "In" and "fargate" not in values:
                return True
        elif operator in ("In", "Exists", "Gt", "Lt") and not key.startswith("kubernetes.io/"):
            return True
    return False


def _check_custom(node_class: NodeClass) -> Iterator[Finding]:
    data = text(node_class.spec.get("userData"))
    is_custom = node_class.era == "v1" and node_class.spec.get("amiFamily") == "Custom"
    if is_custom and data and UNREGISTERED_TAINT not in data:
        yield Finding(
            "NW-3012",
            node_class.manifest,
            ("spec", "userData"),
            f"with amiFamily Custom the nodes must register with the taint "
            f"{UNREGISTERED_TAINT}:NoExecute, and this script does not put it on",
            f"start the kubelet with --register-with-taints={UNREGISTERED_TAINT}:NoExecute",
            on="key",
        )
