"""`nodewright completion`: the script that lets a shell complete our commands."""

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from nodewright.cli.errors import EXIT_FINE


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish"], Parameter(help="The shell that will read the script.")
    ],
    /,
) -> int:
    """Print the completion script of a shell.

    $ nodewright completion bash > nodewright.bash && source nodewright.bash
    $ nodewright --install-completion
    """
    from nodewright.cli.main import build_app

    sys.stdout.write(build_app().generate_completion(shell=shell))
    return EXIT_FINE
