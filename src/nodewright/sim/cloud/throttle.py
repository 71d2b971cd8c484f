"""How many calls EC2 takes: a bucket for each kind of operation that fills again with time."""

from typing import Final

from nodewright.sim.loop import VirtualLoop

_BUCKETS: Final = {
    "CreateFleet": (5.0, 50.0),
    "TerminateInstances": (5.0, 100.0),
}
_READS: Final = (20.0, 100.0)


class Throttle:
    """Counts calls against EC2's limits."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._left: dict[str, tuple[float, int]] = {}

    def allow(self, operation: str) -> bool:
        """Take one call from the operation's bucket; tell whether there was one."""
        per_second, burst = _BUCKETS.get(operation, _READS)
        now_ms = self._loop.now_ms()
        left, then_ms = self._left.get(operation, (burst, now_ms))
        left = min(burst, left + (now_ms - then_ms) * per_second / 1000)
        allowed = left >= 1.0
        self._left[operation] = (left - 1.0 if allowed else left, now_ms)
        return allowed
