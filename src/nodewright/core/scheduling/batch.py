"""The batch: shapes with pods still to be placed, as columns, at one level of their ladders."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nodewright.core.scheduling.duals import Vector
from nodewright.core.scheduling.topology import GroupKind
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.pod import Pod

type Floats = npt.NDArray[np.float64]
type Ints = npt.NDArray[np.int64]


class Batch:
    """Shapes at one level with what is left of each, most worth first."""

    def __init__(self, entries: Sequence[tuple[Shape, Wish, list[Pod]]], resources: int) -> None:
        self.shapes = [shape for shape, _, _ in entries]
        self.wishes = [wish for _, wish, _ in entries]
        self.pods = [pods for _, _, pods in entries]
        self.amounts: Ints = np.array(
            [shape.amounts for shape in self.shapes], dtype=np.int64
        ).reshape(len(entries), resources)
        self.left: Ints = np.array([len(pods) for pods in self.pods], dtype=np.int64)
        numbers: dict[int, int] = {}
        for wish in self.wishes:
            numbers.setdefault(wish.number, len(numbers))
        self.wish_row: Ints = np.array(
            [numbers[wish.number] for wish in self.wishes], dtype=np.int64
        )
        by_row = {numbers[wish.number]: wish for wish in self.wishes}
        self.distinct: list[Wish] = [by_row[row] for row in range(len(by_row))]

    def demand(self) -> Floats:
        """Sum what all pods that are left ask for."""
        return np.asarray((self.amounts * self.left[:, None]).sum(axis=0), dtype=np.float64)

    def demand_by_wish(self) -> Floats:
        """Sum what is left, a row per distinct wish."""
        rows = np.zeros((len(self.distinct), self.amounts.shape[1]))
        np.add.at(rows, self.wish_row, (self.amounts * self.left[:, None]).astype(np.float64))
        return rows

    def values(self, worth: Vector) -> Floats:
        """Say what each shape is worth."""
        value = np.zeros(len(self.shapes))
        for index in range(self.amounts.shape[1]):
            value += self.amounts[:, index] * float(worth[index])
        return value

    def take(self, index: int, count: int) -> list[Pod]:
        """Take pods of one shape out of the batch, oldest first."""
        pods = self.pods[index]
        taken, self.pods[index] = pods[:count], pods[count:]
        self.left[index] -= count
        return taken


def limits_itself(wish: Wish) -> bool:
    """Tell whether pods of a wish keep each other off a node."""
    return any(
        group.is_hostname
        and group in wish.counted_by
        and group.kind in (GroupKind.ANTI_AFFINITY, GroupKind.SPREAD)
        for group in wish.owns
    )


def is_choosy(wish: Wish) -> bool:
    """Tell whether a wish minds what else is on its node."""
    return any(group.is_hostname for group in wish.owns)
