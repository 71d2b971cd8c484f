"""`nodewright decisions`: what a controller decided, and what came of it."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from nodewright.app.journals import Decisions, PriceBook
from nodewright.cli.chains_view import chains_table, link_document
from nodewright.cli.cluster import JournalSource, open_decisions
from nodewright.cli.errors import CODE_USAGE, EXIT_FINE
from nodewright.cli.output import Cell, Column, ListOutputOption, Table, emit, say
from nodewright.journal.chains import find_links, follow
from nodewright.journal.documents import DecisionDocument, write_entry
from nodewright.journal.kin import Wanted as About
from nodewright.journal.reading import Filter
from nodewright.kube.machine import MachineClock
from nodewright.model.duration import BadDuration, parse_go_duration
from nodewright.model.errors import UserError
from nodewright.model.instant import BadInstant, parse_instant

_COLUMNS = tuple(
    Column(title)
    for title in ("AT", "ID", "CONTROLLER", "KIND", "SUBJECT", "REASON", "OUTCOME", "NOTE")
)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which decisions."""

    controller: Annotated[str, Parameter(help="Only those of this controller.")] = ""
    subject: Annotated[str, Parameter(help="Only those whose subject has this in its name.")] = ""
    node: Annotated[str, Parameter(help="Only those about this node, its claim included.")] = ""
    pod: Annotated[str, Parameter(help="Only those about this pod: NAMESPACE/NAME, or NAME.")] = ""
    pool: Annotated[str, Parameter(help="Only those about this NodePool and its nodes.")] = ""
    since: Annotated[str, Parameter(help="Only those since a time, or a while ago: 2h.")] = ""
    limit: Annotated[int, Parameter(help="At most so many, the latest.")] = 1_000
    chains: Annotated[
        bool, Parameter(help="Show what replaced what, and what that saved.", negative=())
    ] = False


def decisions(
    *,
    source: JournalSource = JournalSource(),  # noqa: B008 - frozen: sharing the default is safe
    wanted: Wanted = Wanted(),  # noqa: B008 - frozen: sharing the default is safe
    output: ListOutputOption = "table",
) -> int:
    """List the decisions of a controller, oldest first.

    Without --journal and --api the controller of the live cluster is asked, through the Kubernetes
    API's port-forward.

    $ nodewright decisions --context prod --since 2h
    $ nodewright decisions --journal /var/lib/nodewright/journal --since 2h
    $ nodewright decisions --api http://127.0.0.1:8082 --subject pods/shop/checkout
    $ nodewright decisions --journal journal --controller provisioning -o csv
    $ nodewright decisions --pod shop/checkout-6d9f-x2kqp --pool general
    $ nodewright decisions --chains --node ip-10-3-41.ec2.internal
    """
    since_ms = read_since(wanted.since, MachineClock().now_ms())
    journal = open_decisions(source)
    if wanted.chains:
        return _show_chains(journal, wanted, since_ms, output)
    about = About(wanted.node, wanted.pod, wanted.pool)
    limit = max(1, wanted.limit)
    listing = journal.entries(Filter(wanted.controller, wanted.subject, since_ms, limit, about))
    for problem in listing.problems:
        say(f"warning: {problem}")
    # They are written as looks end, and a long one may have begun before a short one.
    entries = sorted(listing.entries, key=lambda one: one.decision.at_ms)
    found = [write_entry(entry) for entry in entries]
    emit(found, output, lambda: Table(_COLUMNS, tuple(map(_row, found))))
    return EXIT_FINE


def _show_chains(
    journal: Decisions, wanted: Wanted, since_ms: int, output: ListOutputOption
) -> int:
    """Show the commands, or those of the chain that a node is part of; a chain needs all there is."""
    listing = journal.entries(Filter(about=About(pool=wanted.pool)))
    for problem in listing.problems:
        say(f"warning: {problem}")
    links = find_links(listing.entries, PriceBook(journal).price_of)
    if wanted.node:
        links = follow(links, wanted.node)
    links = [one for one in links if one.at_ms >= since_ms][-max(1, wanted.limit) :]
    emit([link_document(one) for one in links], output, lambda: chains_table(links))
    return EXIT_FINE


def read_since(written: str, now_ms: int) -> int:
    """Read an instant, or how long ago it was; nothing is the beginning of time."""
    if not written:
        return 0
    try:
        return parse_instant(written) if "-" in written else now_ms - parse_go_duration(written)
    except (BadInstant, BadDuration):
        raise UserError(
            f"--since: {written!r} is neither a time nor a while",
            code=CODE_USAGE,
            advice="write it like 2h30m, or like 2026-11-15T09:00:00Z",
        ) from None


def _row(one: DecisionDocument) -> tuple[str | Cell, ...]:
    outcome = one.outcome.outcome if one.outcome is not None else ""
    return (
        one.at,
        one.id,
        one.controller,
        one.kind,
        one.subject,
        one.reason,
        Cell(outcome, "green" if outcome in ("Done", "NothingToDo") else "yellow"),
        one.note,
    )
