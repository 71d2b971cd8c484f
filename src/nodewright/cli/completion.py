"""`nodewright completion`: the script that lets a shell complete our commands."""

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from nodewright.cli.errors import CODE_USAGE, EXIT_FINE
from nodewright.cli.output import say
from nodewright.model.errors import UserError


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


def install_completion() -> int:
    """Write the completion script where the current shell looks for it.

    $ nodewright --install-completion
    """
    from cyclopts.completion import ShellDetectionError

    from nodewright.cli.main import build_app

    try:
        written = build_app().install_completion(add_to_startup=False)
    except ShellDetectionError:
        raise UserError(
            "the current shell is not known",
            code=CODE_USAGE,
            advice="print the script for a shell of your choice with nodewright completion SHELL",
        ) from None
    say(f"completion is installed in {written}; it works in new shells")
    return EXIT_FINE
