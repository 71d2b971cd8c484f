"""Decisions of a journal as rows, and what each was about: pools, nodes, pods and money."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nodewright.journal.reading import Entry, Listing
from nodewright.journal.records import Decided
from nodewright.model.instant import print_instant
from nodewright.model.labels import NODEPOOL
from nodewright.model.resource import NODE_POOLS, NODES
from nodewright.view.values import Nano
from nodewright.web.answers.decisions import Decisions
from nodewright.web.answers.shared import DecisionRow
from nodewright.web.writing.numbers import write_money

_NODES_MAX: Final = 50

type Priced = Mapping[str, Nano | None]
"""What decisions add to the bill, by their ids, as far as that is known."""


def write_decisions(listing: Listing, prices: Priced, limit: int) -> Decisions:
    """Write a page of the timeline, the latest first."""
    rows = [write_row(one, prices) for one in reversed(listing.entries)]
    # A page that is full may have another one behind it.
    before = rows[-1].at if len(rows) >= limit else None
    return Decisions(tuple(rows), before, listing.problems)


def write_row(entry: Entry, prices: Priced) -> DecisionRow:
    """Write one decision in a line."""
    one, came_of = entry.decision, entry.outcome
    return DecisionRow(
        id=one.id,
        at=print_instant(one.at_ms),
        controller=one.controller,
        kind=one.kind,
        subject=one.subject,
        reason=one.reason,
        note=one.note,
        cause=one.cause,
        outcome=came_of.outcome if came_of is not None else "",
        message=came_of.message if came_of is not None else "",
        node_pool=pool_of(one),
        nodes=tuple(nodes_of(one))[:_NODES_MAX],
        pods=count_pods(one),
        price_per_hour=write_money(prices.get(one.id)),
    )


def claims_of(one: Decided) -> Iterator[Mapping[str, Any]]:
    """Give the claims that a decision makes."""
    made = one.content.get("claims")
    for claim in (one.content.get("claim"), *(made if isinstance(made, list | tuple) else ())):
        if isinstance(claim, Mapping):
            yield claim


def leaving_of(one: Decided) -> Iterator[Mapping[str, Any]]:
    """Give the nodes that go by a decision, as it wrote them."""
    leaving = one.content.get("leaving")
    for node in leaving if isinstance(leaving, list | tuple) else ():
        if isinstance(node, Mapping):
            yield node


def nodes_of(one: Decided) -> Iterator[str]:
    """Name the nodes and claims that a decision makes or takes away."""
    kind, _, name = one.subject.partition("/")
    if kind == NODES.name:
        yield name
    for node in leaving_of(one):
        yield str(node.get("node") or node.get("claim") or "")
    for claim in claims_of(one):
        yield name_of(claim)


def name_of(claim: Mapping[str, Any]) -> str:
    """Give the name of a claim."""
    metadata = claim.get("metadata")
    return str(metadata.get("name", "")) if isinstance(metadata, Mapping) else ""


def pool_of(one: Decided) -> str:
    """Give the pool that a decision is about."""
    kind, _, name = one.subject.partition("/")
    if kind == NODE_POOLS.name:
        return name
    for claim in claims_of(one):
        metadata = claim.get("metadata")
        labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
        if isinstance(labels, Mapping) and labels.get(NODEPOOL):
            return str(labels[NODEPOOL])
    return next((str(node.get("node_pool", "")) for node in leaving_of(one)), "")


def count_pods(one: Decided) -> int:
    """Count the pods that a decision makes room for or moves."""
    pods = one.content.get("pods")
    if isinstance(pods, list | tuple):
        return len(pods)
    return sum(len(node.get("pods") or ()) for node in leaving_of(one))
