"""`nodewright top`: a cluster on one screen, live, from a snapshot, or in virtual time."""

import asyncio
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from nodewright.cli.cluster import SourceOption
from nodewright.cli.errors import CODE_USAGE, EXIT_FINE, EXIT_FOUND
from nodewright.cli.files import SnapshotArgument, check_files
from nodewright.cli.output import ListOutputOption, emit, say
from nodewright.model.errors import UserError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nodewright.app.looking import Wanted
    from nodewright.model.world import World
    from nodewright.view.values import View

_SPEED = 16.0


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlayOption:
    """A simulation to watch instead of a cluster."""

    scenario: Annotated[
        str, Parameter(help="A scenario to watch in virtual time: a file, or demo.")
    ] = ""
    seed: Annotated[int, Parameter(help="Whose chance: the same seed is the same run.")] = 0
    speed: Annotated[
        float,
        Parameter(help="Virtual seconds per real one.", validator=validators.Number(gt=0)),
    ] = _SPEED
    stay: Annotated[bool, Parameter(help="Go on after its end.", negative=())] = False


def top(
    snapshot: SnapshotArgument = "",
    *,
    source: SourceOption = SourceOption(),  # noqa: B008 - frozen: sharing the default is safe
    play: PlayOption = PlayOption(),  # noqa: B008 - likewise
    once: Annotated[
        bool, Parameter(help="Print what there is to see once, and end.", negative=())
    ] = False,
    output: ListOutputOption = "table",
) -> int:
    """Watch nodes, what becomes of them and why, pods that wait, decisions, budgets and money.

    Nothing here changes the cluster. What becomes of nodes is what the controller said last, and what
    stands in their way now. In a pipe, and with -o, it prints once. Status 1 with --once: pods wait that
    nothing can be made for, or nodes have faults.

    $ nodewright top
    $ nodewright top --context prod
    $ nodewright top cluster.json
    $ nodewright top --scenario demo --speed 60
    $ nodewright top --once -o json
    $ nodewright top cluster.json --once -o csv
    """
    check_files((snapshot,), "top")
    is_watched = sys.stdout.isatty() and sys.stdin.isatty() and snapshot != "-"
    if once or output != "table" or not is_watched:
        return _print_once(_read(snapshot, source, play, 0.0), output)
    return _watch(_read(snapshot, source, play, play.speed), play.speed)


def _read(snapshot: str, source: SourceOption, play: PlayOption, speed: float) -> "Wanted":
    """Give what is to be looked at."""
    # It brings the clients of Kubernetes, the solver and the simulator with it.
    from nodewright.app.journals import Source as JournalSource
    from nodewright.app.live import Place
    from nodewright.app.looking import Wanted

    if play.stay and not speed:
        raise UserError("--stay has no end to print", code=CODE_USAGE)
    return Wanted(
        snapshot=snapshot,
        scenario=play.scenario,
        seed=play.seed,
        speed=speed,
        stays=play.stay,
        place=Place(source.kubeconfig, source.context, source.region),
        journal=JournalSource(source.journal, source.api, source.kubeconfig, source.context),
    )


def _print_once(wanted: "Wanted", output: ListOutputOption) -> int:
    from nodewright.app.looking import look_once, open_source
    from nodewright.cli.top_view import nodes_table
    from nodewright.view.documents import write_value

    view: View = asyncio.run(look_once(open_source(wanted, os.environ)))
    for problem in view.problems:
        say(f"warning: {problem}")
    emit(write_value(view), output, lambda: nodes_table(view))
    return EXIT_FOUND if view.head.pods_refused or view.head.faults else EXIT_FINE


def _watch(wanted: "Wanted", speed: float) -> int:
    from nodewright.app.looking import open_source
    from nodewright.tui.app import TopApp

    app = TopApp(open_source(wanted, os.environ), _explain, speed)
    app.run()
    if app.failure is not None:
        raise app.failure
    return EXIT_FINE


def _explain(world: "World", target: str) -> "RenderableType":
    # It brings the pages of every check with it: the first screen does not wait for them.
    from nodewright.cli.explain import explain_screen

    return explain_screen(world, target, "en")
