"""Metrics of disruption: commands by why and how, what became of them, and what budgets leave."""

from collections.abc import Callable, Sequence
from typing import Final

from nodewright.core.disrupting import PROPOSED
from nodewright.core.disruption.candidates import Census
from nodewright.core.disruption.decide import find_allowances
from nodewright.core.orchestration import FAILURES, running_of
from nodewright.model.command import COMMAND
from nodewright.model.decision import Change, Decision, Disrupt, Keep
from nodewright.model.disruption import EMPTY, Memory, Method
from nodewright.model.labels import CAPACITY_TYPE, NODEPOOL
from nodewright.model.resource import NODE_CLAIMS
from nodewright.model.world import World
from nodewright.observe.page import Page
from nodewright.ports.kube import Answer

NAME: Final = "disruption"
_PREFIX: Final = "karpenter_voluntary_disruption"
_NO_LIMIT: Final = 2**31 - 1
_TYPES: Final = {Method.EMPTINESS: "empty", Method.MULTI: "multi", Method.SINGLE: "single"}

type Count = Callable[..., None]


class Disruptions:
    """Counts what becomes of nodes that could go."""

    def __init__(self, count: Count, note: Count) -> None:
        self._count = count
        self._note = note
        self._proposed: dict[str, str] = {}
        self._eligible: dict[str, int] = {}

    def decided(self, decisions: Sequence[Decision], seconds: float) -> None:
        """Take note of an answer: who is to go, and who is not any more."""
        self._note(f"{_PREFIX}_decision_evaluation_duration_seconds", seconds, "all", "")
        begun = [one for one in decisions if isinstance(one, Disrupt)]
        proposed = {
            one.subject.name: one.note.partition(":")[0].lower()
            for one in decisions
            if isinstance(one, Keep) and one.reason == PROPOSED
        }
        going = {leaving.node for one in begun for leaving in one.leaving}
        for name, reason in self._proposed.items():
            if name not in proposed and name not in going:
                kind = "empty" if reason == EMPTY.lower() else "multi"
                self._count(f"{_PREFIX}_failed_validations_total", kind)
        self._proposed = proposed
        counts = list(proposed.values())
        counts += [one.reason.lower() for one in begun for _ in one.leaving]
        self._eligible = {reason: counts.count(reason) for reason in sorted(set(counts))}

    def begun(self, decision: Disrupt, world: World) -> None:
        """Count a command that was begun, and what was made for it."""
        record = decision.record
        row = (
            "replace" if decision.claims else "delete",
            record.reason.lower(),
            _TYPES.get(record.method, ""),
        )
        self._count(f"{_PREFIX}_decisions_total", *row)
        for pool in sorted({one.node_pool for one in decision.leaving}):
            self._count(f"{_PREFIX}_decisions_by_nodepool_total", *row, pool)
        for claim in decision.claims:
            pool = claim.metadata.labels.get(NODEPOOL, "")
            relaxed = claim.metadata.annotations.get(
                "karpenter.sh/nodeclaim-min-values-relaxed", "false"
            )
            reason = record.reason.lower()
            self._count("karpenter_nodeclaims_created_total", reason, pool, relaxed)
        labels = {one.metadata.name: one.metadata.labels for one in world.node_claims}
        for one in decision.leaving:
            capacity = labels.get(one.claim, {}).get(CAPACITY_TYPE, one.capacity_type)
            for _ in one.pods:
                self._count(
                    "karpenter_pods_disruption_initiated_total",
                    record.reason.lower(),
                    one.node_pool,
                    capacity,
                )

    def came_of(self, decision: Decision, answer: Answer) -> None:
        """Count nodes that stay because what was to replace them did not come."""
        if (
            isinstance(decision, Change)
            and answer.is_done
            and decision.reason in FAILURES
            and decision.subject.resource is NODE_CLAIMS
            and COMMAND in str(decision.change)
        ):
            self._count(f"{_PREFIX}_queue_failures_total", "replace", decision.reason, "")

    def fill(self, page: Page, world: World) -> None:
        """Write what budgets leave, and how many nodes could go."""
        for reason, count in self._eligible.items():
            page.set(f"{_PREFIX}_eligible_nodes", count, (reason,))
        census = Census(world)
        memory = Memory(running=running_of(census.joined, ()))
        for one in find_allowances(census, memory):
            row = (one.node_pool, one.reason.lower())
            allowed = _NO_LIMIT if one.allowed is None else one.allowed
            page.set("karpenter_nodepools_allowed_disruptions", allowed, row)
            page.set("karpenter_nodepools_nodes_consuming_budgets", one.used, row)
