"""Faults: what may go wrong, how often, and when.

A fault has a kind, a rate and a time. Where something is done (a call, an event, a launch), the rate
is the probability of going wrong each time; for what goes wrong by itself (a kubelet, a machine, the
controller) it is how often an hour for each one there is. `at` names single moments instead.
"""

import math
from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from nodewright.sim.chance import Stream
from nodewright.sim.ground import Ground

type FaultKind = Literal[
    "api.error", "api.conflict", "api.throttle", "api.lost", "api.slow",
    "watch.drop", "watch.late", "watch.duplicate", "watch.cut", "watch.expire",
    "controller.kill", "controller.crash", "leader.lost",
    "cloud.error", "cloud.throttle", "launch.late", "launch.twice", "launch.lost", "launch.refused",
    "node.unregistered", "node.unready", "machine.vanish", "kubelet.flap", "machine.impaired",
    "queue.down", "queue.lost", "queue.twice", "queue.late",
]  # fmt: skip

FAULT_KINDS: Final[tuple[str, ...]] = (
    "api.error", "api.conflict", "api.throttle", "api.lost", "api.slow",
    "watch.drop", "watch.late", "watch.duplicate", "watch.cut", "watch.expire",
    "controller.kill", "controller.crash", "leader.lost",
    "cloud.error", "cloud.throttle", "launch.late", "launch.twice", "launch.lost", "launch.refused",
    "node.unregistered", "node.unready", "machine.vanish", "kubelet.flap", "machine.impaired",
    "queue.down", "queue.lost", "queue.twice", "queue.late",
)  # fmt: skip
HOUR_MS: Final = 3_600_000


class Fault(msgspec.Struct, frozen=True):
    """One kind of trouble: how often, within which time, or at which moments."""

    kind: str
    rate: float = 0.0
    from_ms: int = 0
    until_ms: int | None = None
    at_ms: tuple[int, ...] = ()


class Faults:
    """The trouble of a run; times count from its start."""

    def __init__(self, ground: Ground, faults: Iterable[Fault] = ()) -> None:
        self._loop = ground.loop
        self._chance = ground.chance
        self._note = ground.note
        self._start_ms = ground.loop.now_ms()
        self._by_kind: dict[str, list[Fault]] = {}
        for fault in faults:
            self._by_kind.setdefault(fault.kind, []).append(fault)

    def happens(self, kind: FaultKind, subject: str = "") -> bool:
        """Draw whether a fault strikes now, and write it down if it does."""
        known = self._by_kind.get(kind)
        if known is None:
            return False
        stream = self._chance.stream(f"fault/{kind}")
        for fault in known:
            if self._is_on(fault) and stream.happens(fault.rate):
                self._note("fault", kind, subject)
                return True
        return False

    def has_any(self, kinds: Iterable[FaultKind]) -> bool:
        """Tell whether a fault of one of these kinds can strike at all."""
        return any(kind in self._by_kind for kind in kinds)

    def next_ms(self, kind: FaultKind, stream: Stream) -> int | None:
        """Draw when a fault that strikes by itself does so next, for one thing it can strike."""
        now_ms = self._loop.now_ms()
        moments: list[int] = []
        for fault in self._by_kind.get(kind, ()):
            moments += [self._start_ms + at for at in fault.at_ms if self._start_ms + at > now_ms]
            if fault.rate > 0:
                begin = max(now_ms, self._start_ms + fault.from_ms)
                wait_ms = int(-HOUR_MS / fault.rate * _log(1.0 - stream.fraction()))
                end = fault.until_ms
                if end is None or begin + wait_ms < self._start_ms + end:
                    moments.append(begin + wait_ms)
        return min(moments, default=None)

    def strike(self, kind: FaultKind, subject: str) -> None:
        """Write down that a fault has struck by itself."""
        self._note("fault", kind, subject)

    def stream(self, kind: FaultKind) -> Stream:
        """Give the chance that belongs to a kind of fault."""
        return self._chance.stream(f"fault/{kind}")

    def end_ms(self) -> int | None:
        """Tell when the last fault ends; nothing when some never end or there are none."""
        ends: list[int] = []
        for fault in (one for known in self._by_kind.values() for one in known):
            if fault.rate > 0:
                if fault.until_ms is None:
                    return None
                ends.append(fault.until_ms)
            ends += fault.at_ms
        return self._start_ms + max(ends) if ends else None

    def _is_on(self, fault: Fault) -> bool:
        age_ms = self._loop.now_ms() - self._start_ms
        return fault.from_ms <= age_ms and (fault.until_ms is None or age_ms < fault.until_ms)


def _log(value: float) -> float:
    """Give the natural logarithm to a precision that is the same on every machine."""
    return round(math.log(max(value, 1e-12)), 9)
