"""Company: pods that must be near others do not follow them within one answer.

Commands of one answer begin together and fail alone. A pod that may stand somewhere only because others
arrive there by another command would be left without a place if that command failed, so its node waits
until they have arrived.
"""

from collections.abc import Iterable, Sequence

from nodewright.core.disruption.candidates import Candidate
from nodewright.core.scheduling.selectors import Selector, read_selector
from nodewright.model.disruption import Kept
from nodewright.model.keeping import Keeping
from nodewright.model.pod import Pod


class Company:
    """The pods that move in this answer, and who wants to be near them."""

    def __init__(self) -> None:
        self._moving: list[Pod] = []

    def judge(self, candidates: Sequence[Candidate]) -> Kept | None:
        """Tell whether a pod of these nodes must be near pods that are moving already."""
        for one in candidates if self._moving else ():
            for pod in one.pods:
                for wanted in _wanted(pod):
                    if any(wanted.selects(other.metadata.labels) for other in self._moving):
                        return Kept(one.name, Keeping.COMPANY_MOVES, {"pod": pod.key}, (pod.key,))
        return None

    def take(self, candidates: Iterable[Candidate]) -> None:
        """Take note of nodes that go, and of their pods."""
        self._moving += [pod for one in candidates for pod in one.pods]


def _wanted(pod: Pod) -> list[Selector]:
    """Give the pods that a pod must be near, in whichever namespace."""
    affinity = pod.spec.affinity
    near = affinity.pod_affinity if affinity is not None else None
    return [read_selector(term.label_selector) for term in near.required] if near else []
