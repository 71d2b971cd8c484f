"""The door: `nodewright VERB`, with every verb in a module of its own.

A verb is registered by its import path and a line of help, so that `nodewright --help` imports
none of them and `nodewright plan` imports only `plan`. Its docstring is its help and has examples in
lines that start with `$ nodewright`. It returns its exit status (0 fine, 1 done and something was
found, 2 could not be done). Failures are worded by `errors.Boundary`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cyclopts import App, Group

from nodewright.cli.errors import EXIT_FINE, Boundary

_DECIDE: Final = Group("Look and decide", sort_key=1)
_MANIFESTS: Final = Group("Manifests and catalog", sort_key=2)
_TRY: Final = Group("Try it", sort_key=3)
_PROGRAM: Final = Group("This program", sort_key=4)

COMMANDS: Final = (
    ("plan", "plan:plan", _DECIDE, "Say which nodes the pending pods would get, and why."),
    ("consolidate", "consolidate:consolidate", _DECIDE, "Say which nodes could go, and why."),
    ("explain", "explain:explain", _DECIDE, "Explain a pod, a node, a pool or a code."),
    ("lint", "lint:lint", _MANIFESTS, "Find mistakes in NodePools, classes and workloads."),
    ("convert", "convert:convert", _MANIFESTS, "Rewrite older Karpenter manifests as v1."),
    ("crds", "crds:crds", _MANIFESTS, "Print the CustomResourceDefinitions."),
    ("catalog", "catalog:catalog", _MANIFESTS, "List and filter EC2 instance types and prices."),
    ("demo", "demo:demo", _TRY, "Watch it work on a bundled example; needs nothing."),
    ("sandbox", "sandbox:app", _TRY, "Run a real control plane on this machine."),
    ("completion", "completion:completion", _PROGRAM, "Print the completion script of a shell."),
    (
        "--install-completion",
        "completion:install_completion",
        _PROGRAM,
        "Install completion for the current shell.",
    ),
)
"""Name, `module:attribute` in this room, group and one line of help of every verb."""

DEBUG_FLAG: Final = "--debug"


def _version() -> str:
    from importlib.metadata import version

    return version("nodewright")


def build_app(wanted: str = "") -> App:
    """Make the command line with every verb registered and none imported.

    The wanted verb speaks for itself (its docstring is its help); the others have their one line,
    so that nobody needs to import them.
    """
    app = App(
        name="nodewright",
        help=(
            "A Kubernetes node autoscaler that takes Karpenter's resources as they are and says why.\n\n"
            "Exit status: 0 fine, 1 done and something was found, 2 could not be done."
        ),
        help_format="plaintext",
        help_epilogue=f"{DEBUG_FLAG} on any command shows the traceback of a failure.",
        version=_version,
        print_error=False,
        exit_on_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    app["--help"].group = _PROGRAM
    app["--version"].group = _PROGRAM
    here = Path(__file__).parent
    for position, (name, target, group, line) in enumerate(COMMANDS):
        if (here / f"{target.partition(':')[0]}.py").exists():
            app.command(
                f"nodewright.cli.{target}",
                name=name,
                group=group,
                help=None if name == wanted else line,
                sort_key=position,
            )
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit status."""
    tokens = [argument for argument in arguments if argument != DEBUG_FLAG]
    boundary = Boundary(debug=len(tokens) < len(arguments))
    with boundary:
        result = build_app(wanted=tokens[0] if tokens else "")(tokens)
        boundary.status = result if isinstance(result, int) else EXIT_FINE
        sys.stdout.flush()
    return boundary.status


def main() -> None:
    """Run the command line of this process and leave with its status."""
    sys.exit(run(sys.argv[1:]))
