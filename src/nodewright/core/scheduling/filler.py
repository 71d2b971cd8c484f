"""The filler: an open machine is filled with the pods that match what is free on it best.

Sizes are ranked by how well they point the way that the free amounts point, so that no resource runs
out long before the others. The ranking is good for a while: it is made anew after a part of the
machine has been given away, not after every pod.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from nodewright.core.scheduling.batch import Batch, Entry, Ints
from nodewright.core.scheduling.board import Board, Fitting
from nodewright.core.scheduling.drafts import Draft, State
from nodewright.core.scheduling.duals import Vector
from nodewright.core.scheduling.firstfit import Filling
from nodewright.core.scheduling.joining import Joining
from nodewright.core.scheduling.ledger import Ledger
from nodewright.core.scheduling.wishes import Wish

_PARTS: Final = 12
"""The ranking is made anew after this part of a machine was given away."""


class Filler:
    """Fills drafts from one batch."""

    def __init__(
        self, board: Board, batch: Batch, joining: Joining, ledger: Ledger, filling: Filling
    ) -> None:
        self._board = board
        self._batch = batch
        self._joining = joining
        self._ledger = ledger
        self._filling = filling
        self._joins: dict[State, Ints] = {}
        # Every pod takes one of a node's `pods`, so that says nothing of a pod's shape.
        self._pods = board.resources.index("pods") if "pods" in board.resources else -1

    def demand(self, state: State) -> Vector:
        """Sum what is left and could join a draft in this state."""
        joins = self._joins.get(state)
        if joins is None:
            joins = self._joins[state] = np.array(
                [
                    row
                    for row, wish in enumerate(self._batch.wishes)
                    if self._could_join(state, wish)
                ],
                dtype=np.int64,
            )
        return self._batch.demand_of(joins)

    def _could_join(self, state: State, wish: Wish) -> bool:
        if self._joining.hosted(wish):
            return False
        supply = state.table.supply
        return self._board.tolerates(supply, wish) and isinstance(state.merge(wish, 0), State)

    def fill(self, draft: Draft, target: int) -> None:
        """Fill a draft up to the size of the type that it is to become."""
        whole = self._ledger.machine_free(draft.supply, target)
        free = [have - used for have, used in zip(whole, draft.totals, strict=True)]
        out = np.zeros(len(self._batch.members), dtype=np.bool_)
        while (order := self._ranked(free, whole, out)) is not None:
            given = 0.0
            for size in order:
                if not _fits(self._batch.amounts[size], free):
                    continue
                part = self._give(draft, size, free, whole, target)
                if part == 0.0:
                    out[size] = True
                given += part
                if given * _PARTS >= 1.0:
                    break

    def _ranked(
        self, free: list[int], whole: list[int], out: npt.NDArray[np.bool_]
    ) -> list[int] | None:
        """Order the sizes that fit by size and by how well they point to what is free."""
        batch = self._batch
        fits = (batch.left > 0) & ~out
        for index, have in enumerate(free):
            fits &= batch.columns[:, index] <= have
        sizes = np.flatnonzero(fits)
        if not len(sizes):
            return None
        along = np.zeros(len(sizes))
        length = np.zeros(len(sizes))
        reach = 0.0
        for index, (have, all_of_it) in enumerate(zip(free, whole, strict=True)):
            if all_of_it > 0 and index != self._pods:
                part, share = have / all_of_it, batch.columns[sizes, index] / float(all_of_it)
                along += share * part
                length += share * share
                reach += part * part
        # Length times the fourth power of the cosine: aligned first, then large.
        squares = np.maximum(length * max(reach, 1e-18), 1e-18)
        score = along * (along * along / squares) * np.sqrt(along * along / squares)
        order: list[int] = sizes[np.argsort(-score, kind="stable")].tolist()
        return order

    def _give(
        self, draft: Draft, size: int, free: list[int], whole: list[int], target: int
    ) -> float:
        """Put some pods of one size onto a draft; give the part of the machine that they took."""
        amounts = self._batch.amounts[size]
        most = step = 1 << 40
        part = 0.0
        for have, all_of_it, amount in zip(free, whole, amounts, strict=True):
            if amount:
                most = min(most, have // amount)
                step = min(step, max(1, all_of_it // (amount * _PARTS)))
                part = max(part, amount / all_of_it)
        wanted = min(most, step)
        placed = 0
        spent = 0
        for entry in self._batch.members[size]:
            if placed >= wanted:
                break
            if entry.left:
                placed += self._add(draft, entry, wanted - placed, target)
            spent += not entry.left
        if spent:
            members = self._batch.members
            members[size] = [entry for entry in members[size] if entry.left]
        if placed:
            for index, amount in enumerate(amounts):
                free[index] -= amount * placed
        return part * placed

    def _add(self, draft: Draft, entry: Entry, wanted: int, target: int) -> int:
        """Put up to so many pods of an entry onto a draft; give how many went."""
        board = self._board
        wish = entry.wish
        if wish.needs.exclusive & board.exclusive:
            return 0
        if self._joining.is_easy(draft.state, wish):
            count = min(wanted, entry.left, self._joining.room(draft, wish))
            if count > 0:
                board.put_easily(entry.shape, wish.level, draft, count)
                self._filling.note(draft, self._batch.take(entry, count))
            return count
        fitting = board.on_draft(entry.shape, wish, draft)
        if not isinstance(fitting, Fitting):
            return 0
        if not fitting.bits & draft.supply.type_bits[target]:
            return 0
        board.put_on_draft(entry.shape, wish.level, draft, fitting)
        self._filling.note(draft, self._batch.take(entry, 1))
        return 1


def _fits(amounts: tuple[int, ...], free: list[int]) -> bool:
    """Tell whether one pod of a size fits what is free now; ranking looked some pods ago."""
    for amount, have in zip(amounts, free, strict=True):  # noqa: SIM110 - asked too often for all()
        if amount > have:
            return False
    return True
