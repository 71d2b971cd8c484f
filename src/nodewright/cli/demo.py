"""`nodewright demo`: the real controllers on a simulated cluster and cloud; nothing to configure.

A shop grows, nodes appear, the cloud takes spot machines back and their pods move; the shop shrinks, and
nodes that nobody needs are given back. It ends by itself after about a minute. Where nobody watches (a pipe, `--headless`) it does not wait, and only the summary
is printed.
"""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter, validators

from nodewright.app.demo import SPEED_DEFAULT, Demo, DemoOrder
from nodewright.cli.demo_view import screen_of, summary_of
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.output import OutputOption, emit, say, screen


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class FaceOption:
    """Where it is watched."""

    headless: Annotated[
        bool, Parameter(help="Show nothing but the summary, and do not wait.", negative=())
    ] = False
    web: Annotated[bool, Parameter(help="Watch it in a browser, until Ctrl-C.", negative=())] = (
        False
    )


def demo(
    *,
    seed: Annotated[int, Parameter(help="Whose chance: the same seed is the same run.")] = 0,
    speed: Annotated[
        float,
        Parameter(help="Virtual seconds per real one.", validator=validators.Number(gt=0)),
    ] = SPEED_DEFAULT,
    stay: Annotated[bool, Parameter(help="Go on until Ctrl-C.", negative=())] = False,
    face: FaceOption = FaceOption(),  # noqa: B008 - frozen: sharing the default is safe
    output: OutputOption = "table",
) -> int:
    """Watch the controllers at work on a simulated cluster; needs no cluster and no cloud.

    $ nodewright demo
    $ nodewright demo --stay --speed 60
    $ nodewright demo --headless --seed 7 -o json
    $ nodewright demo --web
    """
    if face.web:
        return _open_web(seed, speed, stays=stay)
    watched = not face.headless and screen().is_terminal
    run = Demo(DemoOrder(seed, speed if watched else 0.0, stay and watched))
    if watched:
        _watch(run)
    else:
        for _ in run.play():
            continue
    summary = run.conclude()
    emit(summary, output, lambda: summary_of(summary))
    if watched:
        say("")
        say("next: nodewright plan SNAPSHOT, with a snapshot of your own cluster")
    return EXIT_FOUND if summary.promises_broken else EXIT_FINE


def _open_web(seed: int, speed: float, *, stays: bool) -> int:
    """Play the demo in the dashboard; its pages stay when it is over."""
    # It brings the server with it.
    from nodewright.app.looking import DEMO, Wanted
    from nodewright.cli.web import open_web
    from nodewright.web.looking import Listening

    wanted = Wanted(scenario=DEMO, seed=seed, speed=speed, stays=stays)
    return open_web(wanted, Listening(), is_opened=True)


def _watch(run: Demo) -> None:
    """Show the run frame by frame until it ends, or until somebody has seen enough."""
    from rich.live import Live

    console = screen()
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            for frame in run.play():
                live.update(screen_of(frame, console.height), refresh=True)
    except KeyboardInterrupt:
        say("stopped")
