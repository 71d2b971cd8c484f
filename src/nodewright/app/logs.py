"""Logs of the controller: one JSON object a line, with the keys that Karpenter's logs have."""

import logging
import sys
from collections.abc import Mapping
from typing import Final, TextIO

from nodewright.observe.lines import JsonLines

_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
}


def start_logs(level: str, fixed: Mapping[str, str], stream: TextIO | None = None) -> None:
    """Send what this program says to a stream, standard output unless told otherwise."""
    handler = logging.StreamHandler(stream or sys.stdout)
    handler.setFormatter(JsonLines(fixed))
    ours = logging.getLogger("nodewright")
    ours.handlers[:] = [handler]
    ours.propagate = False
    ours.setLevel(_LEVELS[level])
    # What asyncio has to complain about is about us too.
    theirs = logging.getLogger("asyncio")
    theirs.handlers[:] = [handler]
    theirs.propagate = False
