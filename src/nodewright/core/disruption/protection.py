"""What keeps pods where they are: their own annotation, and PodDisruptionBudgets.

A pod is judged alone: five pods of a budget that lets one go do not block, because evictions are tried
again and again. A pod of two budgets can never be evicted. A duration in the annotation counts from the
pod's start; text that is neither "true" nor a duration means nothing.
"""

from collections.abc import Iterable
from typing import Final

from nodewright.core.scheduling.rules.taints import tolerates
from nodewright.core.scheduling.selection import is_shut
from nodewright.core.scheduling.selectors import Selector, read_selector
from nodewright.model.duration import BadDuration, parse_go_duration
from nodewright.model.instant import BadInstant, parse_instant
from nodewright.model.labels import DISRUPTED_TAINT, DO_NOT_DISRUPT
from nodewright.model.metadata import Taint
from nodewright.model.pdb import PodDisruptionBudget
from nodewright.model.pod import Pod

TERMINAL: Final = ("Succeeded", "Failed")
_STAYING: Final = ("DaemonSet", "Node")
_MIRROR: Final = "kubernetes.io/config.mirror"
_TAINT: Final = Taint(key=DISRUPTED_TAINT, effect="NoSchedule")


def is_active(pod: Pod) -> bool:
    """Tell whether a pod runs and is not about to end."""
    return pod.status.phase not in TERMINAL and pod.metadata.deletion_timestamp is None


def is_mirror(pod: Pod) -> bool:
    """Tell whether a pod comes from a file on its node."""
    if _MIRROR in pod.metadata.annotations:
        return True
    return any(owner.kind == "Node" for owner in pod.metadata.owner_references)


def is_daemon(pod: Pod) -> bool:
    """Tell whether a pod belongs to a DaemonSet."""
    return any(owner.kind == "DaemonSet" for owner in pod.metadata.owner_references)


def has_to_move(pod: Pod) -> bool:
    """Tell whether a pod would have to find another node if its own went."""
    metadata = pod.metadata
    is_stateful = False
    for owner in metadata.owner_references:
        kind = owner.kind
        if kind in _STAYING:
            return False
        is_stateful = is_stateful or kind == "StatefulSet"
    if pod.status.phase in TERMINAL:
        return False
    if metadata.annotations and _MIRROR in metadata.annotations:
        return False
    return is_stateful or metadata.deletion_timestamp is None


def protected_until(pod: Pod, now_ms: int) -> int | None:
    """Tell until when a pod's annotation protects it: -1 for no end, None when it does not."""
    written = pod.metadata.annotations.get(DO_NOT_DISRUPT)
    if written is None:
        return None
    if written == "true":
        return -1
    try:
        length_ms = parse_go_duration(written)
        if length_ms <= 0:
            return None
        if pod.status.start_time is None:
            return -1
        until_ms = parse_instant(pod.status.start_time) + length_ms
    except (BadDuration, BadInstant):
        return None
    return until_ms if now_ms < until_ms else None


def shrugs_at_drain(pod: Pod) -> bool:
    """Tell whether a pod tolerates the mark of a node that goes, so that nobody evicts it."""
    return any(tolerates(one, _TAINT) for one in pod.spec.tolerations)


class Guards:
    """PodDisruptionBudgets, looked up by the pods that they guard."""

    def __init__(self, budgets: Iterable[PodDisruptionBudget]) -> None:
        self._by_namespace: dict[str, list[tuple[Selector, PodDisruptionBudget]]] = {}
        for one in sorted(budgets, key=lambda one: one.metadata.name):
            space = one.metadata.namespace or "default"
            entry = (read_selector(one.spec.selector), one)
            self._by_namespace.setdefault(space, []).append(entry)
        # Pods share their labels by the hundred; the World that holds them outlives this.
        self._known: dict[tuple[str, int], list[PodDisruptionBudget]] = {}

    def of(self, pod: Pod) -> list[PodDisruptionBudget]:
        """Give the budgets that guard a pod."""
        space = pod.metadata.namespace or "default"
        own = self._by_namespace.get(space)
        if own is None:
            return []
        key = (space, id(pod.metadata.labels))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = [
                budget for selector, budget in own if selector.selects(pod.metadata.labels)
            ]
        return known

    def blocking(self, pod: Pod) -> list[PodDisruptionBudget]:
        """Give the budgets that would refuse the eviction of a pod right now."""
        found = self.of(pod)
        if len(found) > 1:
            return found
        return [
            one
            for one in found
            if one.status.disruptions_allowed <= 0 and not _may_go_sick(one, pod)
        ]

    def never_lets_go(self, pod: Pod) -> bool:
        """Tell whether a pod is guarded so that it can never be evicted."""
        found = self.of(pod)
        return len(found) > 1 or any(map(is_shut, found))


def _may_go_sick(budget: PodDisruptionBudget, pod: Pod) -> bool:
    if budget.spec.unhealthy_pod_eviction_policy != "AlwaysAllow":
        return False
    return any(one.type == "Ready" and one.status == "False" for one in pod.status.conditions)
