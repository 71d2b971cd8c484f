"""Chance, from a seed: the same seed makes the same problem on every machine."""

import random
import uuid
from collections.abc import Sequence

NAMESPACES = {"default": {}, "other": {"env": "test"}, "third": {"env": "live"}}
APPS = ("api", "cache", "db", "front", "jobs", "queue")
TEAMS = ("red", "blue")


class Dice:
    """A source of choices, and of names that do not repeat."""

    def __init__(self, seed: int | str) -> None:
        self.random = random.Random(f"problem {seed}")
        self.counts: dict[str, int] = {}

    def chance(self, probability: float) -> bool:
        """True as often as told."""
        return self.random.random() < probability

    def pick[T](self, things: Sequence[T]) -> T:
        """One of these."""
        return things[self.random.randrange(len(things))]

    def some[T](self, things: Sequence[T], least: int = 1, most: int | None = None) -> list[T]:
        """A few of these, in their own order."""
        count = self.random.randint(least, min(most or len(things), len(things)))
        chosen = set(self.random.sample(range(len(things)), count))
        return [thing for index, thing in enumerate(things) if index in chosen]

    def number(self, least: int, most: int) -> int:
        """A whole number between these, both included."""
        return self.random.randint(least, most)

    def uid(self) -> str:
        """A UID."""
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def name(self, prefix: str) -> str:
        """A new name: `prefix-000`, `prefix-001`, …"""
        count = self.counts.get(prefix, 0)
        self.counts[prefix] = count + 1
        return f"{prefix}-{count:03d}"
