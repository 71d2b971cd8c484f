"""Promises about disruption: no budget is ever exceeded, at no instant.

A node counts from the moment the controller says on its claim why it goes until it is gone or its
machine is ending.
What goes by force (age, a broken or interrupted machine, a hand) is nobody's choice and is not counted.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.core.disruption.policies import read_policies
from nodewright.model.command import DISRUPTION_REASON
from nodewright.model.cron import last_hit_ms, parse_schedule, read_zone
from nodewright.model.duration import parse_duration
from nodewright.model.labels import INITIALIZED, NODEPOOL
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepolicy import PolicyBudget
from nodewright.model.nodepool import Budget, NodePool
from nodewright.model.resource import NODE_CLAIMS, NODE_POLICIES, NODE_POOLS, NODES
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.checkers.checker import Checker, Scene, is_controller

_AMOUNT: Final = re.compile(r"(\d+)(%?)")
_MEMORY_MS: Final = 30_000
"""What was decided on a cluster of a moment ago may be carried out on one that is a little smaller."""

_WEEK_MS: Final = 7 * 24 * 3_600_000


class _Bound(msgspec.Struct, frozen=True):
    """How many nodes a budget allows, at once or in a length of time."""

    written: str
    allowed: int
    per_ms: int | None = None


class NodeBudgets(Checker):
    """No more nodes of a pool are being disrupted than its budgets and those of its policies allow."""

    name = "node-budgets"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._totals: dict[str, list[tuple[int, int]]] = {}
        self._asked_ms: dict[str, list[tuple[int, str]]] = {}
        self._working: Counter[str] = Counter()
        self.api.listen(NODE_CLAIMS, self._claim_changed)
        self.api.listen(NODES, self._node_changed)

    def _node_changed(self, change: Change) -> None:
        old, new = change.old, change.new
        before = _working_in(old) if old is not None else None
        after = _working_in(new) if change.verb != DELETED else None
        if before == after:
            return
        for pool, step in ((before, -1), (after, 1)):
            if pool is not None:
                self._working[pool] += step
        if (before is None) != (after is None):
            pool = new.metadata.labels.get(NODEPOOL, "")
            self._remember(pool, self._working[pool] + (after is None))

    def _claim_changed(self, change: Change) -> None:
        if change.verb == DELETED or not is_controller(change.actor):
            return
        is_new = change.old is None or not reason_of(change.old)
        reason = reason_of(change.new)
        pool: NodePool | None = self.api.get(
            NODE_POOLS, change.new.metadata.labels.get(NODEPOOL, "")
        )
        if not is_new or not reason or pool is None:
            return
        name, now_ms = pool.metadata.name, self.loop.now_ms()
        going = self._going(name)
        asked = [one for one in self._asked_ms.get(name, ()) if now_ms - one[0] < _WEEK_MS]
        self._asked_ms[name] = [*asked, (now_ms, change.new.metadata.name)]
        total = self._remember(name, self._working[name])
        for bound in self._bounds(pool, reason, total):
            if bound.per_ms is None:
                count = len(going)
            else:
                lately = [one for one in self._asked_ms[name] if now_ms - one[0] < bound.per_ms]
                # A node that was let off and asked again went once.
                count = len({claim for _, claim in lately})
            if count > bound.allowed:
                self.complain(
                    f"{count} nodes of NodePool {name} are being disrupted, and its budget "
                    f"of {bound.written} allows {bound.allowed} of {total}",
                    *(f"nodeclaims/{one.metadata.name}" for one in going),
                )

    def _going(self, pool: str) -> list[NodeClaim]:
        there = {node.spec.provider_id for node in self.api.each(NODES)}
        return [
            claim
            for claim in self.api.each(NODE_CLAIMS)
            if claim.metadata.labels.get(NODEPOOL) == pool
            and reason_of(claim)
            and claim.status.provider_id in there
            and not _is_true(claim, "InstanceTerminating")
        ]

    def _bounds(self, pool: NodePool, reason: str, total: int) -> Iterator[_Bound]:
        """Give what holds for a pool and a reason now, and held a moment ago."""
        moments = (self.loop.now_ms(), self.loop.now_ms() - _MEMORY_MS)
        for budget in pool.spec.disruption.budgets:
            if _speaks_of(budget, reason) and all(_is_open(budget, at_ms) for at_ms in moments):
                yield _Bound(budget.nodes, _amount(budget.nodes, total))
        policies = read_policies((pool,), self.api.each(NODE_POLICIES))
        for own in policies[pool.metadata.name].budgets:
            if not _speaks_of(own, reason) or own.not_before or own.not_after:
                continue
            if not all(_is_open(own, at_ms) for at_ms in moments):
                continue
            if own.nodes is not None:
                yield _Bound(own.nodes, _amount(own.nodes, total))
            if own.rate is not None:
                per_ms = parse_duration(own.rate.per) - _MEMORY_MS
                written = f"{own.rate.nodes} in {own.rate.per}"
                yield _Bound(written, _amount(own.rate.nodes, total), per_ms)

    def _remember(self, pool: str, total: int) -> int:
        """Give the largest size that a pool had a moment ago."""
        now_ms = self.loop.now_ms()
        kept = [one for one in self._totals.get(pool, []) if now_ms - one[0] < _MEMORY_MS]
        self._totals[pool] = [*kept, (now_ms, total)]
        return max(one for _, one in self._totals[pool])


def _working_in(node: Node) -> str | None:
    """Give the pool of a node that has begun to work; nothing before that."""
    labels = node.metadata.labels
    return labels.get(NODEPOOL, "") if labels.get(INITIALIZED) == "true" else None


def reason_of(claim: NodeClaim) -> str:
    """Give why the controller wants a claim to go; nothing where it does not."""
    for one in claim.status.conditions:
        if one.type == DISRUPTION_REASON and one.status == "True":
            return one.reason
    return ""


def _is_true(claim: NodeClaim, kind: str) -> bool:
    return any(one.type == kind and one.status == "True" for one in claim.status.conditions)


def _speaks_of(budget: Budget | PolicyBudget, reason: str) -> bool:
    return budget.reasons is None or reason in budget.reasons


def _is_open(budget: Budget | PolicyBudget, at_ms: int) -> bool:
    """Tell whether the window of a budget is open; one without a window always is."""
    if budget.schedule is None or budget.duration is None:
        return True
    zone = budget.time_zone if isinstance(budget, PolicyBudget) else None
    hit_ms = last_hit_ms(parse_schedule(budget.schedule), at_ms, read_zone(zone))
    return hit_ms is not None and at_ms - hit_ms <= parse_duration(budget.duration)


def _amount(written: str, total: int) -> int:
    found = _AMOUNT.fullmatch(written)
    if found is None:
        return 0
    number = int(found[1])
    return -(-number * total // 100) if found[2] else number
