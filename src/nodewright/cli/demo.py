"""`nodewright demo`: the real controllers on a simulated cluster and cloud; nothing to configure.

A shop grows, nodes appear, the cloud takes spot machines back and their pods move; the shop shrinks, and
nodes that nobody needs are given back. It ends by itself after about a minute. Where nobody watches (a pipe, `--headless`) it does not wait, and only the summary
is printed.
"""

from typing import Annotated

from cyclopts import Parameter, validators

from nodewright.app.demo import SPEED_DEFAULT, Demo, DemoOrder
from nodewright.cli.demo_view import screen_of, summary_of
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.output import OutputOption, emit, say, screen


def demo(
    *,
    seed: Annotated[int, Parameter(help="Whose chance: the same seed is the same run.")] = 0,
    speed: Annotated[
        float,
        Parameter(help="Virtual seconds per real one.", validator=validators.Number(gt=0)),
    ] = SPEED_DEFAULT,
    stay: Annotated[bool, Parameter(help="Go on until Ctrl-C.", negative=())] = False,
    headless: Annotated[
        bool, Parameter(help="Show nothing but the summary, and do not wait.", negative=())
    ] = False,
    output: OutputOption = "table",
) -> int:
    """Watch the controllers at work on a simulated cluster; needs no cluster and no cloud.

    $ nodewright demo
    $ nodewright demo --stay --speed 60
    $ nodewright demo --headless --seed 7 -o json
    """
    watched = not headless and screen().is_terminal
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
