"""`nodewright web`: the dashboard in a browser, of a live cluster, a snapshot, or virtual time."""

import asyncio
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from nodewright.app.signals import hear_signals
from nodewright.cli.cluster import SourceOption
from nodewright.cli.errors import EXIT_FINE
from nodewright.cli.files import SnapshotArgument, check_files
from nodewright.cli.output import say
from nodewright.cli.top import PlayOption
from nodewright.model.errors import UserError

if TYPE_CHECKING:
    from nodewright.app.looking import Wanted
    from nodewright.web.looking import Listening

_ANY_PORT = 65_535


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ListenOption:
    """Where it can be had."""

    host: Annotated[
        str, Parameter(help="The address to listen on; one that others reach needs a token.")
    ] = "127.0.0.1"
    port: Annotated[
        int,
        Parameter(
            help="The port to listen on; 0 for any.",
            validator=validators.Number(gte=0, lte=_ANY_PORT),
        ),
    ] = 0
    token: Annotated[
        str,
        Parameter(
            env_var="NODEWRIGHT_WEB_TOKEN",
            help="What browsers have to send; better in the variable than on a command line.",
        ),
    ] = ""
    browser: Annotated[bool, Parameter(help="Open it in a browser.")] = True


def web(
    snapshot: SnapshotArgument = "",
    *,
    source: SourceOption = SourceOption(),  # noqa: B008 - frozen: sharing the default is safe
    play: PlayOption = PlayOption(),  # noqa: B008 - likewise
    listen: ListenOption = ListenOption(),  # noqa: B008 - likewise
) -> int:
    """Open the dashboard in a browser: cost, nodes, pods that wait, decisions, budgets, what-if, health.

    It runs until Ctrl-C, on this machine alone unless --host says otherwise, and changes nothing: the
    what-if page works on a copy of what is seen. Without a snapshot or a scenario it shows the live cluster,
    with the decisions of its controller.

    $ nodewright web
    $ nodewright web --context prod --port 8090 --no-browser
    $ nodewright web cluster.json
    $ nodewright web --scenario demo --speed 60 --stay
    """
    check_files((snapshot,), "web")
    # It brings the server, the clients of Kubernetes, the solver and the simulator with it.
    from nodewright.app.journals import Source as JournalSource
    from nodewright.app.live import Place
    from nodewright.app.looking import Wanted
    from nodewright.web.looking import Listening

    wanted = Wanted(
        snapshot=snapshot,
        scenario=play.scenario,
        seed=play.seed,
        speed=play.speed,
        stays=play.stay,
        place=Place(source.kubeconfig, source.context, source.region),
        journal=JournalSource(source.journal, source.api, source.kubeconfig, source.context),
    )
    listening = Listening(listen.host, listen.port, listen.token)
    return open_web(wanted, listening, is_opened=listen.browser)


def open_web(wanted: "Wanted", listening: "Listening", *, is_opened: bool) -> int:
    """Show the dashboard until somebody has seen enough."""
    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(_show(wanted, listening, is_opened=is_opened))
    except OSError as error:
        raise UserError(
            f"{listening.host}:{listening.port} cannot be listened on: {error.strerror or error}",
            code="NW-9666",
            advice="give another --port, or leave it out for any that is free",
        ) from None
    say("stopped")
    return EXIT_FINE


async def _show(wanted: "Wanted", listening: "Listening", *, is_opened: bool) -> None:
    from nodewright.web.looking import show

    told = asyncio.Event()
    hear_signals(told)
    async with show(wanted, listening, os.environ) as (port, looking):
        host = f"[{listening.host}]" if ":" in listening.host else listening.host
        address = f"http://{host}:{port}/"
        say(f"the dashboard is at {address} (Ctrl-C ends it)")
        if is_opened:
            await asyncio.to_thread(_open, address)
        ending = asyncio.create_task(told.wait())
        await asyncio.wait({looking, ending}, return_when=asyncio.FIRST_COMPLETED)
        if looking.done():
            looking.result()
        # What there was to see has been seen; the pages stay.
        await ending


def _open(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        say("no browser could be opened; go there by hand")
