"""Options of commands that look at a live cluster, or at the journal of a controller."""

import os
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from nodewright.app.sources import open_snapshot
from nodewright.cli.output import say
from nodewright.state.snapshot import Snapshot, read_snapshot


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlaceOption:
    """Which cluster, where no snapshot is given."""

    kubeconfig: Annotated[str, Parameter(help="The kubeconfig; else the usual places.")] = ""
    context: Annotated[str, Parameter(help="The context of the kubeconfig.")] = ""
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
class SourceOption(PlaceOption):
    """Which cluster where no snapshot is given, and whose journal."""

    journal: JournalOption = ""
    api: ApiOption = ""


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
