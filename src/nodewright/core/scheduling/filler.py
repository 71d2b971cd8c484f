"""The filler: an open machine is filled with the pods that match what is free on it best.

Sizes are ranked by how well they point the way that the free amounts point, so that no resource runs
out long before the others. The ranking is good for a while: it is made anew after a part of the
machine has been given away, not after every pod.
"""

from math import sqrt
from typing import Final

import numpy as np

from nodewright.core.scheduling.batch import Batch, Entry, Floats, Ints
from nodewright.core.scheduling.board import Board, Fitting
from nodewright.core.scheduling.drafts import Draft, State
from nodewright.core.scheduling.duals import Vector
from nodewright.core.scheduling.firstfit import Filling
from nodewright.core.scheduling.joining import Joining
from nodewright.core.scheduling.ledger import Ledger
from nodewright.core.scheduling.supply import Supply
from nodewright.core.scheduling.topology import GroupKind
from nodewright.core.scheduling.wishes import Wish

_PARTS: Final = 12
"""The ranking is made anew after this part of a machine was given away."""

_ARRAYS_FROM: Final = 48
"""More sizes than this are ranked as arrays, fewer one by one."""

_LEAST: Final = 1e-18
"""What is divided by where nothing is free, or nothing is asked for."""


class Shares:
    """What part of a machine one pod of each size takes: how well sizes suit what is free on it.

    The score of a size is its length times the fourth power of the cosine between it and what is free:
    aligned first, then large.
    """

    __slots__ = ("_few", "_length", "_parts", "_whole")

    def __init__(self, columns: Ints, whole: list[int], pods: int) -> None:
        self._whole = whole
        self._length: Floats = np.zeros(len(columns))
        self._parts: list[tuple[int, Floats]] = []
        for index, all_of_it in enumerate(whole):
            # Every pod takes one of a node's `pods`, so that says nothing of a pod's shape.
            if all_of_it > 0 and index != pods:
                share = columns[:, index] / float(all_of_it)
                self._length += share * share
                self._parts.append((index, share))
        parts = zip(*(share.tolist() for _, share in self._parts), strict=True)
        self._few = list(zip(self._length.tolist(), parts, strict=True)) if self._parts else []

    def _free_parts(self, free: list[int]) -> tuple[list[float], float]:
        parts = [free[index] / self._whole[index] for index, _ in self._parts]
        reach = 0.0
        for part in parts:
            reach += part * part
        return parts, max(reach, _LEAST)

    def rank(self, sizes: Ints, free: list[int], out: set[int]) -> list[int]:
        """Order sizes by their scores, the best first, without those that are out."""
        parts, reach = self._free_parts(free)
        along = np.zeros(len(sizes))
        for part, (_, share) in zip(parts, self._parts, strict=True):
            along += share[sizes] * part
        cosines = along * along / np.maximum(self._length[sizes] * reach, _LEAST)
        score = along * cosines * np.sqrt(cosines)
        order: list[int] = sizes[np.argsort(-score, kind="stable")].tolist()
        return [size for size in order if size not in out] if out else order

    def rank_few(self, sizes: list[int], free: list[int]) -> list[int]:
        """Order a few sizes by the same scores: for so few, arrays take longer to set up than to use."""
        if len(sizes) < 2 or not self._parts:
            return sizes
        parts, reach = self._free_parts(free)
        scored: list[tuple[float, int]] = []
        for size in sizes:
            length, shares = self._few[size]
            along = 0.0
            for share, part in zip(shares, parts, strict=True):
                along += share * part
            cosine = along * along / max(length * reach, _LEAST)
            scored.append((-(along * cosine * sqrt(cosine)), size))
        scored.sort()
        return [size for _, size in scored]


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
        self._shares: dict[tuple[Supply, int], Shares] = {}
        self._columns = [np.ascontiguousarray(one) for one in batch.columns.T]
        self._closed: set[int] = set()
        self._lonely: set[int] = set()
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
        shares = self._shares_of(draft.supply, target, whole)
        out: set[int] = set()
        self._ask_all_again()
        while order := self._ranked(free, shares, out):
            given = 0.0
            for size in order:
                if not _fits(self._batch.amounts[size], free):
                    continue
                part = self._give(draft, size, free, whole, target)
                if part == 0.0:
                    out.add(size)
                given += part
                if given * _PARTS >= 1.0:
                    break

    def _shares_of(self, supply: Supply, target: int, whole: list[int]) -> Shares:
        known = self._shares.get((supply, target))
        if known is None:
            known = Shares(self._batch.columns, whole, self._pods)
            self._shares[(supply, target)] = known
        return known

    def _ranked(self, free: list[int], shares: Shares, out: set[int]) -> list[int]:
        """Order the sizes that fit by size and by how well they point to what is free."""
        fits = self._batch.left > 0
        for column, have in zip(self._columns, free, strict=True):
            fits &= column <= have
        sizes = fits.nonzero()[0]
        if len(sizes) > _ARRAYS_FROM:
            return shares.rank(sizes, free, out)
        return shares.rank_few([one for one in sizes.tolist() if one not in out], free)

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
            number = entry.wish.number
            if entry.left and number not in self._closed and number not in self._lonely:
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
                self._ask_friends_again(wish)
            else:
                wants_friends = any(one.kind is GroupKind.AFFINITY for one in wish.owns)
                (self._lonely if wants_friends else self._closed).add(wish.number)
            return count
        fitting = board.on_draft(entry.shape, wish, draft)
        if not isinstance(fitting, Fitting):
            return 0
        if not fitting.bits & draft.supply.type_bits[target]:
            return 0
        board.put_on_draft(entry.shape, wish.level, draft, fitting)
        self._filling.note(draft, self._batch.take(entry, 1))
        self._ask_all_again()
        return 1

    def _ask_all_again(self) -> None:
        """Forget who was kept out: the draft is another one now."""
        self._closed.clear()
        self._lonely.clear()

    def _ask_friends_again(self, wish: Wish) -> None:
        """Ask those again who want to be near pods of a wish; more neighbours let nobody else in."""
        if self._lonely and any(one.kind is GroupKind.AFFINITY for one in wish.counted_by):
            self._lonely.clear()


def _fits(amounts: tuple[int, ...], free: list[int]) -> bool:
    """Tell whether one pod of a size fits what is free now; ranking looked some pods ago."""
    for amount, have in zip(amounts, free, strict=True):  # noqa: SIM110 - asked too often for all()
        if amount > have:
            return False
    return True
