"""Answers that are kept for a while, so that AWS is not asked the same again and again."""

from collections.abc import Hashable
from typing import Final

from nodewright.ports.clock import Clock

ENTRIES_MAX: Final = 10_000


class Kept[K: Hashable, V]:
    """Values by key, each with its age; the oldest go when there are too many."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._values: dict[K, tuple[int, V]] = {}

    def get(self, key: K, age_ms: int) -> V | None:
        """Give a value that is younger than an age."""
        found = self._values.get(key)
        if found is None or self._clock.now_ms() - found[0] >= age_ms:
            return None
        return found[1]

    def put(self, key: K, value: V) -> None:
        """Keep a value from now on."""
        self._values.pop(key, None)
        self._values[key] = (self._clock.now_ms(), value)
        if len(self._values) > ENTRIES_MAX:
            del self._values[next(iter(self._values))]

    def younger(self, age_ms: int) -> list[tuple[K, V]]:
        """Give all values with their keys that are younger than an age."""
        now_ms = self._clock.now_ms()
        return [(key, value) for key, (at, value) in self._values.items() if now_ms - at < age_ms]

    def change(self, key: K, value: V) -> None:
        """Keep another value under a key, as old as the one before."""
        kept_ms, _ = self._values[key]
        self._values[key] = (kept_ms, value)

    def drop(self, key: K) -> None:
        """Forget a value."""
        self._values.pop(key, None)
