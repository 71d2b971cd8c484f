"""From pods that were seen to come, run and go, to entries of a trace.

What ended by itself lasts as long as it ran; what was taken away is there until then, since its workload
no longer wanted it, or wanted another one that is seen to come too. What has not ended stays. An entry is
known when its pod is gone, so they come out of order and are sorted afterwards.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.core.scheduling.requests import pod_requests
from nodewright.model.pod import Pod, PodSpec
from nodewright.model.quantity import BadQuantity, print_resources
from nodewright.trace.entry import Arrival, Size

ENDED: Final = ("Succeeded", "Failed")
_OF_NODES: Final = ("DaemonSet", "Node")
_KEPT: Final = (
    "nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "priorityClassName",
)  # fmt: skip
_DEFAULT_TOLERATIONS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_KEPT_NOTE: Final = "karpenter.sh/do-not-disrupt"


class _Life(msgspec.Struct):
    """A pod that has not ended."""

    key: str
    came_ms: int
    size: Size
    ran_ms: int | None = None


class Recorder:
    """Keeps the pods that are alive; times are instants, the start is the first of them."""

    def __init__(self, start_ms: int) -> None:
        self._start_ms = start_ms
        self._lives: dict[str, _Life] = {}
        self.skipped: dict[str, str] = {}

    def came(self, pod: Pod, at_ms: int) -> None:
        """Take note of a pod that is there; pods of nodes and of daemons are none of a trace."""
        owners = pod.metadata.owner_references
        uid = pod.metadata.uid or pod.key
        if uid in self._lives or any(one.kind in _OF_NODES for one in owners):
            return
        try:
            size = size_of(pod)
        except BadQuantity as error:
            self.skipped[pod.key] = str(error)
            return
        self._lives[uid] = _Life(pod.key, max(at_ms, self._start_ms), size)

    def ran(self, uid: str, at_ms: int) -> None:
        """Take note of a pod that was given a node."""
        life = self._lives.get(uid)
        if life is not None and life.ran_ms is None:
            life.ran_ms = max(at_ms, life.came_ms)

    def ended(self, uid: str, at_ms: int, *, by_itself: bool) -> Iterator[Arrival]:
        """Give the entry of a pod that has ended."""
        life = self._lives.pop(uid, None)
        if life is None:
            return
        at_ms = max(at_ms, life.came_ms)
        came_ms = life.came_ms - self._start_ms
        if by_itself:
            lasts_ms = at_ms - (life.came_ms if life.ran_ms is None else life.ran_ms)
            yield Arrival(came_ms, life.key, life.size, lasts_ms=lasts_ms)
        else:
            yield Arrival(came_ms, life.key, life.size, until_ms=at_ms - self._start_ms)

    def rest(self) -> Iterator[Arrival]:
        """Give the entries of all that is still there."""
        for life in self._lives.values():
            yield Arrival(life.came_ms - self._start_ms, life.key, life.size)
        self._lives.clear()


def size_of(pod: Pod) -> Size:
    """Give what of a pod decides where it can run."""
    labels = {
        name: value
        for name, value in pod.metadata.labels.items()
        if name != "pod-template-hash" and "controller-" not in name
    }
    note = pod.metadata.annotations.get(_KEPT_NOTE)
    asked = dict(print_resources(pod_requests(pod.spec)))
    asked.pop("pods", None)
    return Size(
        asked or {"cpu": "0"},
        labels,
        {} if note is None else {_KEPT_NOTE: note},
        _spec(pod.spec),
    )


def _spec(spec: PodSpec) -> dict[str, Any]:
    written: dict[str, Any] = msgspec.to_builtins(spec)
    blank: dict[str, Any] = msgspec.to_builtins(PodSpec())
    found = {name: written[name] for name in _KEPT if written.get(name) != blank.get(name)}
    if "tolerations" in found:
        # The API server writes these onto every pod.
        found["tolerations"] = [
            one for one in found["tolerations"] if one.get("key") not in _DEFAULT_TOLERATIONS
        ]
        if not found["tolerations"]:
            del found["tolerations"]
    return found
