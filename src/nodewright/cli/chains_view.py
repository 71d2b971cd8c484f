"""Replacement chains as a table and as documents: what went, what came, what it saved."""

from collections.abc import Sequence

import msgspec

from nodewright.app.planning import money
from nodewright.cli.output import Cell, Column, Table
from nodewright.journal.chains import Link, Machine
from nodewright.model.instance import NanoUSD
from nodewright.model.instant import print_instant

_COLUMNS = (
    Column("AT"), Column("ID"), Column("REASON"), Column("STATE"), Column("GONE"),
    Column("REPLACED BY"), Column("SAVED/H", right=True),
)  # fmt: skip


class MachineDocument(msgspec.Struct, frozen=True, rename="camel"):
    """A node of a chain; the price is null where it is not known."""

    claim: str
    node: str
    instance_type: str
    zone: str
    capacity_type: str
    price_per_hour: float | None


class LinkDocument(msgspec.Struct, frozen=True, rename="camel"):
    """One command of a chain; what it saved is null where a price is not known."""

    decision: str
    at: str
    reason: str
    state: str
    gone: tuple[MachineDocument, ...]
    made: tuple[MachineDocument, ...]
    saved_per_hour: float | None


def link_document(link: Link) -> LinkDocument:
    """Write one link for programs."""
    return LinkDocument(
        decision=link.decision,
        at=print_instant(link.at_ms),
        reason=link.reason,
        state=link.state,
        gone=tuple(map(_machine, link.gone)),
        made=tuple(map(_machine, link.made)),
        saved_per_hour=None if link.saved is None else money(link.saved),
    )


def chains_table(links: Sequence[Link]) -> Table:
    """Show links for people, with their sum."""
    known = [one.saved for one in links if one.saved is not None]
    total = (
        f"together {_amount(NanoUSD(sum(known)))} an hour, by {len(known)} of {len(links)} commands"
    )
    return Table(_COLUMNS, tuple(map(_row, links)), (total,) if links else ())


def _row(link: Link) -> tuple[str | Cell, ...]:
    saved = Cell("?")
    if link.saved is not None:
        saved = Cell(_amount(link.saved), "green" if link.saved >= 0 else "yellow")
    return (
        print_instant(link.at_ms),
        link.decision,
        link.reason,
        link.state,
        ", ".join(map(_words, link.gone)),
        ", ".join(map(_words, link.made)) or "nothing",
        saved,
    )


def _words(one: Machine) -> str:
    price = "?" if one.price is None else f"{money(one.price):.4f}"
    what = f" ({one.instance_type} {one.capacity_type} {price})" if one.instance_type else ""
    return f"{one.node or one.claim}{what}"


def _amount(saved: NanoUSD) -> str:
    return f"{money(saved):.4f}"


def _machine(one: Machine) -> MachineDocument:
    price = None if one.price is None else money(one.price)
    return MachineDocument(
        one.claim, one.node, one.instance_type, one.zone, one.capacity_type, price
    )
