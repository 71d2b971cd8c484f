"""Options of commands that look at a live cluster, or at the journal of a controller."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from nodewright.app.sources import open_snapshot
from nodewright.cli.output import say
from nodewright.state.snapshot import Snapshot, read_snapshot

if TYPE_CHECKING:
    from nodewright.app.journals import Decisions


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ClusterOption:
    """Which cluster."""

    kubeconfig: Annotated[str, Parameter(help="The kubeconfig; else the usual places.")] = ""
    context: Annotated[str, Parameter(help="The context of the kubeconfig.")] = ""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlaceOption(ClusterOption):
    """Which cluster, where no snapshot is given."""

    region: Annotated[str, Parameter(help="Whose types and prices; else the nodes' region.")] = ""


ApiOption = Annotated[
    str, Parameter(help="The API of a running controller, such as http://127.0.0.1:8082.")
]
"""The `--api` of commands that may ask a controller."""

JournalOption = Annotated[
    str, Parameter(env_var="NODEWRIGHT_JOURNAL", help="The folder of a controller's journal.")
]
"""The `--journal` of commands that read one."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class JournalSource(ClusterOption):
    """Whose journal: a folder's, an address's, else that of the live cluster's controller."""

    journal: JournalOption = ""
    api: ApiOption = ""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SourceOption(PlaceOption, JournalSource):
    """Which cluster where no snapshot is given, and whose journal."""


def open_decisions(source: JournalSource) -> "Decisions":
    """Give the journal that is meant."""
    # It brings the clients of HTTP and of Kubernetes with it: only those who read one wait for that.
    from nodewright.app.journals import Source, open_journal

    named = Source(source.journal, source.api, source.kubeconfig, source.context)
    return open_journal(named, os.environ)


def take_place(place: PlaceOption) -> bytes:
    """Take a snapshot of the live cluster, and say what is odd about it."""
    # The Kubernetes client takes a moment to load: only those who look at a cluster wait for it.
    from nodewright.app.live import Place, take_live

    taken = take_live(Place(place.kubeconfig, place.context, place.region), os.environ)
    for warning in taken.warnings:
        say(f"warning: {warning}")
    return taken.document


def open_world(snapshot: str, place: PlaceOption) -> Snapshot:
    """Read a snapshot from a file, or take one of the live cluster where none is given."""
    taken = (
        open_snapshot(snapshot)
        if snapshot
        else read_snapshot(take_place(place), "the live cluster")
    )
    for warning in taken.warnings:
        say(f"warning: {warning}")
    return taken
