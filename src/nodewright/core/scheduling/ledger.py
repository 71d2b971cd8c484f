"""The ledger: what is left on every draft, as columns that a whole batch is compared with at once.

A draft pays for the cheapest machine that fits what is on it; the ledger holds what that machine
still has free. Filling it costs nothing, so places with enough slack come before anything dearer.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.drafts import Draft, State
from nodewright.core.scheduling.duals import Vector
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.wishes import Shape, Wish

type Column = npt.NDArray[np.int64]
type Mask = npt.NDArray[np.bool_]

_FIRST_ROWS: Final = 256


class Ledger:
    """Columns over drafts: free amounts, worth of what is free, and which state each is in."""

    def __init__(self, board: Board, worth: Vector) -> None:
        self.board = board
        self.worth = worth
        self.rows = 0
        self._free: list[Column] = [np.zeros(_FIRST_ROWS, dtype=np.int64) for _ in board.resources]
        self._value = np.zeros(_FIRST_ROWS)
        self._state = np.zeros(_FIRST_ROWS, dtype=np.int32)
        self._state_numbers: dict[State, int] = {}
        self._states: list[State] = []
        self._easy: dict[int, Mask] = {}
        self._machine_free: dict[tuple[Supply, int], Column] = {}
        for draft in board.drafts:
            self.refresh(draft)

    def _grow(self, rows: int) -> None:
        while rows > len(self._value):
            self._free = [np.concatenate((one, np.zeros_like(one))) for one in self._free]
            self._value = np.concatenate((self._value, np.zeros_like(self._value)))
            self._state = np.concatenate((self._state, np.zeros_like(self._state)))
        self.rows = max(self.rows, rows)

    def machine_free(self, supply: Supply, type_index: int) -> Column:
        """Give what pods can use of a type, in the order of the board's resources."""
        key = (supply, type_index)
        known = self._machine_free.get(key)
        if known is None:
            free = supply.free(type_index)
            known = self._machine_free[key] = np.array(
                [free.get(name, 0) for name in self.board.resources], dtype=np.int64
            )
        return known

    def paid_type(self, draft: Draft) -> int:
        """Give the type that a draft pays for now."""
        bits: Bits = draft.bits
        limits = self.board.limits.get(draft.supply)
        if limits is not None:
            bits = (bits & limits.allowed(draft)) or bits
        return draft.supply.ways[(bits & -bits).bit_length() - 1].type_index

    def refresh(self, draft: Draft, target: int | None = None) -> None:
        """Write a draft's row anew, by what it pays for or by the type that it is to become."""
        self._grow(draft.number + 1)
        row = draft.number
        kind = self.paid_type(draft) if target is None else target
        free = self.machine_free(draft.supply, kind)
        value = 0.0
        for index, column in enumerate(self._free):
            left = int(free[index]) - draft.totals[index]
            column[row] = left
            value += left * float(self.worth[index])
        self._value[row] = value
        number = self._state_numbers.get(draft.state)
        if number is None:
            number = self._state_numbers[draft.state] = len(self._states)
            self._states.append(draft.state)
            self._easy.clear()
        self._state[row] = number

    def take(self, row: int, shape: Shape, count: int) -> None:
        """Take amounts off a row."""
        value = 0.0
        for index, amount in enumerate(shape.amounts):
            if amount:
                self._free[index][row] -= amount * count
                value += amount * float(self.worth[index])
        self._value[row] -= value * count

    def free_row(self, row: int) -> list[int]:
        """Give what is free on one draft."""
        return [int(column[row]) for column in self._free]

    def roomy(self, shape: Shape) -> Mask:
        """Tell which drafts have enough free for a shape without paying more."""
        rows = self.rows
        mask: Mask | None = None
        for index, amount in enumerate(shape.amounts):
            if amount:
                enough = self._free[index][:rows] >= amount
                mask = enough if mask is None else mask & enough
        return np.ones(rows, dtype=np.bool_) if mask is None else mask

    def easy(self, wish: Wish) -> Mask:
        """Tell which drafts take a wish without changing what they may be."""
        known = self._easy.get(wish.number)
        if known is None:
            known = self._easy[wish.number] = np.fromiter(
                (is_easy(self.board, state, wish) for state in self._states),
                dtype=np.bool_,
                count=len(self._states),
            )
        return known[self._state[: self.rows]]

    def tightest(self, mask: Mask, count: int) -> list[int]:
        """Give the rows of a mask with the least left over, at most so many, ties by number."""
        rows = np.flatnonzero(mask)
        if len(rows) <= 1:
            return [int(row) for row in rows]
        order = np.argsort(self._value[rows], kind="stable")[:count]
        return [int(row) for row in rows[order]]


def is_easy(board: Board, state: State, wish: Wish) -> bool:
    """Tell whether a wish changes nothing about a draft in this state but its amounts."""
    supply = state.table.supply
    if board.min_values[supply] or supply.reserved or wish.ports or wish.needs.alternatives:
        return False
    if wish.needs.exclusive or not board.tolerates(supply, wish):
        return False
    if any(not group.is_hostname for group in (*wish.owns, *wish.kept_away_by)):
        return False
    return state.merge(wish, 0) is state


def unpack(bits: int, rows: int) -> Mask:
    """Spread the bits of an integer over a mask."""
    if not bits:
        return np.zeros(rows, dtype=np.bool_)
    data = (bits & ((1 << rows) - 1)).to_bytes((rows + 7) // 8, "little")
    return np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=rows, bitorder="little").astype(
        np.bool_
    )
