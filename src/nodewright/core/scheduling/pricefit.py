"""Price in charge: fill what is paid for, then buy the machine that gives most for its price.

Pods that keep each other apart come first, because they say how many nodes there must be. Whatever
fits into the slack of a machine that is paid for anyway goes there, tightest first. For the rest a
machine is opened that is worth most per price, given what is left to place, and filled with the pods
that match its free amounts best; when it is done it becomes the cheapest type that holds what is on
it. Preferences and pool weights are never traded for price.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from nodewright.core.scheduling.batch import Batch, is_choosy, limits_itself
from nodewright.core.scheduling.board import Board, Fitting
from nodewright.core.scheduling.drafts import Draft, State
from nodewright.core.scheduling.duals import Matrix, Vector, shadow_prices
from nodewright.core.scheduling.firstfit import Filling, blocked_drafts
from nodewright.core.scheduling.hostfit import HostFit
from nodewright.core.scheduling.ledger import Ledger, Mask, is_easy, unpack
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.pod import Pod
from nodewright.model.reason import Reason

_TRIES_MAX: Final = 6
"""How many drafts are asked when a wish would narrow them."""

_COPIES_SHARE: Final = 8
"""At most this part of a machine is given to one shape in one step, so that amounts balance."""


class PriceFit:
    """One price-led filling of a board."""

    def __init__(self, board: Board, shapes: list[Shape], filling: Filling) -> None:
        self.board = board
        self.filling = filling
        self.waiting: list[tuple[Shape, list[Pod]]] = [
            (shape, sorted(shape.pods, key=_oldest)) for shape in shapes
        ]
        self.market = Market(board)
        self.worth: Vector = np.zeros(len(board.resources))
        self.ledger = Ledger(board, self.worth)
        self.hosts = HostFit(board)

    def run(self) -> list[tuple[Shape, Pod]]:
        """Fill the board level by level; give the pods that found no place."""
        level = 0
        behind: list[tuple[Shape, Pod]] = []
        while self.waiting:
            entries = []
            for shape, pods in self.waiting:
                wish = shape.ladder.rung(level)
                if wish is None:
                    behind += [(shape, pod) for pod in pods]
                else:
                    entries.append((shape, wish, pods))
            self.waiting = self._fill_level(entries)
            level += 1
        return behind

    def _fill_level(
        self, entries: list[tuple[Shape, Wish, list[Pod]]]
    ) -> list[tuple[Shape, list[Pod]]]:
        batch = Batch(entries, len(self.board.resources))
        for index in self._by_value(batch):
            if self.board.hosts:
                self.hosts.fill(batch, index)
        if not self.worth.any():
            self.worth = self.market.worth(batch.demand())
            self.ledger.worth = self.worth
        for index in self._by_value(batch):
            self._top_up(batch, index)
            if limits_itself(batch.wishes[index]):
                self._open_apart(batch, index)
        deferred = self._open_rest(batch)
        for index in deferred:
            self.filling.deferred.update(pod.key for pod in batch.pods[index])
        left = [
            (shape, pods)
            for index, (shape, pods) in enumerate(zip(batch.shapes, batch.pods, strict=True))
            if pods and index not in deferred
        ]
        self.filling.left += [
            (batch.shapes[index], pod) for index in sorted(deferred) for pod in batch.pods[index]
        ]
        return left

    def _by_value(self, batch: Batch) -> list[int]:
        """Order shapes: those that keep apart, those that mind their neighbours, then by worth."""
        values = batch.values(self.worth if self.worth.any() else _plain_worth(self.board))
        return sorted(
            range(len(batch.shapes)),
            key=lambda index: (
                not limits_itself(batch.wishes[index]),
                not is_choosy(batch.wishes[index]),
                -values[index],
                index,
            ),
        )

    def _top_up(self, batch: Batch, index: int) -> None:
        """Put pods into the slack of drafts that are paid for anyway."""
        ledger = self.ledger
        shape, wish = batch.shapes[index], batch.wishes[index]
        if not ledger.rows or wish.needs.exclusive & self.board.exclusive:
            return
        one_each = is_choosy(wish)
        while batch.left[index] > 0:
            mask = ledger.roomy(shape)
            blocked = blocked_drafts(wish)
            if blocked:
                mask &= ~unpack(blocked, ledger.rows)
            if not mask.any():
                return
            easy = mask & ledger.easy(wish)
            if easy.any():
                for row in ledger.tightest(easy, int(batch.left[index])):
                    count = 1 if one_each else self.copies(batch, index, row)
                    if count:
                        self.put_easily(batch, index, self.board.drafts[row], count)
                continue
            if not self._narrow_one(batch, index, ledger.tightest(mask, _TRIES_MAX)):
                return

    def copies(self, batch: Batch, index: int, row: int) -> int:
        """Say how many pods of a shape still fit on a draft."""
        free = self.ledger.free_row(row)
        most = int(batch.left[index])
        for have, amount in zip(free, batch.shapes[index].amounts, strict=True):
            if amount:
                most = min(most, have // amount)
        return most

    def put_easily(self, batch: Batch, index: int, draft: Draft, count: int) -> None:
        """Put pods onto a draft that has room and does not change."""
        shape = batch.shapes[index]
        self.board.put_easily(shape, batch.wishes[index].level, draft, count)
        self.ledger.take(draft.number, shape, count)
        self.filling.note(draft, *batch.take(index, count))

    def _narrow_one(self, batch: Batch, index: int, rows: list[int]) -> bool:
        """Put one pod onto the first of these drafts that takes it at no higher price."""
        shape, wish = batch.shapes[index], batch.wishes[index]
        for row in rows:
            draft = self.board.drafts[row]
            before = self._price(draft, draft.bits)
            fitting = self.board.on_draft(shape, wish, draft)
            if isinstance(fitting, Fitting) and self._price(draft, fitting.bits) <= before:
                self.board.put_on_draft(shape, wish.level, draft, fitting)
                self.ledger.refresh(draft)
                self.filling.note(draft, *batch.take(index, 1))
                return True
        return False

    def _price(self, draft: Draft, bits: Bits) -> int:
        return draft.supply.ways[(bits & -bits).bit_length() - 1].offering.price

    def _open_apart(self, batch: Batch, index: int) -> None:
        """Open a draft for each pod of a shape that shares a node with none of its own."""
        shape, wish = batch.shapes[index], batch.wishes[index]
        while batch.left[index] > 0:
            opened = self.market.open(shape, wish, None)
            if not isinstance(opened, Opening):
                return
            draft = self.board.new_draft(opened.supply)
            self.board.put_on_draft(shape, wish.level, draft, opened.fitting)
            self.ledger.refresh(draft)
            self.filling.note(draft, *batch.take(index, 1))

    def _open_rest(self, batch: Batch) -> set[int]:
        """Open machines for what is left, each filled before the next; give who must wait."""
        deferred: set[int] = set()
        filler = Filler(self, batch)
        for index in self._by_value(batch):
            shape, wish = batch.shapes[index], batch.wishes[index]
            while batch.left[index] > 0 and not wish.needs.exclusive & self.board.exclusive:
                opened = self.market.open(shape, wish, filler)
                if opened is Reason.RESERVATION_TAKEN:
                    deferred.add(index)
                if not isinstance(opened, Opening):
                    break
                draft = self.board.new_draft(opened.supply)
                self.board.put_on_draft(shape, wish.level, draft, opened.fitting)
                self.filling.note(draft, *batch.take(index, 1))
                filler.fill(draft, opened.target)
                self.ledger.refresh(draft)
        return deferred


class Opening:
    """A machine worth opening for a pod: its pool, how the pod fits, and the type to fill up."""

    __slots__ = ("fitting", "supply", "target")

    def __init__(self, supply: Supply, fitting: Fitting, target: int) -> None:
        self.supply = supply
        self.fitting = fitting
        self.target = target


class Market:
    """What can be bought, as columns."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._free: dict[Supply, Matrix] = {}
        self._prices: dict[Supply, Vector] = {}
        self.value_of: Vector = np.zeros(len(board.resources))
        for supply in board.supplies:
            by_type = [
                [supply.free(index).get(name, 0) for name in board.resources]
                for index in range(len(supply.types))
            ]
            table = np.array(by_type, dtype=np.float64).reshape(len(by_type), len(board.resources))
            rows = np.array([way.type_index for way in supply.ways], dtype=np.int64)
            self._free[supply] = table[rows].T
            self._prices[supply] = np.array(
                [way.offering.price for way in supply.ways], dtype=np.float64
            )

    def worth(self, demand: Vector) -> Vector:
        """Say what a unit of each resource is worth, given all that is to be placed."""
        columns, prices = [], []
        for supply in self.board.supplies:
            usable = unpack(self.board.tables[supply].start.bits, len(supply.ways))
            columns.append(self._free[supply][:, usable])
            prices.append(self._prices[supply][usable])
        if not columns:
            return self.value_of
        self.value_of = shadow_prices(demand, np.hstack(columns), np.concatenate(prices))
        return self.value_of

    def open(self, shape: Shape, wish: Wish, filler: "Filler | None") -> Opening | Reason:
        """Choose what to open for a pod: the heaviest pools that can, best value among them."""
        refusal = Reason.NO_POOL
        for tier in self._tiers():
            best: tuple[float, Opening] | None = None
            for supply in tier:
                fitting = self.board.on_draft(shape, wish, self.board.new_draft(supply))
                if not isinstance(fitting, Fitting):
                    if fitting is Reason.RESERVATION_TAKEN:
                        return fitting
                    refusal = fitting
                    continue
                cost, target = self._best_way(supply, shape, fitting, filler)
                if best is None or cost < best[0]:
                    best = (cost, Opening(supply, fitting, target))
            if best is not None:
                return best[1]
        return refusal

    def _tiers(self) -> Iterator[list[Supply]]:
        tier: list[Supply] = []
        for supply in self.board.supplies:
            if tier and (supply.pool.spec.weight or 0) != (tier[0].pool.spec.weight or 0):
                yield tier
                tier = []
            tier.append(supply)
        if tier:
            yield tier

    def _best_way(
        self, supply: Supply, shape: Shape, fitting: Fitting, filler: "Filler | None"
    ) -> tuple[float, int]:
        """Give the cost per worth, and the type, of the best machine for a pod and its company."""
        bits = fitting.bits
        limits = self.board.limits.get(supply)
        if limits is not None:
            bits &= limits.allowed(None)
        cheapest = supply.ways[(bits & -bits).bit_length() - 1]
        if filler is None or supply.reserved & bits:
            return float(cheapest.offering.price), cheapest.type_index
        demand = filler.demand(fitting.state)
        usable = np.flatnonzero(unpack(bits, len(supply.ways)))
        value = np.zeros(len(usable))
        for index in range(len(self.board.resources)):
            wanted = max(demand[index], float(shape.amounts[index]))
            value += np.minimum(self._free[supply][index][usable], wanted) * float(
                self.value_of[index]
            )
        prices = self._prices[supply][usable]
        cost = np.where(value > 0, prices / np.where(value > 0, value, 1.0), np.inf)
        if not np.isfinite(cost).any():
            return float(cheapest.offering.price), cheapest.type_index
        # Of machines that cost the same for what they hold, the larger one means fewer nodes.
        equal = cost <= float(cost.min()) * (1.0 + 1e-9)
        best = int(np.argmax(np.where(equal, value, -1.0)))
        return float(cost[best]), supply.ways[int(usable[best])].type_index


class Filler:
    """Fills an open machine with the pods that match what is free on it best."""

    def __init__(self, fit: PriceFit, batch: Batch) -> None:
        self._fit = fit
        self._batch = batch
        self._joins: dict[State, Mask] = {}
        self._easy: dict[State, Mask] = {}
        self._choosy = np.array([is_choosy(wish) for wish in batch.distinct], dtype=np.bool_)

    def demand(self, state: State) -> Vector:
        """Sum what is left and could join a draft in this state."""
        by_wish = self._batch.demand_by_wish()
        joins = self._can_join(state) & ~self._choosy
        return np.asarray(by_wish[joins].sum(axis=0), dtype=np.float64)

    def _can_join(self, state: State) -> Mask:
        known = self._joins.get(state)
        if known is None:
            board = self._fit.board
            known = self._joins[state] = np.array(
                [
                    board.tolerates(state.table.supply, wish)
                    and isinstance(state.merge(wish, 0), State)
                    for wish in self._batch.distinct
                ],
                dtype=np.bool_,
            )
        return known

    def _is_easy(self, state: State) -> Mask:
        known = self._easy.get(state)
        if known is None:
            board = self._fit.board
            known = self._easy[state] = np.array(
                [is_easy(board, state, wish) for wish in self._batch.distinct], dtype=np.bool_
            )
        return known

    def fill(self, draft: Draft, target: int) -> None:
        """Fill a draft up to the size of the type that it is to become."""
        fit, batch = self._fit, self._batch
        ledger = fit.ledger
        ledger.refresh(draft, target)
        whole = np.maximum(ledger.machine_free(draft.supply, target).astype(np.float64), 1.0)
        out = np.zeros(len(batch.shapes), dtype=np.bool_)
        while True:
            free = np.array(ledger.free_row(draft.number), dtype=np.int64)
            joins = self._can_join(draft.state)[batch.wish_row]
            fits = joins & ~out & (batch.left > 0)
            score = np.zeros(len(batch.shapes))
            for index in range(len(free)):
                column = batch.amounts[:, index]
                fits &= column <= free[index]
                score += column * (float(free[index]) / (whole[index] * whole[index]))
            if not fits.any():
                return
            best = int(np.argmax(np.where(fits, score, -1.0)))
            if not self._add(draft, best, target):
                out |= batch.wish_row == batch.wish_row[best]

    def _add(self, draft: Draft, index: int, target: int) -> bool:
        fit, batch = self._fit, self._batch
        shape, wish = batch.shapes[index], batch.wishes[index]
        if wish.needs.exclusive & fit.board.exclusive:
            return False
        if blocked_drafts(wish) >> draft.number & 1:
            return False
        row = batch.wish_row[index]
        if self._is_easy(draft.state)[row]:
            count = 1 if self._choosy[row] else self._step(draft, index, target)
            fit.put_easily(batch, index, draft, count)
            return True
        fitting = fit.board.on_draft(shape, wish, draft)
        if not isinstance(fitting, Fitting):
            return False
        if not fitting.bits & draft.supply.type_bits[target]:
            return False
        fit.board.put_on_draft(shape, wish.level, draft, fitting)
        fit.ledger.refresh(draft, target)
        fit.filling.note(draft, *batch.take(index, 1))
        return True

    def _step(self, draft: Draft, index: int, target: int) -> int:
        """Say how many pods of a shape to add at once: few enough that amounts stay balanced."""
        fit, batch = self._fit, self._batch
        copies = fit.copies(batch, index, draft.number)
        whole = fit.ledger.machine_free(draft.supply, target)
        for have, amount in zip(whole, batch.shapes[index].amounts, strict=True):
            if amount:
                copies = min(copies, max(1, int(have) // (amount * _COPIES_SHARE)))
        return max(1, copies)


def _plain_worth(board: Board) -> Vector:
    """Weigh resources before any price is known: cpu by the core, memory by 4 GiB."""
    weights = {"cpu": 1.0 / 1000, "memory": 1.0 / (4 * 1024**3 * 1000)}
    return np.array([weights.get(name, 0.0) for name in board.resources])


def _oldest(pod: Pod) -> tuple[str, str, str]:
    return (pod.metadata.creation_timestamp or "", pod.metadata.uid, pod.key)
