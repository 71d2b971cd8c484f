"""What others see of a running controller: probes, metrics, journal, traces, and the status at a glance."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

from nodewright.app.bounding import BoundKeeper
from nodewright.app.journaling import Kept, Serve, Sight, keep_journal
from nodewright.app.pages import Page, serve_pages
from nodewright.app.settings import Order
from nodewright.app.spans import read_endpoint, tracing
from nodewright.journal.copying import Copier
from nodewright.kube.health import say_fine, serve_probes
from nodewright.kube.session import Session
from nodewright.model.world import World
from nodewright.observe.hearing import Hearing
from nodewright.observe.logs import Log
from nodewright.observe.metrics import LEADING, Metrics
from nodewright.observe.status import Condition, Latest, Replica, status_document
from nodewright.ports.witness import Witness
from nodewright.state.live import take_snapshot
from nodewright.state.writing import SnapshotMetadata

_log: Final = logging.getLogger("nodewright.controller")

type Compose = Callable[[], dict[str, object] | None]
"""Makes the status of now; nothing while the cluster is not known."""


class Exhibit(NamedTuple):
    """What a controller shows of itself: its settings, its cluster, what it sees, and how it is."""

    order: Order
    session: Session
    sight: Sight
    identity: str
    conditions: Callable[[], tuple[Condition, ...]]
    hearing: Hearing


class Face(NamedTuple):
    """A dashboard of a controller: who is told of its decisions, and how it is served."""

    witness: Witness
    serve: Serve


type Show = Callable[[Exhibit], Face]


class Stores(NamedTuple):
    """Where the journal is kept and copied to, and who shows it."""

    folder: Path
    copier: Copier | None
    show: Show


class Faces(NamedTuple):
    """What others see of this process, and those who are told for it."""

    metrics: Metrics
    sight: Sight
    witnesses: tuple[Witness, ...]
    bound: BoundKeeper
    compose: Compose


@asynccontextmanager
async def open_faces(
    order: Order, session: Session, identity: str, stores: Stores
) -> AsyncIterator[Faces]:
    """Answer probes, show metrics and keep the journal for the length of a block."""
    folder, copier = stores.folder, stores.copier
    written, clock, ours = order.written, session.client.machine.clock, version("nodewright")
    checks = {"/healthz": say_fine, "/readyz": session.judge_ready}
    metrics = Metrics(lambda: _look(session), version=ours, now_ms=clock.now_ms)
    pages = {"/metrics": Page(metrics.page)}
    metadata = SnapshotMetadata(cluster=written.cluster_name, region=written.region)
    sight = Sight(metadata, order.controllers.options)
    said: list[Callable[[], Replica]] = []
    face = stores.show(
        Exhibit(
            order,
            session,
            sight,
            identity,
            lambda: tuple(one for tell in said for one in tell().conditions),
            metrics.hearing,
        )
    )
    with tracing(read_endpoint(written.traces), ours, clock.now_ms) as traces:
        async with (
            serve_probes(checks, written.health_probe_port) as probes,
            serve_pages(pages, written.metrics_port) as page,
            keep_journal(folder, clock, sight, written.api_port, face.serve) as kept,
        ):
            bound, latest = BoundKeeper(), Latest()
            said.append(lambda: _replica(identity, ours, kept, copier))
            _show(metrics, session, kept, bound)
            if session.leader is not None:
                metrics.lease = written.leader_election_name
            if copier is not None:
                _show_copies(metrics, copier)
            facts = {"probes": probes, "metrics": page, "api": kept.port, "journal": str(folder)}
            _log.info("listening", extra={"facts": facts})
            yield Faces(
                metrics,
                sight,
                (metrics, Log(), kept.witness, latest, face.witness, *traces),
                bound,
                lambda: _compose(session, metrics, latest, said[0]()),
            )


def _show(metrics: Metrics, session: Session, kept: Kept, bound: BoundKeeper) -> None:
    """Have the metrics show what this process knows of itself."""
    metrics.gauges |= {
        LEADING: session.may_act,
        "nodewright_journal_bytes": kept.witness.measure,
        "nodewright_journal_writing": lambda: not kept.witness.problem,
        "nodewright_journal_left_out": lambda: kept.witness.left_out,
        "nodewright_lower_bound_per_hour": bound.at_least,
        "nodewright_cost_gap_ratio": bound.gap,
    }


def _show_copies(metrics: Metrics, copier: Copier) -> None:
    metrics.gauges |= {
        "nodewright_journal_copying": lambda: not copier.problem,
        "nodewright_journal_copies_waiting": lambda: copier.waiting_count,
    }


def _replica(identity: str, ours: str, kept: Kept, copier: Copier | None) -> Replica:
    problem = kept.witness.problem
    conditions = [Condition("JournalWritten", not problem, problem)]
    if copier is not None:
        conditions.append(Condition("JournalCopied", not copier.problem, copier.problem))
    return Replica(identity, ours, tuple(conditions))


def _compose(
    session: Session, metrics: Metrics, latest: Latest, replica: Replica
) -> dict[str, object] | None:
    world = _look(session)
    if world is None:
        return None
    return status_document(world, metrics.money.bill(world), latest, replica)


def _look(session: Session) -> World | None:
    """Give the cluster as metrics show it; nothing while it is not known."""
    if session.mirror.waiting_for():
        return None
    return take_snapshot(session.mirror, session.client.machine.clock.now_ms())
