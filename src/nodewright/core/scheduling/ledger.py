"""The ledger: what is left on every draft, as columns that a whole batch is compared with at once.

A draft pays for the cheapest machine that fits what is on it; the ledger holds what that machine
still has free. Filling it costs nothing, so places with enough slack come before anything dearer.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.duals import Vector
from nodewright.core.scheduling.masks import Mask
from nodewright.core.scheduling.supply import Bits, Supply

type Column = npt.NDArray[np.int64]

FREE_MAX: Final = 1 << 61
"""More than any machine has; larger amounts are cut to it, so that columns can hold them."""

_FIRST_ROWS: Final = 256


class Ledger:
    """Columns over drafts: free amounts and the worth of what is free."""

    def __init__(self, board: Board, worth: Vector) -> None:
        self.board = board
        self.worth = [float(one) for one in worth]
        self.rows = 0
        self._free: list[Column] = [np.zeros(_FIRST_ROWS, dtype=np.int64) for _ in board.resources]
        self._value = np.zeros(_FIRST_ROWS)
        self._rows: list[list[int]] = []
        self._machine_free: dict[tuple[Supply, int], list[int]] = {}
        for draft in board.drafts:
            self.refresh(draft)

    def _grow(self, rows: int) -> None:
        while rows > len(self._value):
            self._free = [np.concatenate((one, np.zeros_like(one))) for one in self._free]
            self._value = np.concatenate((self._value, np.zeros_like(self._value)))
        while len(self._rows) < rows:
            self._rows.append([])
        self.rows = max(self.rows, rows)

    def machine_free(self, supply: Supply, type_index: int) -> list[int]:
        """Give what pods can use of a type, in the order of the board's resources."""
        key = (supply, type_index)
        known = self._machine_free.get(key)
        if known is None:
            free = supply.free(type_index)
            known = self._machine_free[key] = [
                min(free.get(name, 0), FREE_MAX) for name in self.board.resources
            ]
        return known

    def paid_type(self, draft: Draft) -> int:
        """Give the type that a draft pays for now."""
        bits: Bits = draft.bits
        limits = self.board.limits.get(draft.supply)
        if limits is not None:
            bits = (bits & limits.allowed(draft)) or bits
        return draft.supply.ways[(bits & -bits).bit_length() - 1].type_index

    def refresh(self, draft: Draft) -> None:
        """Write a draft's row anew, by what it pays for."""
        free = self.machine_free(draft.supply, self.paid_type(draft))
        self.write_row(draft.number, [a - b for a, b in zip(free, draft.totals, strict=True)])

    def write_row(self, row: int, free: list[int]) -> None:
        """Write what is free on one draft."""
        if row >= self.rows:
            self._grow(row + 1)
        self._rows[row] = free
        value = 0.0
        for column, amount, worth in zip(self._free, free, self.worth, strict=True):
            column[row] = amount
            value += amount * worth
        self._value[row] = value

    def write_rows(self, first: int, count: int, free: list[int]) -> None:
        """Write the same free amounts into a run of rows."""
        self._grow(first + count)
        for row in range(first, first + count):
            self._rows[row] = free
        value = 0.0
        for column, amount, worth in zip(self._free, free, self.worth, strict=True):
            column[first : first + count] = amount
            value += amount * worth
        self._value[first : first + count] = value

    def free_row(self, row: int) -> list[int]:
        """Give what is free on one draft."""
        return self._rows[row]

    def roomy(self, amounts: tuple[int, ...]) -> Mask:
        """Tell which drafts have enough free for a size without paying more."""
        rows = self.rows
        mask: Mask | None = None
        for column, amount in zip(self._free, amounts, strict=True):
            if amount:
                enough = column[:rows] >= amount
                mask = enough if mask is None else mask & enough
        return np.ones(rows, dtype=np.bool_) if mask is None else mask

    def tightest(self, mask: Mask, count: int | None = None) -> list[int]:
        """Give the rows of a mask with the least left over first, ties by number."""
        rows = np.flatnonzero(mask)
        if len(rows) > 1:
            rows = rows[np.argsort(self._value[rows], kind="stable")]
        found: list[int] = rows[:count].tolist()
        return found
