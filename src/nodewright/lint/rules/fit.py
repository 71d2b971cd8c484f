"""Pods that no pool of the stream can ever make a node for: the real planner is asked."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.core.scheduling.solve import solve
from nodewright.lint.finding import Finding
from nodewright.lint.raw import dig, items, mapping, text
from nodewright.lint.settings import is_controller
from nodewright.lint.stream import Stream
from nodewright.lint.views import PodView
from nodewright.lint.worlds import build_world
from nodewright.model.labels import NODEPOOL
from nodewright.model.path import Path
from nodewright.model.plan import Unplaced
from nodewright.model.reason import Reason

_WRONG_LABELS: Final = {
    Reason.TAINT_NOT_TOLERATED.code,
    Reason.LABELS_CLASH.code,
    Reason.LABEL_UNDEFINED.code,
    Reason.LABEL_RESTRICTED.code,
    Reason.NO_TYPE_LABELLED.code,
}
_TOO_SMALL: Final = {
    Reason.NO_TYPE_FITS.code,
    Reason.NO_OFFERING.code,
    Reason.TOO_FEW_CHOICES.code,
    Reason.RESOURCE_UNKNOWN.code,
    Reason.DAEMONS_TOO_LARGE.code,
}
# Labels that send a pod to nodes which no pool makes.
_ELSEWHERE: Final = (
    "eks.amazonaws.com/nodegroup",
    "eks.amazonaws.com/compute-type",
    "alpha.eksctl.io/nodegroup-name",
)
_PODS_MAX: Final = 5_000
"""More than this, and the stream is a whole cluster: `plan` is for that."""


def check(stream: Stream) -> Iterator[Finding]:
    """Yield workloads whose pods would wait for ever."""
    if not stream.pools:
        return
    pods = {
        f"{pod.manifest.kind.lower()}-{index}": pod
        for index, pod in enumerate(stream.pods[:_PODS_MAX])
        if _is_for_pools(pod)
    }
    if not pods:
        return
    plan = solve(build_world(stream, pods.items()))
    for key, unplaced in plan.unschedulable.items():
        pod = pods[key.rpartition("/")[2]]
        if unplaced.code in _WRONG_LABELS:
            yield _finding("NW-3016", pod, unplaced)
        elif unplaced.code in _TOO_SMALL:
            yield _finding("NW-3048", pod, unplaced)


def _is_for_pools(pod: PodView) -> bool:
    if pod.manifest.kind == "DaemonSet" or is_controller(pod.manifest):
        return False
    if pod.spec.get("nodeName") or pod.spec.get("schedulingGates"):
        return False
    asked = set(mapping(pod.spec.get("nodeSelector"))) | set(_affinity_keys(pod.spec))
    return not asked & set(_ELSEWHERE) and not _opts_out(pod.spec)


def _affinity_keys(spec: dict[str, Any]) -> Iterator[str]:
    for expression in _expressions(spec):
        yield text(expression.get("key"))


def _opts_out(spec: dict[str, Any]) -> bool:
    return any(
        one.get("key") == NODEPOOL and one.get("operator") == "DoesNotExist"
        for one in _expressions(spec)
    )


def _expressions(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    required: Path = (
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    )
    for term in items(dig(spec, required)):
        for expression in items(mapping(term).get("matchExpressions")):
            yield mapping(expression)


def _finding(code: str, pod: PodView, unplaced: Unplaced) -> Finding:
    reasons = [f"{pool.name}: {pool.reason}" for pool in unplaced.node_pools]
    who = pod.manifest.name or pod.manifest.kind
    if len(reasons) <= 1:
        message = f"no pool can make a node for {who}: {unplaced.summary}"
        advice = ""
    else:
        message = f"none of {len(reasons)} pools can make a node for {who}; {unplaced.summary}"
        advice = "; ".join(reasons[:4])
    return Finding(
        code, pod.manifest, _place(code, pod), message, advice or _advice(code), on="key"
    )


def _advice(code: str) -> str:
    if code == "NW-3016":
        return "change the pod's selector, affinity or tolerations, or the pool's requirements"
    return "ask for less, or allow larger types in the pool"


def _place(code: str, pod: PodView) -> Path:
    fields = ("nodeSelector", "affinity", "tolerations") if code == "NW-3016" else ("containers",)
    for field in fields:
        if field in pod.spec:
            return (*pod.path, field)
    return pod.path
