"""Promises about disruption: a NodePool's budget is never exceeded, at no instant.

A node counts from the moment the controller says on its claim why it goes until it is gone or its
machine is ending.
What goes by force (age, a broken or interrupted machine, a hand) is nobody's choice and is not counted.
"""

import re
from typing import Final

from nodewright.model.command import DISRUPTION_REASON
from nodewright.model.labels import INITIALIZED, NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import Budget, NodePool
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.checkers.checker import Checker, Scene, is_controller

_AMOUNT: Final = re.compile(r"(\d+)(%?)")
_MEMORY_MS: Final = 30_000
"""What was decided on a cluster of a moment ago may be carried out on one that is a little smaller."""


class NodeBudgets(Checker):
    """No more nodes of a pool are being disrupted than its budgets allow; those with a schedule aside."""

    name = "node-budgets"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._totals: dict[str, list[tuple[int, int]]] = {}
        self.api.listen(NODE_CLAIMS, self._claim_changed)
        self.api.listen(NODES, self._node_changed)

    def _node_changed(self, change: Change) -> None:
        old, new = change.old, change.new
        before = old is not None and old.metadata.labels.get(INITIALIZED) == "true"
        after = change.verb != DELETED and new.metadata.labels.get(INITIALIZED) == "true"
        if before != after:
            pool = (new or old).metadata.labels.get(NODEPOOL, "")
            self._remember(pool, self._count(pool) + (before and not after))

    def _claim_changed(self, change: Change) -> None:
        if change.verb == DELETED or not is_controller(change.actor):
            return
        is_new = change.old is None or not _reason_of(change.old)
        reason = _reason_of(change.new)
        pool: NodePool | None = self.api.get(
            NODE_POOLS, change.new.metadata.labels.get(NODEPOOL, "")
        )
        if not is_new or not reason or pool is None:
            return
        there = {node.spec.provider_id for node in self.api.each(NODES)}
        going = [
            claim
            for claim in self.api.each(NODE_CLAIMS)
            if claim.metadata.labels.get(NODEPOOL) == pool.metadata.name
            and _reason_of(claim)
            and claim.status.provider_id in there
            and not _is_true(claim, "InstanceTerminating")
        ]
        name = pool.metadata.name
        total = self._remember(name, self._count(name))
        for budget in pool.spec.disruption.budgets:
            allowed = _allowed(budget, total)
            if budget.schedule is None and _speaks_of(budget, reason) and len(going) > allowed:
                self.complain(
                    f"{len(going)} nodes of NodePool {name} are being disrupted, and its budget "
                    f"of {budget.nodes} allows {allowed} of {total}",
                    *(f"nodeclaims/{one.metadata.name}" for one in going),
                )

    def _count(self, pool: str) -> int:
        return sum(
            node.metadata.labels.get(NODEPOOL) == pool
            and node.metadata.labels.get(INITIALIZED) == "true"
            for node in self.api.each(NODES)
        )

    def _remember(self, pool: str, total: int) -> int:
        """Give the largest size that a pool had a moment ago."""
        now_ms = self.loop.now_ms()
        kept = [one for one in self._totals.get(pool, []) if now_ms - one[0] < _MEMORY_MS]
        self._totals[pool] = [*kept, (now_ms, total)]
        return max(one for _, one in self._totals[pool])


def _reason_of(claim: NodeClaim) -> str:
    for one in claim.status.conditions:
        if one.type == DISRUPTION_REASON and one.status == "True":
            return one.reason
    return ""


def _is_true(claim: NodeClaim, kind: str) -> bool:
    return any(one.type == kind and one.status == "True" for one in claim.status.conditions)


def _speaks_of(budget: Budget, reason: str) -> bool:
    return budget.reasons is None or reason in budget.reasons


def _allowed(budget: Budget, total: int) -> int:
    found = _AMOUNT.fullmatch(budget.nodes)
    if found is None:
        return 0
    number = int(found[1])
    return -(-number * total // 100) if found[2] else number
