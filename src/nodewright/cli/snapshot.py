"""`nodewright snapshot`: everything that a decision about the live cluster depends on, in one file."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from nodewright.app.writing import write_whole
from nodewright.cli.cluster import ApiOption, PlaceOption, take_place
from nodewright.cli.errors import EXIT_FINE
from nodewright.cli.output import say


def snapshot(
    *,
    output: Annotated[
        str,
        Parameter(name=["--output", "-o"], help="The file to write; packed if it ends in .gz."),
    ] = "",
    place: PlaceOption = PlaceOption(),  # noqa: B008 - frozen: sharing the default is safe
    api: ApiOption = "",
) -> int:
    """Take a snapshot of the live cluster.

    Nothing is changed anywhere. Secrets, environment values, commands and boot scripts are not in
    it. With --api it is the one of a running controller, with what it expects and remembers.

    $ nodewright snapshot -o cluster.json.gz
    $ nodewright snapshot --context prod --region eu-west-1 -o prod.json
    $ nodewright snapshot --api http://127.0.0.1:8082 -o cluster.json.gz
    """
    # The client of HTTP takes a moment to load: only those who ask a controller wait for it.
    from nodewright.app.journals import Api

    document = Api(api).snapshot() if api else take_place(place)
    if not output:
        sys.stdout.buffer.write(document + b"\n")
        return EXIT_FINE
    write_whole(Path(output), document)
    say(f"written: {output}")
    return EXIT_FINE
