"""Decisions as the API and the commands write them: times as RFC 3339, the outcome beside."""

from collections.abc import Mapping

import msgspec

from nodewright.journal.reading import Entry, Found
from nodewright.journal.records import CameOf, Decided, Look, WorldRef
from nodewright.model.decision import Basis
from nodewright.model.instant import parse_instant, print_instant


class Document(msgspec.Struct, frozen=True, rename="camel"):
    """Something published, with fields in Kubernetes' spelling."""


class OutcomeDocument(Document, frozen=True):
    """What came of acting on a decision."""

    at: str
    outcome: str
    message: str = ""
    duration_ms: int = 0


class DecisionDocument(Document, frozen=True):
    """One decision."""

    id: str
    at: str
    controller: str
    kind: str
    subject: str
    reason: str
    note: str = ""
    outcome: OutcomeDocument | None = None
    cause: str = ""
    look: str = ""
    uid: str = ""
    basis: Basis = ()
    content: Mapping[str, object] = {}


class LookDocument(Document, frozen=True):
    """The look at which a decision was taken."""

    id: str
    controller: str
    at: str
    cause: str
    duration_ms: int
    count: int
    answer: str


class ListDocument(Document, frozen=True):
    """Decisions, oldest first, and what of the journal could not be read."""

    decisions: tuple[DecisionDocument, ...]
    problems: tuple[str, ...] = ()


class FoundDocument(Document, frozen=True):
    """A decision with its look, and all that was new at that look."""

    decision: DecisionDocument
    look: LookDocument
    siblings: tuple[DecisionDocument, ...] = ()


def write_entry(entry: Entry) -> DecisionDocument:
    """Write a decision with what came of it."""
    one, came_of = entry.decision, entry.outcome
    outcome = None
    if came_of is not None:
        outcome = OutcomeDocument(
            print_instant(came_of.at_ms), came_of.outcome, came_of.message, came_of.duration_ms
        )
    return DecisionDocument(
        id=one.id,
        at=print_instant(one.at_ms),
        controller=one.controller,
        kind=one.kind,
        subject=one.subject,
        reason=one.reason,
        note=one.note,
        outcome=outcome,
        cause=one.cause,
        look=one.look,
        uid=one.uid,
        basis=one.basis,
        content=one.content,
    )


def write_found(found: Found) -> FoundDocument:
    """Write a decision with its look."""
    look = found.look
    return FoundDocument(
        decision=write_entry(found.entry),
        look=LookDocument(
            id=look.id,
            controller=look.controller,
            at=print_instant(look.at_ms),
            cause=look.cause,
            duration_ms=look.duration_ms,
            count=look.count,
            answer=look.answer,
        ),
        siblings=tuple(write_entry(Entry(one)) for one in found.siblings),
    )


def read_found(written: FoundDocument, document: bytes) -> Found:
    """Read a decision that was published, with the snapshot document of its World."""
    look = written.look
    nothing = msgspec.Raw(b"null")
    return Found(
        entry=read_entry(written.decision),
        look=Look(
            id=look.id,
            controller=look.controller,
            at_ms=parse_instant(look.at),
            cause=look.cause,
            duration_ms=look.duration_ms,
            count=look.count,
            answer=look.answer,
            world=WorldRef("", {}, {}, nothing, nothing),
        ),
        siblings=tuple(read_entry(one).decision for one in written.siblings),
        document=document,
    )


def read_entry(written: DecisionDocument) -> Entry:
    """Read one decision that was published."""
    decision = Decided(
        id=written.id,
        look=written.look,
        at_ms=parse_instant(written.at),
        controller=written.controller,
        kind=written.kind,
        subject=written.subject,
        reason=written.reason,
        uid=written.uid,
        note=written.note,
        cause=written.cause,
        basis=written.basis,
        content=dict(written.content),
    )
    said = written.outcome
    if said is None:
        return Entry(decision)
    at_ms = parse_instant(said.at)
    return Entry(decision, CameOf(written.id, at_ms, said.outcome, said.message, said.duration_ms))
