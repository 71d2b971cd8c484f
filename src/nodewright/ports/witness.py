"""Witness: who is told of what controllers decide and of what came of it.

A journal, logs and metrics are witnesses. They are told on the controllers' own path, so they answer
at once, wait for nothing and keep their own trouble to themselves.
"""

from collections.abc import Sequence
from typing import Protocol

from nodewright.model.decision import Decision
from nodewright.model.world import World
from nodewright.ports.kube import Answer


class Witness(Protocol):
    """Somebody who is told of decisions."""

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Take note of all that one look at a World led to, also of what is confirmed again."""
        ...

    def came_of(
        self, controller: str, decision: Decision, answer: Answer, duration_ms: int
    ) -> None:
        """Take note of what came of acting on a decision; those that only tell have no answer."""
        ...
