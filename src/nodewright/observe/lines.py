"""Lines of the log: one JSON object each with the keys that Karpenter's logs have, or one for people."""

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


class ConsoleLines(logging.Formatter):
    """Writes a record for people: when, how loud, what, and its facts as `name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one line, and below it where something broke."""
        moment = datetime.fromtimestamp(record.created, UTC).astimezone()
        level = _NAMES.get(record.levelno, record.levelname)
        facts = {key: _say(value) for key, value in getattr(record, FACTS, {}).items()}
        words = [f"{moment:%H:%M:%S} {level:<5} {record.getMessage()}"]
        words += [f"{key}={value}" for key, value in facts.items() if value]
        if record.exc_info and record.exc_info[1] is not None:
            return "  ".join(words) + "\n" + self.formatException(record.exc_info)
        return "  ".join(words)


def _say(value: object) -> str:
    """Write a fact: an object by its name, everything else as it is."""
    if isinstance(value, Mapping):
        if "name" in value:
            place = value.get("namespace")
            return f"{place}/{value['name']}" if place else str(value["name"])
        return ",".join(f"{key}:{one}" for key, one in value.items())
    text = str(value)
    return f'"{text}"' if " " in text else text
