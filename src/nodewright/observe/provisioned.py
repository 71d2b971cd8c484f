"""How long pods wait from the moment that we know of them or of a place for them.

Karpenter's `pods_provisioning_` families: they count from a moment in memory, not from the pod's
creation, so that pods which waited for something else are not held against us.
"""

from collections.abc import Callable, Iterable
from typing import Final

from nodewright.core.scheduling.wishes import strict_requirements
from nodewright.model.decision import Decision, Nominate, Refuse
from nodewright.model.labels import ZONE
from nodewright.model.pod import Pod
from nodewright.model.requirements import BadRequirement
from nodewright.model.world import World
from nodewright.observe.cluster import TERMINAL
from nodewright.observe.page import Page

PREFIX: Final = "karpenter_pods_provisioning"
_EVERY_MS: Final = 1_000
_FLEXIBLE: Final = "flexible"
_NONE: Final = "none"

type Note = Callable[[str, float], None]


class Provisioned:
    """Follows pods from when they are seen to wait, and from when a place is known."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._looked_ms: int | None = None
        self._seen_ms: dict[str, int] = {}
        self._placed_ms: dict[str, int] = {}
        self._bound: set[str] = set()
        self._undecided: set[str] = set()

    def decide(self, world: World, decisions: Iterable[Decision]) -> None:
        """Take note of the pods that a place is known for, and of those that were decided on."""
        for one in decisions:
            if isinstance(one, Nominate):
                self._placed_ms.setdefault(one.subject.uid, world.now_ms)
            if isinstance(one, Nominate | Refuse):
                self._undecided.discard(one.subject.uid)

    def look(self, world: World) -> None:
        """Take note of the pods that have come a step further; at most once a second."""
        if self._looked_ms is not None and world.now_ms - self._looked_ms < _EVERY_MS:
            return
        self._looked_ms = world.now_ms
        here: set[str] = set()
        for pod in world.pods:
            uid = pod.metadata.uid
            if _waits(pod):
                here.add(uid)
                if uid not in self._seen_ms:
                    self._seen_ms[uid] = world.now_ms
                    self._undecided.add(uid)
            elif uid in self._placed_ms and pod.status.phase not in TERMINAL:
                here.add(uid)
                self._advance(pod, world.now_ms)
        self._seen_ms = {uid: at for uid, at in self._seen_ms.items() if uid in here}
        self._placed_ms = {uid: at for uid, at in self._placed_ms.items() if uid in here}
        self._undecided &= here
        self._bound &= here

    def _advance(self, pod: Pod, now_ms: int) -> None:
        uid = pod.metadata.uid
        waited_s = (now_ms - self._placed_ms[uid]) / 1000
        if uid not in self._bound:
            self._bound.add(uid)
            self._undecided.discard(uid)
            self._note(f"{PREFIX}_bound_duration_seconds", waited_s)
        if pod.status.phase == "Running":
            del self._placed_ms[uid]
            self._note(f"{PREFIX}_startup_duration_seconds", waited_s)

    def fill(self, page: Page, world: World) -> None:
        """Write how long pods have waited so far, and in which zones those that wait could run."""
        zones: dict[str, int] = {}
        for pod in world.pods:
            uid, row = pod.metadata.uid, (pod.metadata.name, pod.metadata.namespace or "default")
            placed_ms = self._placed_ms.get(uid)
            if placed_ms is not None:
                waited_s = max(0, world.now_ms - placed_ms) / 1000
                page.set(f"{PREFIX}_unstarted_time_seconds", waited_s, row)
                if not pod.spec.node_name:
                    page.set(f"{PREFIX}_unbound_time_seconds", waited_s, row)
            if uid in self._undecided:
                waited_s = max(0, world.now_ms - self._seen_ms[uid]) / 1000
                page.set(f"{PREFIX}_scheduling_undecided_time_seconds", waited_s, row)
            if _waits(pod):
                zone = _zone_of(pod)
                zones[zone] = zones.get(zone, 0) + 1
        for zone, count in sorted(zones.items()):
            name = "karpenter_scheduler_pending_pods_by_effective_zone_count"
            page.set(name, count, ("provisioner", zone))


def _waits(pod: Pod) -> bool:
    return not pod.spec.node_name and pod.status.phase not in TERMINAL


def _zone_of(pod: Pod) -> str:
    """Give the one zone in which a pod can run; a word where there are many or none."""
    try:
        wanted = [one for one in strict_requirements(pod.spec) if one.key == ZONE]
    except BadRequirement:
        return _NONE
    sets = [one.values for one in wanted if not one.complement]
    if not sets:
        return _FLEXIBLE
    common = frozenset.intersection(*map(frozenset, sets))
    if len(common) > 1:
        return _FLEXIBLE
    return next(iter(common), _NONE)
