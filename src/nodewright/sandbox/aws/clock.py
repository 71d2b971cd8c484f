"""The account's clock: real time, and as much more of it as a test has skipped."""

import threading
import time


class Clock:
    """Tells the time in milliseconds since the epoch."""

    def __init__(self) -> None:
        self._skipped_ms = 0
        self._lock = threading.Lock()

    def now_ms(self) -> int:
        """Tell the time."""
        return time.time_ns() // 1_000_000 + self._skipped_ms

    def skip(self, span_ms: int) -> None:
        """Let time pass at once."""
        with self._lock:
            self._skipped_ms += span_ms
