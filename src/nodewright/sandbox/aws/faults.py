"""Switches that make an operation go wrong, by its name.

A switch matches `service.Operation`, `service.*` or `*`. It strikes a number of times, or until it is
taken away, and only every so many calls where it says so. `slow` waits before it does the work, `late`
after it; `lost` does the work and then drops the connection: what a client sees of an answer that never
came. `wrong` changes the answer once by what the switch carries.
"""

import fnmatch
import threading
from typing import Any, Literal

import msgspec

type Kind = Literal["throttle", "deny", "error", "slow", "late", "drop", "lost", "wrong"]


class Switch(msgspec.Struct, frozen=True, rename="camel"):
    """One fault: what happens, how often (0 = always), to which calls, and with which particulars."""

    kind: Kind
    times: int = 0
    every: int = 1
    delay_ms: int = 0
    code: str = ""
    message: str = ""
    status: int = 0
    answer: dict[str, Any] = {}


class Faults:
    """All switches of an account."""

    def __init__(self) -> None:
        self._switches: dict[str, tuple[Switch, int]] = {}
        self._seen: dict[str, int] = {}
        self._lock = threading.Lock()

    def set(self, name: str, switch: Switch) -> None:
        """Turn a fault on for an operation; one operation has one fault."""
        with self._lock:
            self._switches[name] = (switch, switch.times)
            self._seen.pop(name, None)

    def clear(self, name: str = "") -> None:
        """Turn one fault off, or all."""
        with self._lock:
            if name:
                self._switches.pop(name, None)
            else:
                self._switches.clear()

    def strike(self, name: str) -> Switch | None:
        """Give the fault that strikes this call, and count it."""
        with self._lock:
            for pattern, (switch, left) in self._switches.items():
                if not fnmatch.fnmatchcase(name, pattern):
                    continue
                self._seen[pattern] = self._seen.get(pattern, 0) + 1
                if self._seen[pattern] % switch.every:
                    continue
                if switch.times:
                    if left == 1:
                        del self._switches[pattern]
                    else:
                        self._switches[pattern] = (switch, left - 1)
                return switch
        return None
