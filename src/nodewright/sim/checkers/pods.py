"""Promises about pods: nobody is driven out against the rules, and who waits is told why."""

from typing import Final

from nodewright.model.duration import BadDuration, parse_duration
from nodewright.model.instant import parse_instant
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.model.pod import Pod
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, key_of
from nodewright.sim.apiserver import ADDED, DELETED, Change
from nodewright.sim.checkers.checker import Checker, Scene, is_controller
from nodewright.sim.checkers.machines import DEADLINE
from nodewright.sim.objects import EVENTS, PHASE_ENDED, BudgetStatus

VERDICT_MS: Final = 180_000


class FairEvictions(Checker):
    """No pod is driven out against its disruption budget or its do-not-disrupt mark."""

    name = "fair-evictions"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.api.listen(PODS, self._pod_changed)

    def _pod_changed(self, change: Change) -> None:
        old: Pod | None = change.old
        if old is None or not is_controller(change.actor) or not self._leaves(change):
            return
        if old.status.phase in PHASE_ENDED or not old.spec.node_name or self._is_forced(old):
            return
        key = key_of(old.metadata)
        if is_held(old, self.loop.now_ms()):
            self.complain(f"pod {key} says do-not-disrupt and was driven out", f"pods/{key}")
        if change.actor.endswith("/evict"):
            return
        for budget in self.scene.cluster.evictions.budgets_of(old):
            status: BudgetStatus = budget.status
            if status.disruptions_allowed <= 0:
                self.complain(
                    f"pod {key} was deleted while budget {budget.metadata.name} allowed nobody "
                    "to go",
                    f"pods/{key}",
                )

    def _leaves(self, change: Change) -> bool:
        if change.verb == DELETED:
            return change.old.metadata.deletion_timestamp is None
        return (
            change.old.metadata.deletion_timestamp is None
            and change.new.metadata.deletion_timestamp is not None
        )

    def _is_forced(self, pod: Pod) -> bool:
        """Tell whether the deadline of the pod's node leaves it no more than its own grace."""
        node = self.api.get(NODES, pod.spec.node_name)
        if node is None:
            return True
        grace_ms = 1000 * (pod.spec.termination_grace_period_seconds or 0)
        for claim in self.api.each(NODE_CLAIMS):
            if claim.status.provider_id == node.spec.provider_id:
                stamp = claim.metadata.annotations.get(DEADLINE)
                if stamp is not None:
                    return self.loop.now_ms() >= parse_instant(stamp) - grace_ms
        return False


def is_held(pod: Pod, now_ms: int) -> bool:
    """Tell whether a pod's do-not-disrupt mark holds now; one that names a time lapses."""
    mark = pod.metadata.annotations.get(DO_NOT_DISRUPT)
    if mark == "true":
        return True
    if mark is None or pod.status.start_time is None:
        return False
    try:
        return now_ms < parse_instant(pod.status.start_time) + parse_duration(mark)
    except BadDuration:
        return False


class Verdicts(Checker):
    """Every pod that cannot be scheduled is told something by the autoscaler before long."""

    name = "verdicts"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._told: set[str] = set()
        self._waiting: dict[str, int] = {}
        self.api.listen(PODS, self._pod_changed)
        self.api.listen(EVENTS, self._event_changed)

    def _event_changed(self, change: Change) -> None:
        if change.verb == ADDED and is_controller(change.actor):
            uid = change.new.regarding.uid
            if change.new.regarding.kind == "Pod":
                self._told.add(uid)
                self._waiting.pop(uid, None)

    def _pod_changed(self, change: Change) -> None:
        pod: Pod = change.new
        uid = pod.metadata.uid
        if change.verb == DELETED or pod.spec.node_name or pod.metadata.deletion_timestamp:
            self._told.discard(uid)
            self._waiting.pop(uid, None)
        elif uid not in self._told and is_unschedulable(pod):
            self._waiting.setdefault(uid, self.loop.now_ms())

    def look(self) -> None:
        """Look for pods that have waited too long without a word."""
        now_ms = self.loop.now_ms()
        late = {uid for uid, since_ms in self._waiting.items() if now_ms - since_ms > VERDICT_MS}
        if not late:
            return
        for pod in self.api.each(PODS):
            if pod.metadata.uid in late and not pod.status.nominated_node_name:
                key = key_of(pod.metadata)
                self.complain(
                    f"pod {key} has been unschedulable for more than {VERDICT_MS // 1000} s, and "
                    "nothing was said about it",
                    f"pods/{key}",
                )
                del self._waiting[pod.metadata.uid]


def is_unschedulable(pod: Pod) -> bool:
    """Tell whether the scheduler has given up on a pod for now."""
    return any(
        one.type == "PodScheduled" and one.reason == "Unschedulable"
        for one in pod.status.conditions
    )
