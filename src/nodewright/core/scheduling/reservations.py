"""Reserved capacity: a plan never counts on more of a reservation than is left.

A draft holds a slot of every reservation that it may still be bought from, because nobody knows yet
which one it will be; slots come back as pods rule reservations out. In strict mode pods wait
for the next pass rather than fall back to dearer capacity while a reservation is only held.
"""

from collections.abc import Iterable

from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.model.reason import Reason


class Reservations:
    """Slots that are left, by reservation id, over all pools."""

    def __init__(self, supplies: Iterable[Supply], *, strict: bool) -> None:
        self.strict = strict
        self.left: dict[str, int] = {}
        self._ways: dict[Supply, dict[str, Bits]] = {}
        for supply in supplies:
            by_id: dict[str, Bits] = {}
            self._ways[supply] = by_id
            if not supply.reserved:
                continue
            for bit, way in enumerate(supply.ways):
                if way.is_reserved:
                    by_id[way.reservation] = by_id.get(way.reservation, 0) | (1 << bit)
                    capacity = way.offering.reservation_capacity
                    slots = capacity or 0
                    self.left[way.reservation] = min(self.left.get(way.reservation, slots), slots)

    def settle(
        self, supply: Supply, bits: Bits, held: frozenset[str]
    ) -> tuple[Bits, frozenset[str]] | Reason:
        """Give the ways that may be counted on and the reservations to hold, or why to wait."""
        if not bits & supply.reserved:
            if held and self.strict:
                return Reason.RESERVATION_TAKEN
            return bits, frozenset()
        compatible = {one for one, ways in self._ways[supply].items() if ways & bits}
        free = frozenset(one for one in compatible if one in held or self.left[one] > 0)
        if not free and self.strict:
            return Reason.RESERVATION_TAKEN
        for one in compatible - free:
            bits &= ~self._ways[supply][one]
        return (bits, free) if bits else Reason.RESERVATION_FULL

    def hold(self, draft: Draft, wanted: frozenset[str]) -> None:
        """Hold these reservations for a draft and give back the others that it held."""
        for one in wanted - draft.held:
            self.left[one] -= 1
        for one in draft.held - wanted:
            self.left[one] += 1
        draft.held = wanted

    def of(self, supply: Supply, held: Iterable[str]) -> Bits:
        """Give the ways to buy from these reservations."""
        bits = 0
        for one in held:
            bits |= self._ways[supply].get(one, 0)
        return bits
