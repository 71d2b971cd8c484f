"""Replacement chains: which nodes went, what came in their place, and whether that saved money.

A command takes nodes away and may make others first. What a new node became is known from its
registration; whether it went later is the next link. What a link saved is what its nodes cost, less what
those cost that really came; where a price is not known, neither is the saving.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from nodewright.journal.kin import split_subject
from nodewright.journal.reading import Entry
from nodewright.journal.records import Decided
from nodewright.model.instance import NanoUSD
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, ZONE
from nodewright.model.resource import NODE_CLAIMS, NODES

_DONE: Final = "Done"

type PriceOf = Callable[[str, Mapping[str, str]], NanoUSD | None]
"""Gives what a node with these labels cost in the World of a decision."""


class Machine(msgspec.Struct, frozen=True):
    """A node of a link: what it is, where, and what it costs an hour, as far as that is known."""

    claim: str
    node: str = ""
    instance_type: str = ""
    zone: str = ""
    capacity_type: str = ""
    price: NanoUSD | None = None


class Link(msgspec.Struct, frozen=True):
    """One command: what went, what came, and what it saved an hour; nothing where that is not known."""

    decision: str
    at_ms: int
    reason: str
    gone: tuple[Machine, ...]
    made: tuple[Machine, ...] = ()
    state: str = "begun"
    saved: NanoUSD | None = None


def find_links(entries: Sequence[Entry], price_of: PriceOf) -> list[Link]:
    """Give every command that was begun, in order."""
    facts = _Facts(one.decision for one in entries)
    return [
        _link(entry, facts, price_of)
        for entry in entries
        if entry.decision.kind == "Disrupt"
        and (entry.outcome is None or entry.outcome.outcome == _DONE)
    ]


def follow(links: Iterable[Link], node: str) -> list[Link]:
    """Give the links that a node is part of: what it replaced, what replaced it, and so on."""
    every, names = list(links), {node}
    while True:
        found = [one for one in every if names & _names(one)]
        wider = names.union(*map(_names, found))
        if wider == names:
            return found
        names = wider


class _Facts:
    """What the decisions tell about claims and nodes."""

    def __init__(self, decisions: Iterable[Decided]) -> None:
        self.node_of: dict[str, str] = {}
        self.labels: dict[str, Mapping[str, str]] = {}
        self.gone: set[str] = set()
        for one in decisions:
            kind, name = split_subject(one.subject)
            change: Any = one.content.get("change") or {}
            if kind == NODE_CLAIMS.kind:
                if (change.get("status") or {}).get("nodeName"):
                    self.node_of[name] = change["status"]["nodeName"]
                if one.kind == "Release":
                    self.gone.add(name)
            elif kind == NODES.kind and one.reason == "Registration":
                self.labels[name] = (change.get("metadata") or {}).get("labels") or {}


def _link(entry: Entry, facts: _Facts, price_of: PriceOf) -> Link:
    one, content = entry.decision, entry.decision.content
    leaving: Any = content.get("leaving") or ()
    gone = tuple(
        Machine(
            claim=each["claim"],
            node=each["node"],
            instance_type=each["instance_type"],
            zone=each["zone"],
            capacity_type=each["capacity_type"],
            price=NanoUSD(each["price"]) if each["price"] else None,
        )
        for each in leaving
    )
    record: Any = content.get("record") or {}
    made = tuple(_made(name, one.id, facts, price_of) for name in record.get("replacements") or ())
    is_over = bool(gone) and all(each.claim in facts.gone for each in gone)
    return Link(
        decision=one.id,
        at_ms=one.at_ms,
        reason=one.reason,
        gone=gone,
        made=made,
        state="done" if is_over else "begun",
        saved=_saved(gone, made),
    )


def _made(claim: str, decision: str, facts: _Facts, price_of: PriceOf) -> Machine:
    node = facts.node_of.get(claim, "")
    labels = facts.labels.get(node)
    if labels is None:
        return Machine(claim=claim, node=node)
    return Machine(
        claim=claim,
        node=node,
        instance_type=labels.get(INSTANCE_TYPE, ""),
        zone=labels.get(ZONE, ""),
        capacity_type=labels.get(CAPACITY_TYPE, ""),
        price=price_of(decision, labels),
    )


def _saved(gone: Iterable[Machine], made: Iterable[Machine]) -> NanoUSD | None:
    before, after = [one.price for one in gone], [one.price for one in made]
    known = [one for one in (*before, *after) if one is not None]
    if len(known) < len(before) + len(after):
        return None
    return NanoUSD(sum(known[: len(before)]) - sum(known[len(before) :]))


def _names(link: Link) -> set[str]:
    machines = (*link.gone, *link.made)
    return {name for one in machines for name in (one.node, one.claim) if name}
