"""The log of every call that was made, for tests to assert on.

It keeps the newest calls up to a limit and counts the rest. Calls of the stand-in's own parts (the
kubelet) are not in it.
"""

import threading
from collections import deque
from typing import Any, Final

import msgspec

from nodewright.sandbox.aws.call import Call

CALLS_MAX: Final = 20_000


class Record(msgspec.Struct, frozen=True, rename="camel"):
    """One call and what came of it: no error code means that it succeeded."""

    at_ms: int
    name: str
    region: str
    principal: str
    params: dict[str, Any]
    error: str = ""
    fault: str = ""


class CallLog:
    """Calls in the order in which they were answered."""

    def __init__(self) -> None:
        self._records: deque[Record] = deque(maxlen=CALLS_MAX)
        self._lock = threading.Lock()
        self.count = 0

    def add(self, call: Call, error: str = "", fault: str = "") -> None:
        """Write a call down."""
        arn = call.principal.arn
        record = Record(call.at_ms, call.name, call.region, arn, call.params, error, fault)
        with self._lock:
            self.count += 1
            self._records.append(record)

    def named(self, name: str = "") -> tuple[Record, ...]:
        """Give the calls of one operation, such as `ec2.CreateFleet`, or all of them."""
        with self._lock:
            return tuple(one for one in self._records if name in ("", one.name))

    def clear(self) -> None:
        """Forget all calls."""
        with self._lock:
            self._records.clear()
            self.count = 0
