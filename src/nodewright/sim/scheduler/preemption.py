"""Preemption: a pod of higher priority may take the place of lower ones when nothing else is left.

Of all rows where the pod would fit without the pods below it, the one is taken that breaks the
fewest disruption budgets, then loses the least priority, then the fewest pods. As many victims as
possible are spared, the most important first.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np

from nodewright.sim.scheduler.shape import Shape
from nodewright.sim.scheduler.table import Mask, NodeTable

_ROWS_MAX: Final = 100


class Placed(msgspec.Struct, frozen=True):
    """A pod on a row."""

    key: str
    shape: Shape
    since: str


class Choice(msgspec.Struct, frozen=True):
    """A row and the pods that would have to go."""

    row: int
    victims: tuple[Placed, ...]
    broken_budgets: int


def choose_victims(
    table: NodeTable,
    shape: Shape,
    rows: Mask,
    pods_on: Callable[[int], Sequence[Placed]],
    is_protected: Callable[[str], bool],
) -> Choice | None:
    """Find the row where preempting hurts least, or nothing where it would not help."""
    choices = []
    for row in np.flatnonzero(rows):
        choice = _choose_on(table, shape, int(row), pods_on(int(row)), is_protected)
        if choice is not None:
            choices.append(choice)
        if len(choices) >= _ROWS_MAX:
            break
    return min(choices, key=_pain, default=None)


def _choose_on(
    table: NodeTable,
    shape: Shape,
    row: int,
    pods: Sequence[Placed],
    is_protected: Callable[[str], bool],
) -> Choice | None:
    lower = [pod for pod in pods if pod.shape.priority < shape.priority]
    if not lower:
        return None
    left = table.alloc[row] - table.used[row]
    vector, columns = table.vector(shape)
    left = left[: len(table.columns)].copy()
    for pod in lower:
        gone, _ = table.vector(pod.shape)
        left[: len(gone)] += gone
    if any(left[column] < vector[column] for column in columns):
        return None
    left[: len(vector)] -= vector
    victims = []
    # Budgets are spared first, then the important and the old.
    for pod in sorted(lower, key=lambda p: (not is_protected(p.key), -p.shape.priority, p.since)):
        back, used = table.vector(pod.shape)
        if all(left[column] >= back[column] for column in used):
            left[: len(back)] -= back
        else:
            victims.append(pod)
    if not victims:
        return None
    return Choice(row, tuple(victims), sum(is_protected(pod.key) for pod in victims))


def _pain(choice: Choice) -> tuple[int, int, int, int, int]:
    priorities = [pod.shape.priority for pod in choice.victims]
    return (
        choice.broken_budgets, max(priorities), sum(priorities), len(priorities), choice.row
    )  # fmt: skip
