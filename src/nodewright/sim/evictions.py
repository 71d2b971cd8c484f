"""Eviction: a pod is asked to leave, and its disruption budgets have a say.

The budget controller's last count decides, as on a real cluster: each eviction takes one from
`disruptionsAllowed` at once, and the controller corrects the number when it next looks. A pod that
is not ready may always go when its budget says AlwaysAllow, or when the budget is met anyway. A pod
that is pending or at its end is not protected.
"""

from typing import Final

import msgspec

from nodewright.core.scheduling.selectors import Selector, read_selector
from nodewright.model.pod import Pod
from nodewright.model.resource import PODS, key_of
from nodewright.sim.apiserver import ApiServer, Change
from nodewright.sim.objects import BUDGETS, PHASE_ENDED, Budget
from nodewright.sim.refusals import Preconditions, Refused, too_many

RETRY_MS: Final = 10_000
_replace = msgspec.structs.replace


class Evictions:
    """The eviction subresource of pods."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api
        self._selectors: dict[str, tuple[str, Selector]] = {}
        api.listen(BUDGETS, self._budget_changed)
        for budget in api.each(BUDGETS):
            self._know(budget)

    def budgets_of(self, pod: Pod) -> list[Budget]:
        """Give the budgets that protect a pod."""
        if not self._selectors:
            return []
        namespace = pod.metadata.namespace
        found = []
        for key, (place, selector) in self._selectors.items():
            if place == namespace and selector.selects(pod.metadata.labels):
                budget = self._api.get(BUDGETS, key)
                if budget is not None:
                    found.append(budget)
        return found

    def evict(self, key: str, actor: str, uid: str = "", grace_s: int | None = None) -> None:
        """Delete a pod unless a budget forbids it (429), or several protect it (500)."""
        pod = self._api.need(PODS, key)
        wanted = Preconditions(uid=uid)
        if not pod.spec.node_name or pod.status.phase in PHASE_ENDED:
            self._api.delete(PODS, key, actor, wanted, grace_s)
            return
        budgets = self.budgets_of(pod)
        if len(budgets) > 1:
            raise Refused(
                500,
                "InternalError",
                "This pod has more than one PodDisruptionBudget, which the eviction subresource "
                "does not support.",
            )
        if budgets and pod.metadata.deletion_timestamp is None:
            self._spend(pod, budgets[0])
        self._api.delete(PODS, key, actor, wanted, grace_s)

    def _spend(self, pod: Pod, budget: Budget) -> None:
        status = budget.status
        if not is_ready(pod):
            always = budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow"
            met = status.current_healthy >= status.desired_healthy and status.desired_healthy > 0
            if always or met:
                return
        name = budget.metadata.name
        if status.observed_generation < budget.metadata.generation:
            raise too_many(f"The disruption budget {name} is still being processed.", RETRY_MS)
        if status.disruptions_allowed <= 0:
            raise too_many(
                "Cannot evict pod as it would violate the pod's disruption budget: "
                f"{name} needs {status.desired_healthy} healthy pods and has "
                f"{status.current_healthy} currently",
                None,
            )
        self._api.change(
            BUDGETS,
            key_of(budget.metadata),
            lambda one: _replace(
                one,
                status=_replace(one.status, disruptions_allowed=one.status.disruptions_allowed - 1),
            ),
            "eviction",
        )

    def _budget_changed(self, change: Change) -> None:
        if change.verb == "DELETED":
            self._selectors.pop(change.key, None)
        else:
            self._know(change.new)

    def _know(self, budget: Budget) -> None:
        meta = budget.metadata
        self._selectors[key_of(meta)] = (meta.namespace, read_selector(budget.spec.selector))


def is_ready(pod: Pod) -> bool:
    """Tell whether a pod counts as healthy."""
    return any(one.type == "Ready" and one.status == "True" for one in pod.status.conditions)
