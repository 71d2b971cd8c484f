"""`nodewright demo`: the real planner on a bundled cluster, with nothing to install or configure.

The example is a small shop on EKS: web pods spread over zones, a checkout that stays off spot, batch
jobs behind a taint, and one job that nobody can place, because a planner should also be seen to say
no.
"""

from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from nodewright.cli.errors import EXIT_FAILED, EXIT_FINE
from nodewright.cli.output import say

_EXAMPLE: Final = "first-cluster.json"


def demo() -> int:
    """Plan the nodes of a bundled example cluster and say why.

    $ nodewright demo
    """
    from nodewright.cli.main import COMMANDS, run

    with as_file(files("nodewright.examples") / _EXAMPLE) as example:
        shown = _short(example)
        say(f"$ nodewright plan {shown}")
        status = run(["plan", str(example)])
        if status == EXIT_FAILED:
            return EXIT_FAILED
        say("")
        say("next: nodewright plan SNAPSHOT, with a snapshot of your own cluster")
        if any(command.name == "explain" for command in COMMANDS):
            say(f"      nodewright explain pod/data/report-1 {shown}")
    return EXIT_FINE


def _short(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
