"""Limits: what a pool may still make, never overshot within a pass.

Each draft is charged with one type that it may become (its anchor), not with the largest: charging
the largest refuses too early. When the plan is written, each draft's list of types is cut so that the
limit holds even if every draft becomes the largest type on its list. First fit charges the largest
all the same, once, when a draft is opened: the draft may then grow without asking again.
"""

from collections.abc import Iterable, Mapping

from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.hosts import Joined
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.model.quantity import MILLI, BadQuantity, Milli, add, parse_resources

NODES = "nodes"


class Limits:
    """The remaining room of one pool."""

    def __init__(self, supply: Supply, room: Mapping[str, Milli]) -> None:
        self.supply = supply
        self.charges_largest = False
        self.is_idle = False
        self.room = dict(room)
        self._tops = {name: supply.capacity(name).top for name in room if name != NODES}

    def allowed(self, draft: Draft | None) -> Bits:
        """Give the ways to buy that keep the limit; for a new draft (none) or a known one."""
        if NODES in self.room and draft is None and self.room[NODES] < MILLI:
            return 0
        if self.charges_largest and draft is not None:
            return self.supply.everything
        bits = self.supply.everything
        for name, room in self.room.items():
            if name != NODES:
                own = draft.anchor.get(name, 0) if draft is not None else 0
                if room + own < self._tops[name]:
                    bits &= self.supply.capacity(name).within(room + own)
        return bits

    def charge(self, draft: Draft, bits: Bits) -> None:
        """Charge a draft with the cheapest of these ways instead of what it was charged with."""
        is_new = not draft.anchor
        if self.charges_largest and not is_new:
            return
        way = self.supply.ways[(bits & -bits).bit_length() - 1]
        anchor = self.supply.types[way.type_index].capacity
        if draft.min_values or self.charges_largest:
            # Enough choice must remain, so the list cannot be cut later: charge the largest.
            anchor = self._largest(bits)
        for name in self.room:
            if name == NODES:
                self.room[name] -= MILLI if is_new else 0
            else:
                self.room[name] -= anchor.get(name, 0) - draft.anchor.get(name, 0)
        draft.anchor = {NODES: MILLI, **anchor}

    def finish(self, drafts: int) -> None:
        """Note whether the limit holds even if every draft becomes the largest type there is."""
        self.is_idle = all(
            room >= drafts * self._tops[name] for name, room in self.room.items() if name != NODES
        )

    def repeats(self, draft: Draft) -> int:
        """Say how many more drafts of the same charge the room allows."""
        most = 1 << 40
        for name, room in self.room.items():
            charge = draft.anchor.get(name, 0)
            if charge:
                most = min(most, max(0, room) // charge)
        return most

    def refund(self, draft: Draft) -> None:
        """Give back what a draft was charged with."""
        for name in self.room:
            self.room[name] += draft.anchor.get(name, 0)
        draft.anchor = {}

    def charge_again(self, draft: Draft) -> None:
        """Charge a draft with what it was charged with before."""
        for name in self.room:
            self.room[name] -= draft.anchor.get(name, 0)

    def _largest(self, bits: Bits) -> dict[str, Milli]:
        return {
            name: self.supply.capacity(name).largest(bits) for name in self.room if name != NODES
        }

    def cut(self, draft: Draft, bits: Bits) -> Bits:
        """Cut a finished draft's ways so that the largest of them keeps the limit."""
        if self.is_idle and not draft.min_values:
            return bits
        kept = bits & self.allowed(draft)
        if not draft.min_values and not self.charges_largest:
            largest = self._largest(kept)
            for name in self.room:
                if name != NODES:
                    self.room[name] -= largest.get(name, 0) - draft.anchor.get(name, 0)
            draft.anchor = {NODES: MILLI, **largest}
        return kept


def read_limits(supply: Supply, joined: Iterable[Joined]) -> Limits | None:
    """Read a pool's limits less what its nodes use; nothing when it has none."""
    written = supply.pool.spec.limits
    if not written:
        return None
    room = parse_resources(written)
    used: dict[str, Milli] = {}
    for one in joined:
        if one.pool == supply.name and not one.is_deleting:
            try:
                used = add(used, one.amounts("capacity"), {NODES: MILLI})
            except BadQuantity:
                used = add(used, {NODES: MILLI})
    return Limits(supply, {name: amount - used.get(name, 0) for name, amount in room.items()})
