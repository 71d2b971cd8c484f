"""The disruption controller: how many pods of each budget may be missing, counted anew on change.

Budgets that speak in shares, or in pods that may be missing, are measured against the size that the
pods' controllers want; without such a controller nothing is allowed. Members are kept up to date
pod by pod, so that a change costs the same however many pods there are.
"""

from typing import Final

import msgspec

from nodewright.core.scheduling.selectors import Selector, read_selector
from nodewright.model.pod import Pod
from nodewright.model.resource import PODS, key_of
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.evictions import is_ready
from nodewright.sim.ground import Ground, Worklist
from nodewright.sim.objects import (
    BUDGETS,
    DEPLOYMENTS,
    PHASE_ENDED,
    REPLICA_SETS,
    STATEFUL_SETS,
    Budget,
    BudgetStatus,
)

_DELAY_MS: Final = 40
_ACTOR: Final = "disruption-controller"
_SCALED: Final = {"ReplicaSet": REPLICA_SETS, "StatefulSet": STATEFUL_SETS}


class _Members:
    """The pods of one budget: whether each is healthy, and who controls it."""

    def __init__(self, namespace: str, selector: Selector) -> None:
        self.namespace = namespace
        self.selector = selector
        self.pods: dict[str, bool] = {}
        self.controllers: dict[str, tuple[str, str]] = {}


class DisruptionController:
    """Keeps the status of PodDisruptionBudgets true."""

    def __init__(self, ground: Ground) -> None:
        self._api = ground.api
        self._members: dict[str, _Members] = {}
        self._work = Worklist(ground.loop, _DELAY_MS, self._count)
        self._api.listen(BUDGETS, self._budget_changed)
        self._api.listen(PODS, self._pod_changed)
        for resource in (DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS):
            self._api.listen(resource, self._scale_changed)
        for budget in self._api.each(BUDGETS):
            self._know(budget)

    def _budget_changed(self, change: Change) -> None:
        if change.verb == DELETED:
            self._members.pop(change.key, None)
        elif change.old is None or change.old.spec != change.new.spec:
            self._know(change.new)

    def _know(self, budget: Budget) -> None:
        key = key_of(budget.metadata)
        members = _Members(budget.metadata.namespace, read_selector(budget.spec.selector))
        self._members[key] = members
        for pod in self._api.each(PODS):
            self._take(members, pod)
        self._work.add(key)

    def _pod_changed(self, change: Change) -> None:
        for key, members in self._members.items():
            if members.namespace != change.new.metadata.namespace:
                continue
            if change.verb == DELETED:
                known = members.pods.pop(change.key, None)
                members.controllers.pop(change.key, None)
                if known is not None:
                    self._work.add(key)
            elif self._take(members, change.new):
                self._work.add(key)

    def _take(self, members: _Members, pod: Pod) -> bool:
        key = key_of(pod.metadata)
        belongs = (
            pod.metadata.namespace == members.namespace
            and pod.status.phase not in PHASE_ENDED
            and members.selector.selects(pod.metadata.labels)
        )
        if not belongs:
            return members.pods.pop(key, None) is not None
        healthy = is_ready(pod) and pod.metadata.deletion_timestamp is None
        if members.pods.get(key) is healthy:
            return False
        members.pods[key] = healthy
        owner = next((one for one in pod.metadata.owner_references if one.controller), None)
        members.controllers[key] = (owner.kind, owner.name) if owner else ("", "")
        return True

    def _scale_changed(self, change: Change) -> None:
        if change.old is not None and change.old.spec.replicas == change.new.spec.replicas:
            return
        for key, members in self._members.items():
            if members.namespace == change.new.metadata.namespace:
                self._work.add(key)

    def _count(self, key: str) -> None:
        members, budget = self._members.get(key), self._api.get(BUDGETS, key)
        if members is None or budget is None:
            return
        healthy = sum(members.pods.values())
        expected, desired = self._wanted(budget, members)
        allowed = max(0, healthy - desired) if expected > 0 else 0
        status = BudgetStatus(
            disruptions_allowed=allowed,
            current_healthy=healthy,
            desired_healthy=desired,
            expected_pods=expected,
            observed_generation=budget.metadata.generation,
        )
        self._api.change(
            BUDGETS, key, lambda one: msgspec.structs.replace(one, status=status), _ACTOR
        )

    def _wanted(self, budget: Budget, members: _Members) -> tuple[int, int]:
        spec, count = budget.spec, len(members.pods)
        least = spec.min_available
        if isinstance(least, int):
            return count, least
        expected = self._expected(members)
        if expected is None:
            return 0, count
        if least is not None:
            return expected, _share(least, expected)
        most = spec.max_unavailable
        missing = most if isinstance(most, int) else _share(most or "0%", expected)
        return expected, max(0, expected - missing)

    def _expected(self, members: _Members) -> int | None:
        owners = dict.fromkeys(members.controllers[key] for key in members.pods)
        roots: dict[tuple[str, str], int] = {}
        for kind, name in owners:
            resource = _SCALED.get(kind)
            owner = self._api.get(resource, f"{members.namespace}/{name}") if resource else None
            if owner is None:
                return None
            root, size = (kind, name), owner.spec.replicas
            for parent in owner.metadata.owner_references:
                above = self._api.get(DEPLOYMENTS, f"{members.namespace}/{parent.name}")
                if parent.kind == "Deployment" and above is not None:
                    root, size = ("Deployment", parent.name), above.spec.replicas
            roots[root] = 1 if size is None else size
        return sum(roots.values())


def _share(text: str, whole: int) -> int:
    return -(-int(text.removesuffix("%")) * whole // 100)
