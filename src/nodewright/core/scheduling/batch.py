"""The batch: what is still to be placed at one level of the ladders, grouped by size.

Shapes of the same amounts are one size: whether a machine has room, and how well it would be filled,
is the same for all of them, so it is asked once per size. Columns hold amounts and counts.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nodewright.core.scheduling.duals import Vector
from nodewright.core.scheduling.topology import GroupKind
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.pod import Pod

type Floats = npt.NDArray[np.float64]
type Ints = npt.NDArray[np.int64]


class Entry:
    """Pods of one shape at one level, and how many of them are left."""

    __slots__ = ("apart", "choosy", "cursor", "left", "pods", "shape", "size", "wish", "wish_row")

    def __init__(self, shape: Shape, wish: Wish, pods: list[Pod]) -> None:
        self.shape = shape
        self.wish = wish
        self.pods = pods
        self.left = len(pods)
        self.cursor = 0
        self.size = 0
        self.wish_row = 0
        self.choosy = any(group.is_hostname for group in (*wish.owns, *wish.kept_away_by))
        self.apart = self.choosy and _limits_itself(wish)

    def take(self, count: int) -> list[Pod]:
        """Take pods out, oldest first."""
        taken = self.pods[self.cursor : self.cursor + count]
        self.cursor += count
        self.left -= count
        return taken

    def rest(self) -> list[Pod]:
        """Give the pods that are left."""
        return self.pods[self.cursor :]


class Batch:
    """Entries grouped by size."""

    def __init__(self, entries: Sequence[Entry], resources: int) -> None:
        self.entries = entries
        sizes: dict[tuple[int, ...], int] = {}
        wishes: dict[int, int] = {}
        self.wishes: list[Wish] = []
        self.members: list[list[Entry]] = []
        for entry in entries:
            size = sizes.setdefault(entry.shape.amounts, len(sizes))
            if size == len(self.members):
                self.members.append([])
            self.members[size].append(entry)
            entry.size = size
            entry.wish_row = wishes.setdefault(entry.wish.number, len(wishes))
            if entry.wish_row == len(self.wishes):
                self.wishes.append(entry.wish)
        self.amounts: list[tuple[int, ...]] = list(sizes)
        self.columns: Ints = np.array(self.amounts, dtype=np.int64).reshape(
            len(self.amounts), resources
        )
        self.left: Ints = np.array(
            [sum(entry.left for entry in many) for many in self.members], dtype=np.int64
        )
        self._by_wish: Floats = np.zeros((len(self.wishes), resources))
        self._floats: Floats = self.columns.astype(np.float64)
        # What was taken since demand was last asked for: it is asked for far less often.
        self._taken: list[tuple[int, int, int]] = []
        if entries:
            rows, kinds, counts = np.array(
                [(entry.wish_row, entry.size, entry.left) for entry in entries], dtype=np.int64
            ).T
            np.add.at(self._by_wish, rows, self._floats[kinds] * counts[:, None])

    def take(self, entry: Entry, count: int) -> list[Pod]:
        """Take pods of an entry out of the batch."""
        self.left[entry.size] -= count
        self._taken.append((entry.wish_row, entry.size, count))
        return entry.take(count)

    def demand(self) -> Floats:
        """Sum what all pods that are left ask for."""
        self._settle()
        return np.asarray(self._by_wish.sum(axis=0), dtype=np.float64)

    def demand_of(self, wish_rows: Ints) -> Floats:
        """Sum what the pods of some wishes ask for that are left."""
        self._settle()
        return np.asarray(self._by_wish[wish_rows].sum(axis=0), dtype=np.float64)

    def _settle(self) -> None:
        """Subtract what was taken, in the order in which it was."""
        if self._taken:
            wish_rows, sizes, counts = np.array(self._taken, dtype=np.int64).T
            amounts = self._floats[sizes] * counts[:, None]
            np.subtract.at(self._by_wish, wish_rows, amounts)
            self._taken.clear()

    def by_value(self, worth: Vector) -> list[int]:
        """Order sizes by what they are worth, dearest first, ties in order of appearance."""
        value = np.zeros(len(self.amounts))
        for index in range(self.columns.shape[1]):
            value += self.columns[:, index] * float(worth[index])
        return [int(size) for size in np.argsort(-value, kind="stable")]


def _limits_itself(wish: Wish) -> bool:
    """Tell whether pods of a wish keep each other off a node."""
    return any(
        group.is_hostname
        and group in wish.counted_by
        and group.kind in (GroupKind.ANTI_AFFINITY, GroupKind.SPREAD)
        for group in wish.owns
    )
