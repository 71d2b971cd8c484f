"""Metrics of disruption: commands by why and how, what became of them, and what budgets leave."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from nodewright.core.disrupting import PROPOSED
from nodewright.core.disruption.candidates import Census
from nodewright.core.disruption.decide import find_allowances
from nodewright.core.disruption.forceful import matching
from nodewright.core.disruption.protection import has_to_move
from nodewright.core.disruption.worth import BALANCED
from nodewright.core.orchestration import FAILURES, running_of
from nodewright.model.command import COMMAND, Record, read_record
from nodewright.model.decision import Change, Decision, Delete, Disrupt, Keep, Tell
from nodewright.model.disruption import (
    DRIFTED,
    EMPTY,
    UNDERUTILIZED,
    UNHEALTHY,
    Memory,
    Method,
)
from nodewright.model.duration import BadDuration, parse_duration
from nodewright.model.keeping import Keeping
from nodewright.model.labels import CAPACITY_TYPE, NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODES
from nodewright.model.world import World
from nodewright.observe.families_disruption import PREFIX
from nodewright.observe.fresh import code_of
from nodewright.observe.page import Page
from nodewright.ports.kube import Answer

NAME: Final = "disruption"
REPAIR: Final = "repair"
_NO_LIMIT: Final = 2**31 - 1
_TYPES: Final = {Method.EMPTINESS: "empty", Method.MULTI: "multi", Method.SINGLE: "single"}
_ASKED: Final = (
    (EMPTY.lower(), "empty"),
    (DRIFTED.lower(), ""),
    (UNDERUTILIZED.lower(), "multi"),
    (UNDERUTILIZED.lower(), "single"),
)
"""The methods of one look, as metrics name them."""

_FOR_MONEY: Final = (EMPTY.lower(), UNDERUTILIZED.lower())

type Count = Callable[..., None]


class Disruptions:
    """Counts what becomes of nodes that could go."""

    def __init__(self, count: Count, note: Count) -> None:
        self._count = count
        self._note = note
        self._proposed: dict[str, str] = {}
        self._eligible: dict[str, int] = {}
        self._broken: dict[str, str] = {}

    def decided(
        self, decisions: Sequence[Decision], fresh: Sequence[Decision], seconds: float
    ) -> None:
        """Take note of an answer: who is to go, who is not any more, and what is newly refused."""
        for row in _ASKED:
            self._note(f"{PREFIX}_decision_evaluation_duration_seconds", seconds, *row)
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
                self._count(f"{PREFIX}_failed_validations_total", kind)
        self._proposed = proposed
        counts = list(proposed.values())
        counts += [one.reason.lower() for one in begun for _ in one.leaving]
        self._eligible = {reason: counts.count(reason) for reason, _ in _ASKED}
        if any(code_of(one) == Keeping.NOT_REACHED.code for one in decisions):
            self._count(f"{PREFIX}_consolidation_timeouts_total", "multi")
        for one in fresh:
            if isinstance(one, Tell) and one.subject.resource is NODES:
                self._refused(one)

    def _refused(self, told: Tell) -> None:
        if code_of(told) == Keeping.SCORE_TOO_LOW.code:
            row = ("rejected", told.facts.get("pool", ""), BALANCED)
            self._count("karpenter_consolidation_moves_total", *row)
            self._note("karpenter_consolidation_score", float(told.facts.get("score", "0")), *row)

    def repaired(self, world: World, decisions: Sequence[Decision]) -> None:
        """Take note of the conditions for which nodes are ended as broken."""
        ended = {
            one.subject.name
            for one in decisions
            if isinstance(one, Delete) and one.reason == UNHEALTHY.lower()
        }
        nodes = {node.spec.provider_id: node for node in world.nodes}
        self._broken = {}
        for claim in world.node_claims:
            node = nodes.get(claim.status.provider_id)
            if claim.metadata.name in ended and node is not None:
                found = matching(node, world.beside.repair_rules)
                first = min(found, key=lambda pair: pair[1] + pair[0].after_ms, default=None)
                self._broken[claim.metadata.name] = first[0].condition if first else ""

    def begun(self, decision: Disrupt, world: World) -> None:
        """Count a command that was begun, and what was made for it."""
        record, pools = decision.record, sorted({one.node_pool for one in decision.leaving})
        row = _row(record)
        self._count(f"{PREFIX}_decisions_total", *row)
        policies = _policies(world)
        for pool in pools:
            self._count(f"{PREFIX}_decisions_by_nodepool_total", *row, pool)
            if record.reason == UNDERUTILIZED:
                move = ("approved", pool, policies.get(pool, ""))
                self._count("karpenter_consolidation_moves_total", *move)
        for score in decision.scores:
            move = ("approved", score.node_pool, BALANCED)
            self._note("karpenter_consolidation_score", score.score / 1000, *move)
        for claim in decision.claims:
            pool = claim.metadata.labels.get(NODEPOOL, "")
            relaxed = claim.metadata.annotations.get(
                "karpenter.sh/nodeclaim-min-values-relaxed", "false"
            )
            reason = record.reason.lower()
            self._count("karpenter_nodeclaims_created_total", reason, pool, relaxed)

    def deleted(self, decision: Delete, world: World) -> None:
        """Count a claim that was deleted for a reason of ours, and the pods that have to move for it."""
        name, reason = decision.subject.name, decision.reason
        claim = next((one for one in world.node_claims if one.metadata.name == name), None)
        labels = claim.metadata.labels if claim is not None else {}
        pool, capacity = labels.get(NODEPOOL, ""), labels.get(CAPACITY_TYPE, "")
        policy = _policies(world).get(pool, "") if reason in _FOR_MONEY else ""
        row = (reason, pool, capacity, policy, _mode(claim))
        self._count("karpenter_nodeclaims_disrupted_total", *row)
        node = claim.status.node_name if claim is not None else ""
        for pod in world.pods if node else ():
            if pod.spec.node_name == node and has_to_move(pod):
                self._count("karpenter_pods_disruption_initiated_total", *row)
        if reason == UNHEALTHY.lower():
            image = claim.status.image_id if claim is not None else ""
            condition = self._broken.pop(name, "")
            bad = (condition, pool, capacity, image)
            self._count("karpenter_nodeclaims_unhealthy_disrupted_total", *bad)

    def came_of(self, decision: Decision, answer: Answer, world: World) -> None:
        """Count nodes that stay because what was to replace them did not come."""
        if (
            isinstance(decision, Change)
            and answer.is_done
            and decision.reason in FAILURES
            and decision.subject.resource is NODE_CLAIMS
            and COMMAND in str(decision.change)
        ):
            name = decision.subject.name
            found = (one for one in world.node_claims if one.metadata.name == name)
            record = next(filter(None, map(read_record, found)), None)
            row = _row(record) if record is not None else ("replace", "", "")
            self._count(f"{PREFIX}_queue_failures_total", *row)

    def fill(self, page: Page, world: World) -> None:
        """Write what budgets leave, and how many nodes could go."""
        for reason, count in self._eligible.items():
            page.set(f"{PREFIX}_eligible_nodes", count, (reason,))
        census = Census(world)
        memory = Memory(running=running_of(census.joined, ()))
        for one in find_allowances(census, memory):
            row = (one.node_pool, one.reason.lower())
            allowed = _NO_LIMIT if one.allowed is None else one.allowed
            page.set("karpenter_nodepools_allowed_disruptions", allowed, row)
            page.set("karpenter_nodepools_nodes_consuming_budgets", one.used, row)


def _row(record: Record) -> tuple[str, str, str]:
    kind = "replace" if record.replacements else "delete"
    return kind, record.reason.lower(), _TYPES.get(record.method, "")


def _policies(world: World) -> Mapping[str, str]:
    return {
        pool.metadata.name: pool.spec.disruption.consolidation_policy for pool in world.node_pools
    }


def _mode(claim: NodeClaim | None) -> str:
    """Say how the pods of a claim are drained: as long as it takes, at once, or until a deadline."""
    written = claim.spec.termination_grace_period if claim is not None else None
    if written is None:
        return "graceful"
    try:
        return "eventual" if parse_duration(written) > 0 else "forceful"
    except BadDuration:
        return "graceful"
