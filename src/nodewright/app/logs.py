"""Logs of the controller: one JSON object a line, with the keys that Karpenter's logs have, or a line for people."""

import logging
import sys
from collections.abc import Mapping
from typing import Final, TextIO

from nodewright.observe.lines import ConsoleLines, JsonLines

_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
}


def start_logs(
    level: str, fixed: Mapping[str, str], stream: TextIO | None = None, *, form: str = "json"
) -> None:
    """Send what this program says to a stream, standard output unless told otherwise."""
    handler = logging.StreamHandler(stream or sys.stdout)
    handler.setFormatter(ConsoleLines() if form == "console" else JsonLines(fixed))
    ours = logging.getLogger("nodewright")
    ours.handlers[:] = [handler]
    ours.propagate = False
    ours.setLevel(_LEVELS[level])
    # What asyncio has to complain about is about us too.
    theirs = logging.getLogger("asyncio")
    theirs.handlers[:] = [handler]
    theirs.propagate = False
