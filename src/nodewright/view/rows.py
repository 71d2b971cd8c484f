"""Rows of nodes, made once: a node about which nothing new is known keeps its row."""

from collections.abc import Iterable

import msgspec

from nodewright.core.scheduling.hosts import Joined
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.view.nodes import Part
from nodewright.view.usage import Used
from nodewright.view.values import Amount, Nano, Next, NodeRow


class Facts(msgspec.Struct, frozen=True):
    """Everything that the row of a node is made of; equal facts make equal rows."""

    part: Part
    next: Next
    price: Nano | None = None
    is_estimate: bool = False
    idle: Nano | None = None
    used: Used | None = None
    detail: str = ""
    is_fault: bool = False
    coming: int = 0


class Rows:
    """Remembers the row of each node, and the facts that it was made of."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Facts, NodeRow]] = {}

    def of(self, name: str, one: Joined, facts: Facts) -> NodeRow:
        """Give the row of a node."""
        known = self._known.get(name)
        # A part stands for its node, claim and pods: another one of them makes another part.
        if known is not None and known[0] == facts:
            return known[1]
        row = _make(name, one, facts)
        self._known[name] = (facts, row)
        return row

    def keep_only(self, names: Iterable[str]) -> None:
        """Forget nodes that are gone."""
        for gone in self._known.keys() - set(names):
            del self._known[gone]


def _make(name: str, one: Joined, facts: Facts) -> NodeRow:
    part, used, labels = facts.part, facts.used, one.labels()
    return NodeRow(
        name=name,
        claim=one.claim.metadata.name if one.claim is not None else "",
        is_node=one.node is not None,
        node_pool=labels.get(NODEPOOL, ""),
        instance_type=labels.get(INSTANCE_TYPE, ""),
        capacity_type=labels.get(CAPACITY_TYPE, ""),
        zone=labels.get(ZONE, ""),
        cpu=Amount(part.cpu, part.cpu_room, used.cpu if used is not None else None),
        memory=Amount(part.memory, part.memory_room, used.memory if used is not None else None),
        pods=part.pods,
        pods_max=part.pods_max,
        pods_expected=facts.coming,
        price_nanousd_hour=facts.price,
        price_is_estimate=facts.is_estimate,
        idle_nanousd_hour=facts.idle,
        made_ms=part.made_ms,
        state=part.state.word,
        state_since_ms=part.state.since_ms,
        state_detail=facts.detail or part.state.detail,
        is_fault=facts.is_fault,
        next=facts.next,
    )
