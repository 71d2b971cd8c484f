"""Chance, as controllers may use it: for jitter and for names, always from outside."""

from typing import Protocol


class Random(Protocol):
    """Where chance comes from; a seeded one repeats itself."""

    def integer(self, low: int, high: int) -> int:
        """Draw a whole number; both ends belong to the range."""
        ...

    def fraction(self) -> float:
        """Draw a number from 0 up to, not including, 1."""
        ...
