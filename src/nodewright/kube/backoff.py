"""How long to wait before trying again: twice as long each time, and never all at once.

The wait is drawn evenly between half and the whole of the present step, so that a thousand clients
of a server that comes back do not come back in the same moment.
"""

from nodewright.ports.random import Random


class Backoff:
    """Waits that grow from the first to the longest, until something goes well."""

    def __init__(self, rng: Random, first_ms: int, longest_ms: int) -> None:
        assert 0 < first_ms <= longest_ms
        self._rng = rng
        self._first_ms = first_ms
        self._longest_ms = longest_ms
        self.failure_count = 0

    def next_ms(self, at_least_ms: int | None = None) -> int:
        """Give the next wait; what the server asked for is the least."""
        # Ten doublings are past every longest wait in use; more would only grow a number.
        step_ms = min(self._longest_ms, self._first_ms << min(self.failure_count, 10))
        self.failure_count += 1
        drawn_ms = self._rng.integer((step_ms + 1) // 2, step_ms)
        return max(drawn_ms, at_least_ms or 0)

    def reset(self) -> None:
        """Start again with the first wait."""
        self.failure_count = 0
