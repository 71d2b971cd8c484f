"""What is said of pods that keep a node from going: their own word, and budgets that never let go.

A budget that allows nobody now is the API server's to report, eviction by eviction. One that can never
allow anybody, and two of them on one pod, are mistakes that no waiting mends, so they are named.
"""

from collections.abc import Iterable, Iterator

from nodewright.core.scheduling.selection import is_protected, is_shut
from nodewright.core.scheduling.selectors import read_selector
from nodewright.model.decision import Tell
from nodewright.model.duration import BadDuration, parse_go_duration
from nodewright.model.instant import print_instant, read_instant
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.model.node import Node
from nodewright.model.pdb import PodDisruptionBudget
from nodewright.model.pod import Pod
from nodewright.model.resource import NODES, PODS, key_of, refer


def failed_draining(node: Node, note: str, dedupe: str) -> Tell:
    """Tell that a node cannot go yet."""
    return Tell(
        subject=refer(NODES, node),
        reason="FailedDraining",
        note=note,
        is_warning=True,
        dedupe=(dedupe,),
    )


class Budgets:
    """The disruption budgets of a cluster, by what they never allow."""

    def __init__(self, budgets: Iterable[PodDisruptionBudget]) -> None:
        self._budgets = [
            (one, one.metadata.namespace or "default", read_selector(one.spec.selector))
            for one in budgets
        ]

    def fault_of(self, pod: Pod) -> str:
        """Say why no eviction of a pod will ever be allowed; nothing where waiting may help."""
        namespace = pod.metadata.namespace or "default"
        found = [
            one
            for one, space, selector in self._budgets
            if space == namespace and selector.selects(pod.metadata.labels)
        ]
        names = ", ".join(sorted(key_of(one.metadata) for one in found))
        if len(found) > 1:
            return f"more than one PodDisruptionBudget selects it ({names}): let one do so"
        if found and is_shut(found[0]):
            return f"PodDisruptionBudget {names} never lets a pod go: {_why_shut(found[0])}"
        return ""


def _why_shut(budget: PodDisruptionBudget) -> str:
    spec = budget.spec
    if spec.max_unavailable is not None:
        return f"its maxUnavailable is {spec.max_unavailable}"
    return f"its minAvailable is {spec.min_available}"


def tell_of_protection(pod: Pod, now_ms: int) -> Iterator[Tell]:
    """Tell a pod's owner what its do-not-disrupt mark means now, where it is more than a word."""
    written = pod.metadata.annotations.get(DO_NOT_DISRUPT)
    if written in (None, "true", "false"):
        return
    length_ms = _length(written)
    ref = refer(PODS, pod)
    if length_ms is None:
        note = (
            f"{DO_NOT_DISRUPT} is neither true nor a duration ({written}), so it protects nothing"
        )
        yield Tell(subject=ref, reason="InvalidDoNotDisruptAnnotation", note=note, is_warning=True)
    elif is_protected(pod, now_ms):
        until = _end(pod, length_ms)
        note = f"the pod is left alone until {until}" if until else "the pod has not started yet"
        yield Tell(subject=ref, reason="DoNotDisruptUntil", note=note)
    else:
        note = f"the {written} for which the pod was left alone are over"
        yield Tell(subject=ref, reason="DoNotDisruptGracePeriodElapsed", note=note)


def _length(written: str | None) -> int | None:
    try:
        length_ms = parse_go_duration(written or "")
    except BadDuration:
        return None
    return length_ms if length_ms > 0 else None


def _end(pod: Pod, length_ms: int) -> str:
    start_ms = read_instant(pod.status.start_time)
    return "" if start_ms is None else print_instant(start_ms + length_ms)
