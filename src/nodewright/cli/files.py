"""The files of a command line, with `-` for standard input.

A lone dash looks like an option to the parser, so every word that begins with one is let through,
and what is neither a file nor the dash is refused here.
"""

from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter

from nodewright.app.manifests import STANDARD_INPUT
from nodewright.cli.errors import CODE_USAGE
from nodewright.model.errors import UserError

FilesArgument = Annotated[
    str,
    Parameter(
        help="Manifests, folders of them, or - for standard input.", allow_leading_hyphen=True
    ),
]
"""The files that a command takes."""


SnapshotArgument = Annotated[
    str,
    Parameter(
        help="A snapshot file, or - for standard input; else the live cluster.",
        allow_leading_hyphen=True,
    ),
]
"""The snapshot that a command may be given instead of a cluster."""


def check_files(files: Sequence[str], command: str) -> None:
    """Refuse an option that the command does not have."""
    for name in files:
        if name.startswith("-") and name != STANDARD_INPUT:
            raise UserError(
                f"Unknown option: {name}",
                code=CODE_USAGE,
                advice=f"see nodewright {command} --help",
            )
