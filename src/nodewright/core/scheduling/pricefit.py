"""Price in charge: fill what is paid for, then buy the machine that gives most for its price.

Pods that keep each other apart come first, because they say how many nodes there must be. Whatever
fits into the slack of a machine that is paid for anyway goes there, tightest first. For the rest a
machine is opened that is worth most per price, given what is left to place, and filled with the pods
that match its free amounts best; when it is done it becomes the cheapest type that holds what is on
it. Preferences and pool weights are never traded for price.
"""

from typing import Final

import numpy as np

from nodewright.core.scheduling.batch import Batch, Entry
from nodewright.core.scheduling.board import Board, Fitting
from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.duals import Vector
from nodewright.core.scheduling.filler import Filler
from nodewright.core.scheduling.firstfit import Filling, blocked_drafts
from nodewright.core.scheduling.hostfit import HostFit
from nodewright.core.scheduling.joining import MANY, Joining
from nodewright.core.scheduling.ledger import Ledger
from nodewright.core.scheduling.market import Market, Opening
from nodewright.core.scheduling.masks import pack
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.pod import Pod
from nodewright.model.reason import Reason

_TRIES_MAX: Final = 6
"""How many drafts are asked when a pod would narrow them."""

_SHARE_MARGIN: Final = 1.1
"""How much more than its even share a node is sized for, because shares are not even."""

_FAILURES_MAX: Final = 24
"""After so many drafts said no to a wish that would narrow them, it is not tried on slack."""

_REMOVED_ONE_BY_ONE: Final = 8
"""Up to so many full rows are taken off a list one by one: they stand near its beginning."""


class PriceFit:
    """One price-led filling of a board."""

    def __init__(self, board: Board, shapes: list[Shape], filling: Filling) -> None:
        self.board = board
        self.filling = filling
        self.waiting: list[tuple[Shape, list[Pod]]] = [
            (shape, sorted(shape.pods, key=_oldest) if len(shape.pods) > 1 else shape.pods)
            for shape in shapes
        ]
        self.market = Market(board)
        self.worth: Vector | None = None
        self.ledger = Ledger(board, np.zeros(len(board.resources)))
        self.joining = Joining(board)
        self.hosts = HostFit(board)
        self._failures: dict[int, int] = {}

    def run(self, first: frozenset[str]) -> list[tuple[Shape, Pod]]:
        """Fill the board, with the pods named first before the others; give who found no place."""
        if not first:
            return self._run(self.waiting)
        early = [(shape, [pod for pod in pods if pod.key in first]) for shape, pods in self.waiting]
        late = [
            (shape, [pod for pod in pods if pod.key not in first]) for shape, pods in self.waiting
        ]
        behind = self._run([one for one in early if one[1]])
        return behind + self._run([one for one in late if one[1]])

    def _run(self, waiting: list[tuple[Shape, list[Pod]]]) -> list[tuple[Shape, Pod]]:
        level = 0
        behind: list[tuple[Shape, Pod]] = []
        while waiting:
            entries = []
            for shape, pods in waiting:
                wish = shape.ladder.rung(level)
                if wish is None:
                    behind += [(shape, pod) for pod in pods]
                else:
                    entries.append(Entry(shape, wish, pods))
            waiting = self._fill_level(Batch(entries, len(self.board.resources)))
            level += 1
        return behind

    def _fill_level(self, batch: Batch) -> list[tuple[Shape, list[Pod]]]:
        if self.board.hosts:
            self._fill_hosts(batch)
        if self.worth is None:
            self.worth = self.market.appraise(batch.demand())
            self.ledger = Ledger(self.board, self.worth)
        order = batch.by_value(self.worth)
        self._top_up(batch, order, choosy=True)
        self._open_for_the_most(batch, order)
        for size in order:
            for entry in batch.members[size]:
                if entry.apart and entry.left:
                    rows = self.ledger.tightest(self.ledger.roomy(batch.amounts[size]))
                    self._one_each(batch, entry, rows)
                    self._open_apart(batch, entry)
        self._top_up(batch, order, choosy=True)
        self._top_up(batch, order, choosy=False)
        deferred = self._open_rest(batch, order)
        left: list[tuple[Shape, list[Pod]]] = []
        for entry in batch.entries:
            if entry.left and entry in deferred:
                self.filling.deferred.update(pod.key for pod in entry.rest())
                self.filling.left += [(entry.shape, pod) for pod in entry.rest()]
            elif entry.left:
                left.append((entry.shape, entry.rest()))
        return left

    def _open_for_the_most(self, batch: Batch, order: list[int]) -> None:
        """Open nodes for the largest crowd that keeps apart, sized for its share of the others.

        Every crowd that keeps apart puts at most one pod on a node, so the largest of them says how
        many nodes there must be, and each of those will hold about one pod of every other crowd.
        """
        crowds: dict[int, int] = {}
        for entry in batch.entries:
            if entry.apart:
                crowds[entry.wish.number] = crowds.get(entry.wish.number, 0) + entry.left
        if not crowds:
            return
        most = max(crowds, key=lambda number: (crowds[number], -number))
        first = len(self.board.drafts)
        for size in order:
            for entry in batch.members[size]:
                if entry.wish.number == most and entry.left:
                    self._open_apart(batch, entry)
        opened = self.board.drafts[first:]
        choosy = {entry.wish_row for entry in batch.entries if entry.choosy and entry.left}
        if not opened or not choosy or not self._is_unlimited(opened):
            return
        share = batch.demand_of(np.array(sorted(choosy), dtype=np.int64)) / len(opened)
        self._size_up(opened, [int(amount * _SHARE_MARGIN) for amount in share])
        self._top_up(batch, order, choosy=True)
        for draft in opened:
            if draft.stale:
                self.board.freshen(draft)
            self.ledger.refresh(draft)

    def _is_unlimited(self, drafts: list[Draft]) -> bool:
        """Tell whether no pool limit stands in the way of these drafts growing."""
        for supply in {draft.supply for draft in drafts}:
            limits = self.board.limits.get(supply)
            if limits is not None:
                limits.finish(len(self.board.drafts))
                if not limits.is_idle:
                    return False
        return True

    def _size_up(self, drafts: list[Draft], share: list[int]) -> None:
        """Let the rows of drafts show what machines would have free that hold their share too."""
        sized: dict[tuple[Supply, Bits, tuple[int, ...]], list[int]] = {}
        for draft in drafts:
            load = (draft.supply, draft.bits, tuple(draft.totals))
            free = sized.get(load)
            if free is None:
                free = sized[load] = self._free_with_share(draft, share)
            self.ledger.write_row(draft.number, free)

    def _free_with_share(self, draft: Draft, share: list[int]) -> list[int]:
        bits = draft.bits
        for room, total, more in zip(
            self.board.rooms[draft.supply], draft.totals, share, strict=True
        ):
            bits &= room.having(total + more) or room.having(total)
        bits = bits or draft.bits
        target = draft.supply.ways[(bits & -bits).bit_length() - 1].type_index
        free = self.ledger.machine_free(draft.supply, target)
        return [have - used for have, used in zip(free, draft.totals, strict=True)]

    def _fill_hosts(self, batch: Batch) -> None:
        for size in batch.by_value(_plain_worth(self.board)):
            for entry in batch.members[size]:
                self.hosts.fill(batch, entry)

    def _top_up(self, batch: Batch, order: list[int], *, choosy: bool) -> None:
        """Put pods into the slack of drafts that are paid for anyway."""
        for size in order:
            entries = [one for one in batch.members[size] if one.left and one.choosy is choosy]
            if not entries or not self.ledger.rows:
                continue
            rows = self.ledger.tightest(self.ledger.roomy(batch.amounts[size]))
            if rows and choosy:
                for entry in entries:
                    self._one_each(batch, entry, rows)
            elif rows:
                self._pour(batch, entries, rows)

    def _one_each(self, batch: Batch, entry: Entry, rows: list[int]) -> None:
        """Give each of these drafts at most one pod of an entry that minds its neighbours.

        Rows that turn out to be full are taken off the list, so that the next entry of the same
        size does not meet them again.
        """
        amounts = entry.shape.amounts
        failures = 0
        full: set[int] = set()
        is_blocked = pack(blocked_drafts(entry.wish), self.ledger.rows)
        for row in rows:
            if is_blocked[row >> 3] >> (row & 7) & 1:
                continue
            if self._copies(amounts, row) < 1:
                full.add(row)
                continue
            draft = self.board.drafts[row]
            if self.joining.is_easy(draft.state, entry.wish):
                if self.joining.room(draft, entry.wish) > 0:
                    self._put_easily(batch, entry, draft, 1)
            elif not self._narrow(batch, entry, draft):
                failures += 1
            if not entry.left or failures > _TRIES_MAX:
                break
        if len(full) > _REMOVED_ONE_BY_ONE:
            rows[:] = [row for row in rows if row not in full]
        else:
            for row in full:
                rows.remove(row)

    def _pour(self, batch: Batch, entries: list[Entry], rows: list[int]) -> None:
        """Fill drafts, tightest first, with pods of one size."""
        waiting = list(entries)
        for row in rows:
            draft = self.board.drafts[row]
            copies = self._copies(waiting[0].shape.amounts, row)
            for entry in list(waiting):
                if copies <= 0:
                    break
                copies -= self._pour_one(batch, entry, draft, copies)
                if not entry.left or self._failures.get(entry.wish.number, 0) > _FAILURES_MAX:
                    waiting.remove(entry)
            if not waiting:
                return

    def _pour_one(self, batch: Batch, entry: Entry, draft: Draft, copies: int) -> int:
        if self.joining.is_easy(draft.state, entry.wish):
            count = min(copies, entry.left, self.joining.room(draft, entry.wish))
            if count > 0:
                self._put_easily(batch, entry, draft, count)
            return count
        if self._narrow(batch, entry, draft):
            return 1
        number = entry.wish.number
        self._failures[number] = self._failures.get(number, 0) + 1
        return 0

    def _copies(self, amounts: tuple[int, ...], row: int) -> int:
        """Say how many pods of a size still fit on a draft."""
        most = MANY
        for have, amount in zip(self.ledger.free_row(row), amounts, strict=True):
            if amount and have < most * amount:
                most = have // amount
        return most

    def _put_easily(self, batch: Batch, entry: Entry, draft: Draft, count: int) -> None:
        shape = entry.shape
        self.board.put_easily(shape, entry.wish.level, draft, count)
        row = draft.number
        free = self.ledger.free_row(row)
        self.ledger.write_row(
            row, [have - amount * count for have, amount in zip(free, shape.amounts, strict=True)]
        )
        self.filling.note(draft, batch.take(entry, count))

    def _narrow(self, batch: Batch, entry: Entry, draft: Draft) -> bool:
        """Put one pod onto a draft that it narrows, unless that makes the draft dearer."""
        if entry.wish.needs.exclusive & self.board.exclusive:
            return False
        if draft.stale:
            self.board.freshen(draft)
        before = price_of(draft, draft.bits)
        fitting = self.board.on_draft(entry.shape, entry.wish, draft)
        if not isinstance(fitting, Fitting) or price_of(draft, fitting.bits) > before:
            return False
        self.board.put_on_draft(entry.shape, entry.wish.level, draft, fitting)
        self.ledger.refresh(draft)
        self.filling.note(draft, batch.take(entry, 1))
        return True

    def _open_apart(self, batch: Batch, entry: Entry) -> None:
        """Open a draft for each pod of an entry that shares a node with none of its own."""
        shape, wish = entry.shape, entry.wish
        while entry.left > 0:
            opened = self.market.cheapest(shape, wish)
            if not isinstance(opened, Opening):
                return
            draft = self.board.new_draft(opened.supply)
            self.board.put_on_draft(shape, wish.level, draft, opened.fitting)
            self.filling.note(draft, batch.take(entry, 1))
            self._open_alike(batch, draft, [entry], entry.left)

    def _open_alike(self, batch: Batch, draft: Draft, entries: list[Entry], count: int) -> None:
        """Open so many more drafts with the load of one, which is made of these entries."""
        alike = self.board.open_alike(draft, count)
        free = self.ledger.machine_free(draft.supply, self.ledger.paid_type(draft))
        self.ledger.write_rows(
            draft.number,
            1 + len(alike),
            [have - used for have, used in zip(free, draft.totals, strict=True)],
        )
        for other in alike:
            for entry, pods in zip(entries, draft.loads.values(), strict=True):
                self.filling.note(other, batch.take(entry, pods))

    def _open_rest(self, batch: Batch, order: list[int]) -> set[Entry]:
        """Open machines for what is left, each filled before the next; give who must wait."""
        deferred: set[Entry] = set()
        filler = Filler(self.board, batch, self.joining, self.ledger, self.filling)
        entry_of = {(entry.shape, entry.wish.level): entry for entry in batch.entries}
        for size in order:
            for entry in batch.members[size]:
                while entry.left and not entry.wish.needs.exclusive & self.board.exclusive:
                    opened = self.market.best_value(entry.shape, entry.wish, filler)
                    if opened is Reason.RESERVATION_TAKEN:
                        deferred.add(entry)
                    if not isinstance(opened, Opening):
                        break
                    draft = self.board.new_draft(opened.supply)
                    self.board.put_on_draft(entry.shape, entry.wish.level, draft, opened.fitting)
                    self.filling.note(draft, batch.take(entry, 1))
                    filler.fill(draft, opened.target)
                    if draft.stale:
                        self.board.freshen(draft)
                    self._repeat(batch, draft, entry_of)
        return deferred

    def _repeat(self, batch: Batch, draft: Draft, entry_of: dict[tuple[Shape, int], Entry]) -> None:
        """Open more drafts like one that was just filled, for half of the pods that could.

        The other half is looked at anew: the fewer pods are left, the more it matters which.
        """
        entries = [entry_of[load] for load in draft.loads]
        loads = zip(entries, draft.loads.values(), strict=True)
        most = min(entry.left // count for entry, count in loads)
        self._open_alike(batch, draft, entries, most // 2)


def price_of(draft: Draft, bits: Bits) -> int:
    """Give the price of the cheapest of a draft's ways."""
    return draft.supply.ways[(bits & -bits).bit_length() - 1].offering.price


def _plain_worth(board: Board) -> Vector:
    """Weigh resources before any price is known: cpu by the core, memory by 4 GiB."""
    weights = {"cpu": 1.0 / 1000, "memory": 1.0 / (4 * 1024**3 * 1000)}
    return np.array([weights.get(name, 0.0) for name in board.resources])


def _oldest(pod: Pod) -> tuple[str, str, str]:
    return (pod.metadata.creation_timestamp or "", pod.metadata.uid, pod.key)
