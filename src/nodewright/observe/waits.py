"""How long pods wait: until they are decided on, have a node, and are ready.

Times are read off the pods' own conditions, so that it does not matter how often we look. A pod that
was past a step when we first saw it is not counted for it: a restart would count it twice.
"""

from collections.abc import Callable, Iterable
from typing import Final

from nodewright.model.decision import Decision, Nominate, Refuse
from nodewright.model.instant import read_instant
from nodewright.model.pod import Pod
from nodewright.model.world import World
from nodewright.observe.cluster import TERMINAL

_EVERY_MS: Final = 1_000

type Note = Callable[[str, float], None]
"""Takes the name of a family and a number of seconds."""


class Waits:
    """Follows pods from their creation on."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._looked_ms: int | None = None
        self._unbound: set[str] = set()
        self._unready: set[str] = set()
        self._decided: set[str] = set()
        self._pods: tuple[Pod, ...] = ()
        self._settled: dict[str, Pod] = {}

    def look(self, world: World) -> None:
        """Take note of the pods that have come a step further; at most once a second."""
        if self._looked_ms is not None and world.now_ms - self._looked_ms < _EVERY_MS:
            return
        self._looked_ms = world.now_ms
        if world.pods is self._pods:
            return
        self._pods = world.pods
        unbound: set[str] = set()
        unready: set[str] = set()
        settled: dict[str, Pod] = {}
        for pod in world.pods:
            uid = pod.metadata.uid
            if self._settled.get(uid) is pod:
                # Most pods of a large cluster have run for long and are as they were.
                settled[uid] = pod
                continue
            if pod.status.phase in TERMINAL:
                continue
            if not pod.spec.node_name:
                unbound.add(uid)
            elif uid in self._unbound:
                self._tell(pod, "PodScheduled", "karpenter_pods_bound_duration_seconds")
            if not _is_ready(pod):
                unready.add(uid)
            elif uid in self._unready:
                self._tell(pod, "Ready", "karpenter_pods_startup_duration_seconds")
            if uid not in unbound and uid not in unready:
                settled[uid] = pod
        self._unbound, self._unready, self._settled = unbound, unready, settled
        self._decided &= unbound

    def decide(self, world: World, decisions: Iterable[Decision]) -> None:
        """Take note of the pods that were decided on for the first time."""
        told = {
            one.subject.uid for one in decisions if isinstance(one, Nominate | Refuse)
        } - self._decided
        if not told:
            return
        self._decided |= told
        for pod in world.pods:
            if pod.metadata.uid in told and not pod.spec.node_name:
                born_ms = read_instant(pod.metadata.creation_timestamp)
                if born_ms is not None:
                    self._note(
                        "karpenter_pods_scheduling_decision_duration_seconds",
                        max(0, world.now_ms - born_ms) / 1000,
                    )

    def _tell(self, pod: Pod, condition: str, family: str) -> None:
        since_ms = _since(pod, condition)
        born_ms = read_instant(pod.metadata.creation_timestamp)
        if since_ms is not None and born_ms is not None:
            self._note(family, max(0, since_ms - born_ms) / 1000)


def _is_ready(pod: Pod) -> bool:
    return any(one.type == "Ready" and one.status == "True" for one in pod.status.conditions)


def _since(pod: Pod, condition: str) -> int | None:
    """Give since when a condition of a pod has held."""
    for one in pod.status.conditions:
        if one.type == condition and one.status == "True":
            return read_instant(one.last_transition_time)
    return None
