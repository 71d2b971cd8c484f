"""Local improvement: a finished filling made cheaper, move by move, never less right.

Two moves: rebuild a draft knowing what ends up on it (so that it commits to the zone that is cheapest
for the whole, not for its first pod), and dissolve a draft into the others when that costs less than
it did. A move that would leave some pod without its company, or a spread more uneven, is undone.
Steps are counted and bounded.
"""

from typing import Final

import numpy as np

from nodewright.core.scheduling.board import Board, Fitting
from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.firstfit import Filling, blocked_drafts
from nodewright.core.scheduling.ledger import Ledger
from nodewright.core.scheduling.masks import unpack
from nodewright.core.scheduling.pricefit import price_of
from nodewright.core.scheduling.supply import Bits
from nodewright.core.scheduling.topology import Group, GroupKind
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.pod import Pod
from nodewright.model.reason import Reason

_TRIES_MAX: Final = 12
"""How many drafts are asked to take in a pod of a dissolved one."""

_ASKS_PER_STEP: Final = 3
"""How many drafts may be asked for each pod that may be moved, all in all."""

_ROUNDS_MAX: Final = 3

type Move = tuple[Shape, int, Draft, int]
"""A shape, its level, where it went, and how many pods."""


class Improver:
    """Improves one filling in place."""

    def __init__(self, filling: Filling, ledger: Ledger, steps: int) -> None:
        self.filling = filling
        self.board: Board = filling.board
        self.ledger = ledger
        self.steps = steps
        self._asks = _ASKS_PER_STEP * steps
        self._used = np.array([draft.pod_count > 0 for draft in self.board.drafts], dtype=np.bool_)
        self._in_vain: set[tuple[object, ...]] = set()
        self._used_bits = sum(1 << draft.number for draft in self.board.drafts if draft.pod_count)

    def run(self) -> None:
        """Make moves until none helps or the steps are used up."""
        for _ in range(_ROUNDS_MAX):
            gained = False
            for draft in self._dearest_first():
                gained |= self._rebuild(draft)
            for draft in reversed(self._dearest_first()):
                gained |= self._dissolve(draft)
            if not gained or self.steps <= 0:
                return

    def _dearest_first(self) -> list[Draft]:
        used = [draft for draft in self.board.drafts if draft.pod_count]
        for draft in used:
            if draft.stale:
                self.board.freshen(draft)
        return sorted(used, key=lambda draft: (-price_of(draft, draft.bits), draft.number))

    def _may_move(self, draft: Draft) -> bool:
        """Tell whether nobody depends on what is on a draft staying where it is."""
        if (
            min(self.steps, self._asks) <= 0
            or draft.held
            or draft.min_values
            or not draft.pod_count
        ):
            return False
        return all(
            self._is_alone(group, draft)
            for group in draft.tally
            if group.kind is GroupKind.AFFINITY and draft.spots[group]
        )

    def _is_alone(self, group: Group, draft: Draft) -> bool:
        """Tell whether everybody whom a group is about, or who owns it, is on one draft."""
        if group.total != draft.tally[group]:
            return False
        return not any(
            other is not draft
            and any(group in shape.ladder[level].owns for shape, level in other.loads)
            for other in self.board.drafts
        )

    def _rebuild(self, draft: Draft) -> bool:
        before = price_of(draft, draft.bits)
        goal = self._goal(draft)
        if not goal or price_of(draft, goal) >= before or not self._may_move(draft):
            return False
        skews = self._skews([draft])
        lifted = self.board.lift(draft)
        self.steps -= lifted.pod_count
        draft.bits &= goal
        for (shape, level), count in lifted.loads.items():
            for _ in range(count):
                fitting = self.board.on_draft(shape, shape.ladder[level], draft)
                if not isinstance(fitting, Fitting):
                    self.board.lower(draft, lifted)
                    return False
                self.board.put_on_draft(shape, level, draft, fitting)
        if price_of(draft, draft.bits) < before and not self._worse(skews):
            self.ledger.refresh(draft)
            self._in_vain.clear()
            return True
        self.board.lower(draft, lifted)
        return False

    def _goal(self, draft: Draft) -> Bits:
        """Give what could hold the load of a draft if its pods did not mind any neighbours."""
        start = self.board.tables[draft.supply].start
        goal = start.bits
        for room, total in zip(self.board.rooms[draft.supply], draft.totals, strict=True):
            if total:
                goal &= room.having(total)
        for shape, level in draft.loads:
            wish = shape.ladder[level]
            if len(wish.alternatives) == 1:
                state = start.merge(wish, 0)
                goal &= 0 if isinstance(state, Reason) else state.bits
        return goal

    def _dissolve(self, draft: Draft) -> bool:
        # What could not be dissolved a moment ago stands for all that are exactly like it.
        likeness = (draft.state, draft.bits, *draft.loads.items())
        if likeness in self._in_vain or self._is_stuck(draft) or not self._may_move(draft):
            return False
        if self._spread_out(draft):
            self._in_vain.clear()
            return True
        self._in_vain.add(likeness)
        return False

    def _spread_out(self, draft: Draft) -> bool:
        """Move a draft's pods to others for less than it costs, or leave all as it was."""
        budget = price_of(draft, draft.bits)
        skews = self._skews([draft])
        lifted = self.board.lift(draft)
        saved: dict[int, Draft] = {}
        moves: list[Move] = []
        loads = sorted(lifted.loads.items(), key=_hardest)
        for (shape, level), count in loads:
            for _ in range(count):
                self.steps -= 1
                target, cost = self._cheapest_home(shape, level, draft, budget, saved)
                if target is None:
                    self._undo(draft, lifted, saved)
                    return False
                budget -= cost
                moves.append((shape, level, target, 1))
        if budget <= 0 or self._worse(skews):
            self._undo(draft, lifted, saved)
            return False
        self._move_pods(draft, moves)
        self._used[draft.number] = False
        self._used_bits &= ~(1 << draft.number)
        return True

    def _is_stuck(self, draft: Draft) -> bool:
        """Tell whether some pod of a draft is kept off every other one, whatever room they have."""
        others = self._used_bits & ~(1 << draft.number)
        return any(not others & ~_kept_off(shape.ladder[level]) for shape, level in draft.loads)

    def _cheapest_home(
        self, shape: Shape, level: int, source: Draft, budget: int, saved: dict[int, Draft]
    ) -> tuple[Draft | None, int]:
        wish = shape.ladder[level]
        best: tuple[int, Draft, Fitting] | None = None
        for draft in self._candidates(shape, level, source):
            self._asks -= 1
            # What has room at all costs at least this, whatever the neighbours say.
            roomy = self.board.roomy(shape, draft)
            paid = price_of(draft, draft.bits)
            if not roomy or price_of(draft, roomy) - paid >= (best[0] if best else budget):
                continue
            fitting = self.board.on_draft(shape, wish, draft)
            if not isinstance(fitting, Fitting):
                continue
            cost = price_of(draft, fitting.bits) - paid
            if cost < budget and (best is None or cost < best[0]):
                best = (cost, draft, fitting)
            if cost <= 0:
                break
        if best is None:
            return None, 0
        cost, draft, fitting = best
        if draft.number not in saved:
            saved[draft.number] = draft.copy()
        self.board.put_on_draft(shape, level, draft, fitting)
        self.ledger.refresh(draft)
        return draft, cost

    def _candidates(self, shape: Shape, level: int, source: Draft) -> list[Draft]:
        """Give drafts to ask: those with room that is paid for, tightest first, then the others."""
        ledger = self.ledger
        rows = ledger.rows
        open_rows = ~unpack(blocked_drafts(shape.ladder[level]), rows)
        open_rows &= self._used
        open_rows[source.number] = False
        roomy = ledger.roomy(shape.amounts) & open_rows
        first = ledger.tightest(roomy, _TRIES_MAX)
        then = ledger.tightest(open_rows & ~roomy, _TRIES_MAX)
        return [self.board.drafts[row] for row in (*first, *reversed(then))]

    def _undo(self, draft: Draft, lifted: Draft, saved: dict[int, Draft]) -> None:
        for number, before in saved.items():
            other = self.board.drafts[number]
            self.board.lower(other, before)
            self.ledger.refresh(other)
        self.board.lower(draft, lifted)
        self.ledger.refresh(draft)

    def _move_pods(self, draft: Draft, moves: list[Move]) -> None:
        by_shape: dict[Shape, list[Pod]] = {}
        owner = self.filling.shape_of
        for pod in self.filling.pods_of.pop(draft.number):
            by_shape.setdefault(owner[id(pod)], []).append(pod)
        for shape, _, target, count in moves:
            pods = by_shape[shape]
            self.filling.note(target, pods[:count])
            del pods[:count]

    def _skews(self, drafts: list[Draft]) -> dict[Group, int]:
        """Note how uneven the spreads are that a move may touch."""
        groups = {
            group
            for draft in drafts
            for group in draft.tally
            if group.kind is GroupKind.SPREAD and not group.is_hostname
        }
        return {group: _skew(group) for group in groups}

    def _worse(self, before: dict[Group, int]) -> bool:
        return any(
            (skew := _skew(group)) > was and skew > group.spec.max_skew
            for group, was in before.items()
        )


def _skew(group: Group) -> int:
    return max(map(group.count, group.universe), default=0) - group.least()


def _hardest(load: tuple[tuple[Shape, int], int]) -> tuple[int, ...]:
    """Order loads so that those with the fewest places to go come first, then the largest."""
    (shape, level), _ = load
    return (-_kept_off(shape.ladder[level]).bit_count(), *(-one for one in shape.amounts))


def _kept_off(wish: Wish) -> Bits:
    """Give, as bits, the drafts where a pod would meet too many of those it keeps away from."""
    found = 0
    for group in (*wish.owns, *wish.kept_away_by):
        if group.is_hostname and group.kind is not GroupKind.AFFINITY:
            counts_itself = group.kind is not GroupKind.SPREAD or group in wish.counted_by
            found |= group.hosts_at_limit if counts_itself else group.hosts_over_limit
    return found
