"""Joining without asking every rule: when a pod changes nothing about a draft but its amounts.

That is so when its labels add nothing to what the draft is, it brings no ports, volumes or choices,
and every domain that its neighbours are counted in is settled. Then only counters decide, and they
also say how many pods of the kind may join at once.
"""

from typing import Final

from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.drafts import Draft, State
from nodewright.core.scheduling.rules.affinity import has_friends
from nodewright.core.scheduling.rules.spread import emptiest_count
from nodewright.core.scheduling.topology import Domain, Group, GroupKind
from nodewright.core.scheduling.wishes import Wish

MANY: Final = 1 << 40


class Joining:
    """Answers whether wishes join drafts easily, remembering what does not change."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._easy: dict[tuple[State, int], bool] = {}
        self._shared: dict[int, list[Group]] = {}
        self._hosted: dict[int, list[Group]] = {}

    def is_easy(self, state: State, wish: Wish) -> bool:
        """Tell whether a wish changes nothing about a draft in this state but its amounts."""
        key = (state, wish.number)
        known = self._easy.get(key)
        if known is None:
            known = self._easy[key] = self._is_easy(state, wish)
        return known

    def _is_easy(self, state: State, wish: Wish) -> bool:
        board = self._board
        supply = state.table.supply
        if board.min_values[supply] or supply.reserved or wish.ports or wish.needs.alternatives:
            return False
        if wish.needs.exclusive or not board.tolerates(supply, wish):
            return False
        if state.merge(wish, 0) is not state:
            return False
        return all(state.value(group.key) is not None for group in self.shared(wish))

    def shared(self, wish: Wish) -> list[Group]:
        """Give the groups of a wish whose domains are shared by many nodes."""
        known = self._shared.get(wish.number)
        if known is None:
            known = self._shared[wish.number] = [
                group for group in (*wish.owns, *wish.kept_away_by) if not group.is_hostname
            ]
        return known

    def hosted(self, wish: Wish) -> list[Group]:
        """Give the groups of a wish whose domain is the node itself."""
        known = self._hosted.get(wish.number)
        if known is None:
            known = self._hosted[wish.number] = [
                group for group in (*wish.owns, *wish.kept_away_by) if group.is_hostname
            ]
        return known

    def room(self, draft: Draft, wish: Wish) -> int:
        """Say how many pods of an easy wish the neighbours on a draft let in now."""
        if not wish.owns and not wish.kept_away_by:
            return MANY
        most = self.room_in(draft.state, wish)
        for group in self.hosted(wish) if most else ():
            most = min(most, _room(group, wish, draft.number))
        return most

    def room_in(self, state: State, wish: Wish) -> int:
        """Say how many pods of an easy wish the shared domains of a state let in now."""
        most = MANY
        for group in self.shared(wish):
            value = state.value(group.key)
            assert value is not None
            most = min(most, _room(group, wish, value))
        return most


def _room(group: Group, wish: Wish, domain: Domain) -> int:
    itself = group in wish.counted_by
    count = group.count(domain)
    match group.kind:
        case GroupKind.SPREAD:
            most = group.spec.max_skew + emptiest_count(group, wish.reach(group.key))
            if itself:
                return max(0, most - count)
            return MANY if count <= most else 0
        case GroupKind.AFFINITY:
            founds = itself and not has_friends(group, wish.strict.get(group.key))
            return MANY if count > 0 or founds else 0
        case GroupKind.ANTI_AFFINITY:
            if count > 0:
                return 0
            return 1 if itself else MANY
        case GroupKind.INVERSE:
            if count > 0:
                return 0
            return 1 if group in wish.keeps_away else MANY
