"""Seeded chance, one stream for each part of the world.

A stream is derived from the seed and its name, so that one part drawing more often does not change
what another part draws: small changes of a scenario make small changes of its history.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import Final

_NAME_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"


class Stream:
    """One source of chance."""

    def __init__(self, seed: str) -> None:
        digest = hashlib.sha256(seed.encode()).digest()
        self._random = random.Random(int.from_bytes(digest[:8]))  # noqa: S311 - must repeat itself

    def integer(self, low: int, high: int) -> int:
        """Draw a whole number; both ends belong to the range."""
        return low + int(self._random.random() * (high - low + 1))

    def fraction(self) -> float:
        """Draw a number from 0 up to, not including, 1."""
        return self._random.random()

    def happens(self, rate: float) -> bool:
        """Draw whether something of this probability happens; a rate of 0 draws nothing."""
        return rate > 0 and self._random.random() < rate

    def choose[T](self, among: Sequence[T]) -> T:
        """Draw one of several."""
        return among[int(self._random.random() * len(among))]

    def normal(self) -> float:
        """Draw from the normal distribution around 0."""
        return self._random.gauss(0.0, 1.0)

    def name_suffix(self, length: int = 5) -> str:
        """Draw the letters that Kubernetes puts behind a generated name."""
        return "".join(self.choose(_NAME_LETTERS) for _ in range(length))


class Chance:
    """All chance of a run."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._streams: dict[str, Stream] = {}

    def stream(self, name: str) -> Stream:
        """Give the stream of this name, the same one each time."""
        if name not in self._streams:
            self._streams[name] = Stream(f"{self.seed}/{name}")
        return self._streams[name]
