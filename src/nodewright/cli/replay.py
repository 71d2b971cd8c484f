"""`nodewright replay`: a decision taken again from the snapshot it was taken on."""

from difflib import unified_diff
from typing import Annotated

import msgspec
from cyclopts import Parameter

from nodewright.cli.cluster import JournalSource, open_decisions
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.output import OutputOption, as_yaml, emit
from nodewright.journal.documents import DecisionDocument, write_entry
from nodewright.journal.reading import Entry, Found
from nodewright.journal.records import Decided
from nodewright.journal.replay import Difference, Replayed
from nodewright.journal.replay import replay as decide_again


class DifferenceDocument(msgspec.Struct, frozen=True):
    """A decision as it was and as it is now."""

    subject: str
    before: DecisionDocument | None
    after: DecisionDocument | None


class ReplayDocument(msgspec.Struct, frozen=True, rename="camel"):
    """What `replay -o json` prints."""

    decision: DecisionDocument
    same: bool
    decisions_before: int
    decisions_after: int
    differences: tuple[DifferenceDocument, ...] = ()


def replay(
    decision: Annotated[str, Parameter(help="The decision, such as D-0123456789ab.")],
    *,
    source: JournalSource = JournalSource(),  # noqa: B008 - frozen: sharing the default is safe
    output: OutputOption = "table",
) -> int:
    """Decide again on the World that a decision was taken on, and compare the whole answer.

    Nothing is changed anywhere. Without --journal and --api the controller of the live cluster is
    asked, through the Kubernetes API's port-forward. Status 0: the answer is the same. Status 1: it differs, and how.

    $ nodewright replay D-0123456789ab --context prod
    $ nodewright replay D-0123456789ab --journal /var/lib/nodewright/journal
    $ nodewright replay D-0123456789ab --api http://127.0.0.1:8082 -o json
    """
    found = open_decisions(source).find(decision)
    replayed = decide_again(found)
    emit(_document(found, replayed), output, lambda: _screen(found, replayed))
    return EXIT_FINE if replayed.is_same else EXIT_FOUND


def _document(found: Found, replayed: Replayed) -> ReplayDocument:
    return ReplayDocument(
        decision=write_entry(found.entry),
        same=replayed.is_same,
        decisions_before=replayed.count_before,
        decisions_after=replayed.count_after,
        differences=tuple(
            DifferenceDocument(one.subject, _written(one.before), _written(one.after))
            for one in replayed.differences
        ),
    )


def _written(one: Decided | None) -> DecisionDocument | None:
    return None if one is None else write_entry(Entry(one))


def _screen(found: Found, replayed: Replayed) -> str:
    one, look = found.entry.decision, found.look
    lines = [f"{one.id}  {one.kind} {one.subject}: {one.reason}", one.note]
    if replayed.is_same:
        lines.append(f"decided again, {look.controller} gives the same {look.count} decisions")
        return "\n".join(filter(None, lines))
    lines.append(
        f"decided again, {look.controller} gives {replayed.count_after} decisions "
        f"where it gave {replayed.count_before}"
    )
    for difference in replayed.differences:
        lines += _diff(difference)
    return "\n".join(filter(None, lines))


def _diff(one: Difference) -> list[str]:
    before, after = _lines(one.before), _lines(one.after)
    return list(unified_diff(before, after, "before", "after", lineterm=""))


def _lines(one: Decided | None) -> list[str]:
    return [] if one is None else as_yaml(write_entry(Entry(one))).splitlines()
