"""The door: `nodewright VERB`, with every verb in a module of its own.

A verb is registered by its import path and a line of help, so that `nodewright plan` imports only
`plan`, and the first page (`nodewright --help`) imports nothing but this file: it answers at once. A
verb's docstring is its help and has examples in lines that start with `$ nodewright`. It returns its
exit status (0 fine, 1 done and something was found, 2 could not be done). Failures are worded by
`errors.Boundary`.
"""

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from nodewright.cli.errors import EXIT_FINE, Boundary

if TYPE_CHECKING:
    from cyclopts import App


class Command(NamedTuple):
    """A verb: its name, where its function or group of verbs lives, and one line about it."""

    name: str
    target: str
    line: str


_DECIDE: Final = (
    Command("top", "top:top", "Watch nodes, pods, money and decisions."),
    Command("web", "web:web", "Open the dashboard in a browser."),
    Command("plan", "plan:plan", "Say which nodes the pending pods would get, and why."),
    Command("consolidate", "consolidate:consolidate", "Say which nodes could go, and why."),
    Command("diff", "diff:diff", "Say what changed manifests would do before they are applied."),
    Command("explain", "explain:explain", "Explain a pod, a node, a pool or a code."),
)
_JOURNAL: Final = (
    Command("snapshot", "snapshot:snapshot", "Write what a decision about a cluster depends on."),
    Command("decisions", "decisions:decisions", "List what a controller decided."),
    Command("replay", "replay:replay", "Decide again, and compare the answers."),
)
_MANIFESTS: Final = (
    Command("lint", "lint:lint", "Find mistakes in NodePools, node classes and workloads."),
    Command("convert", "convert:convert", "Rewrite older Karpenter manifests as v1."),
    Command("crds", "crds:crds", "Print the CustomResourceDefinitions."),
    Command("catalog", "catalog:catalog", "List and filter EC2 instance types and prices."),
)
_TRY: Final = (
    Command("demo", "demo:demo", "Watch the controllers on a simulated cluster and cloud."),
    Command("sandbox", "sandbox:app", "Run a real control plane on this machine."),
    Command("simulate", "simulate:simulate", "Run a workload or a scenario in virtual time."),
    Command("tune", "tune:tune", "Find the settings that cost least on a workload."),
    Command("record", "record:record", "Write a workload down, to run it in virtual time."),
)
_RUN: Final = (
    Command("install", "install:install", "Install Nodewright on an EKS cluster."),
    Command("uninstall", "uninstall:uninstall", "Take it off again, and put back what was there."),
    Command("doctor", "doctor:doctor", "Find what is wrong with a cluster, and mend it."),
    Command("controller", "controller:controller", "Run the autoscaler itself."),
)
_PROGRAM: Final = (
    Command("completion", "completion:completion", "Print the completion script of a shell."),
    Command(
        "--install-completion",
        "completion:install_completion",
        "Install completion for the current shell.",
    ),
)
_FLAGS: Final = (
    Command("--version", "", "Print the version."),
    Command("--help, -h", "", "Print this page; after a command, the page of that command."),
    Command("--debug", "", "After any command, show the traceback of a failure."),
)


def _present(commands: tuple[Command, ...]) -> tuple[Command, ...]:
    """Keep the verbs whose module is part of this build."""
    here = Path(__file__).parent
    return tuple(
        command
        for command in commands
        if not command.target or (here / f"{command.target.partition(':')[0]}.py").exists()
    )


COMMANDS: Final = _present((*_DECIDE, *_JOURNAL, *_MANIFESTS, *_TRY, *_RUN, *_PROGRAM))

_ABOUT: Final = (
    "A Kubernetes node autoscaler that takes Karpenter's resources as they are and says why."
)
_PAGE_FLAGS: Final = frozenset({"--help", "-h"})
_FIRST_PAGE: Final[tuple[list[str], ...]] = ([], ["--help"], ["-h"])


def first_page() -> str:
    """Write the page that lists every verb."""
    lines = ["Usage: nodewright COMMAND [ARGUMENTS]", "", _ABOUT]
    for title, commands in (
        ("Look and decide", _DECIDE),
        ("Snapshots and the journal", _JOURNAL),
        ("Manifests and catalog", _MANIFESTS),
        ("Try it", _TRY),
        ("Run it", _RUN),
        ("This program", (*_PROGRAM, *_FLAGS)),
    ):
        lines += ["", title, *(f"  {verb.name:<22}{verb.line}" for verb in _present(commands))]
    lines += [
        "",
        "Examples",
        "  $ nodewright demo",
        "  $ nodewright plan cluster.json -o json",
        "",
        "Exit status: 0 fine, 1 done and something was found, 2 could not be done.",
    ]
    return "\n".join(lines) + "\n"


def build_app(wanted: str = "") -> "App":
    """Make the command line with every verb registered and none imported.

    The wanted verb speaks for itself (its docstring is its help); the others have their one line,
    so that nobody needs to import them.
    """
    from cyclopts import App

    app = App(
        name="nodewright",
        help=_ABOUT,
        help_format="plaintext",
        help_epilogue="--debug shows the traceback of a failure.",
        version=_version,
        print_error=False,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    for command in COMMANDS:
        app.command(
            f"nodewright.cli.{command.target}",
            name=command.name,
            help=None if command.name == wanted else command.line,
        )
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit status."""
    tokens = [argument for argument in arguments if argument != "--debug"]
    boundary = Boundary(debug=len(tokens) < len(arguments))
    with boundary:
        if tokens in _FIRST_PAGE:
            sys.stdout.write(first_page())
        else:
            app = build_app(wanted=tokens[0])
            if not _PAGE_FLAGS.isdisjoint(tokens):
                from nodewright.cli.pages import lay_out

                lay_out(app, tokens)
            result = app(tokens)
            boundary.status = result if isinstance(result, int) else EXIT_FINE
        sys.stdout.flush()
    return boundary.status


def main() -> None:
    """Run the command line of this process and leave with its status."""
    # A character that this terminal cannot show is spelled out: no reason to fail.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def _version() -> str:
    from importlib.metadata import version

    return version("nodewright")
