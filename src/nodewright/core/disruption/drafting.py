"""Replacements: new nodes for pods that found no room, priced so that they are worth their launch.

The solver fills new nodes as it does for pods that wait. What a command has settled on is set aside:
its drafts keep counting for their pods' neighbours and against limits, and take nobody else. Whatever is
launched must be cheaper than what goes, so types whose dearest offer is not are taken off the lists.
"""

from collections.abc import Mapping
from typing import Final

from nodewright.core.disruption.floor import Floor
from nodewright.core.scheduling.answer import write_plan
from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.firstfit import Filling, fill_first_fit, in_order
from nodewright.core.scheduling.improve import Improver
from nodewright.core.scheduling.ledger import FREE_MAX, Ledger
from nodewright.core.scheduling.pricefit import PriceFit, price_of
from nodewright.core.scheduling.rules.min_values import distinct_values
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.labels import CAPACITY_TYPE, ON_DEMAND, RESERVED, SPOT
from nodewright.model.plan import PlannedNode
from nodewright.model.pod import Pod
from nodewright.model.requirements import Requirement

STEPS_MAX: Final = 200
"""How many pods local improvement may try to move in one set of replacements."""

STEPS_ANEW_MAX: Final = 4000
"""How many where everything is planned anew, once."""

_BOUGHT_AS: Final = {
    capacity: Requirement(CAPACITY_TYPE, False, frozenset((capacity,)))
    for capacity in (RESERVED, SPOT, ON_DEMAND)
}
"""Ways to buy by capacity type, in the order in which a launch takes them."""


class Drafting:
    """Makes new nodes on the board of a floor, and sets aside those that are settled."""

    def __init__(self, floor: Floor, steps: int = STEPS_MAX) -> None:
        self.floor = floor
        self._steps = steps
        self.board = floor.board
        self.filling = Filling(self.board)
        self._settled: dict[int, Draft] = {}

    def make(self, waiting: Mapping[Shape, list[Pod]]) -> list[Draft] | None:
        """Give new nodes for all these pods, or nothing where some of them fit no node at all."""
        self.floor.show_placed()
        first = len(self.board.drafts)
        shapes = sorted(waiting, key=lambda shape: shape.number)
        for shape in shapes:
            shape.pods = waiting[shape]
            shape.skip_drafts, shape.skip_hosts = {}, {}
        filling = Filling(self.board)
        self.fill(shapes, filling)
        if filling.left:
            self.drop(first)
            return None
        made = [draft for draft in self.board.drafts[first:] if draft.pod_count]
        for draft in made:
            if draft.stale:
                self.board.freshen(draft)
            self.filling.pods_of[draft.number] = filling.pods_of[draft.number]
        return made

    def fill(self, shapes: list[Shape], filling: Filling) -> None:
        """Put all pods of some shapes onto new nodes, as cheaply as we know; others stay left."""
        behind = PriceFit(self.board, shapes, filling).run(frozenset())
        left = [*filling.left, *behind]
        filling.left = []
        if left:
            fill_first_fit(self.board, in_order(left), filling)
        if not filling.left:
            filling.shape_of = {id(pod): shape for shape in shapes for pod in shape.pods}
            Improver(filling, Ledger(self.board, self.floor.worth), self._steps).run()

    def drop(self, first: int) -> None:
        """Take back all drafts from a number on."""
        for draft in self.board.drafts[first:]:
            self.filling.pods_of.pop(draft.number, None)
            if draft.pod_count:
                self.board.lift(draft)
        del self.board.drafts[first:]

    def settle(self, first: int) -> None:
        """Keep all drafts from a number on as they are: nobody else comes to them."""
        for draft in self.board.drafts[first:]:
            if draft.pod_count:
                self._settled[draft.number] = draft.copy()
            # It counts on for its neighbours, in the copy; on the board it is full, and empty.
            draft.totals = [FREE_MAX] * len(draft.totals)
            draft.pod_count = 0
            draft.tally, draft.spots, draft.unsure = {}, {}, set()
            draft.held, draft.anchor = frozenset(), {}

    def write(self) -> dict[int, PlannedNode]:
        """Write every settled draft down, by its number."""
        for number, settled in self._settled.items():
            self.board.drafts[number].restore(settled)
        plan = write_plan(self.filling, {}, self.floor.problem.world.options.reservation_id_label)
        numbers = [draft.number for draft in self.board.drafts if draft.pod_count]
        return dict(zip(numbers, plan.new_nodes, strict=True))

    def pin_to_spot(self, draft: Draft) -> None:
        """Hold a draft to spot where it could be spot: a shortage must not buy what is dearer."""
        spot = draft.bits & _of_type(draft.supply, SPOT)
        if spot and spot != draft.bits and not draft.held:
            self.board.hold(draft, CAPACITY_TYPE, SPOT)

    def cap(self, draft: Draft, price: int) -> bool:
        """Take off the types whose dearest offer does not cost less; tell whether enough are left."""
        supply = draft.supply
        if supply.ways[draft.bits.bit_length() - 1].offering.price < price:
            return True
        kept: Bits = 0
        for index in supply.alive_types(draft.bits):
            own = draft.bits & supply.type_bits[index]
            if worst_price(supply, own) < price:
                kept |= own
        if not kept:
            return False
        for key, least in draft.min_values.items():
            if distinct_values(supply, kept, key) < least:
                return False
        draft.bits = kept
        return True

    def keep_cheapest_types(self, draft: Draft, count: int) -> None:
        """Cut a draft's list to its cheapest types, and to no fewer than minValues asks for."""
        supply, kept = draft.supply, 0
        for position, index in enumerate(supply.alive_types(draft.bits)):
            enough = all(
                distinct_values(supply, kept, key) >= least
                for key, least in draft.min_values.items()
            )
            if position >= count and enough:
                break
            kept |= draft.bits & supply.type_bits[index]
        draft.bits = kept


def is_spot(draft: Draft) -> bool:
    """Tell whether a draft may be launched as spot."""
    return bool(draft.bits & _of_type(draft.supply, SPOT))


def type_count(draft: Draft) -> int:
    """Give how many types a draft may be launched as."""
    return len(draft.supply.alive_types(draft.bits))


def price_at_best(draft: Draft) -> int:
    """Give the price of the cheapest way to launch a draft."""
    return price_of(draft, draft.bits)


def worst_price(supply: Supply, bits: Bits) -> int:
    """Give what a launch may cost at worst, within the capacity type that is taken first."""
    for capacity in _BOUGHT_AS:
        own = bits & _of_type(supply, capacity)
        if own:
            return supply.ways[own.bit_length() - 1].offering.price
    return supply.ways[bits.bit_length() - 1].offering.price


def _of_type(supply: Supply, capacity: str) -> Bits:
    return supply.meeting(_BOUGHT_AS[capacity])
