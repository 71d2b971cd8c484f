"""Lines of the log: one JSON object each, with the keys that Karpenter's logs have."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec

FACTS: Final = "facts"
"""What a record carries under this name becomes keys of its line."""

_NAMES: Final = {logging.WARNING: "WARN", logging.CRITICAL: "ERROR"}


class JsonLines(logging.Formatter):
    """Writes a record as one line; what a record carries as `facts` becomes keys of its own."""

    def __init__(self, fixed: Mapping[str, str]) -> None:
        super().__init__()
        self._fixed = dict(fixed)

    def format(self, record: logging.LogRecord) -> str:
        """Write one line."""
        moment = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, object] = {
            "level": _NAMES.get(record.levelno, record.levelname),
            "time": moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z",
            "logger": record.name.removeprefix("nodewright."),
            "message": record.getMessage(),
            **self._fixed,
            **getattr(record, FACTS, {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line["error"] = f"{type(error).__name__}: {error}"
            line["stacktrace"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line, enc_hook=str).decode()
