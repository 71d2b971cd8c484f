"""A price below which no plan for the same pods can go: a configuration linear program.

Give each pod a worth so that no machine can be filled with more worth than it costs. Then what all pods
are worth, less what fits on nodes that are paid for, is a lower bound: that is linear programming
duality, and it holds for any worth. Good ones come from column generation: buy fractions of the best
fillings known, read the prices of the pods, look for a filling that these prices overpay, and again,
a counted number of times. With too many distinct pods for that, those that treat pods as a fluid.
"""

from typing import Final

import numpy as np

from nodewright.core.scheduling.duals import shadow_prices
from nodewright.core.scheduling.fluid import fluid_worth
from nodewright.core.scheduling.knapsack import Knapsack, greedy, quiet_solver
from nodewright.core.scheduling.offers import Tables, Vector
from nodewright.core.scheduling.problem import Problem
from nodewright.model.instance import NanoUSD
from nodewright.model.plan import Plan
from nodewright.model.world import World

_ROWS_MAX: Final = 400
"""Up to how many distinct rows of pods columns are generated."""

_ROUNDS_MAX: Final = 40
_FILLINGS_MAX: Final = 6000
_WHOLE_FILLINGS_MAX: Final = 200
_GAP: Final = 0.001
"""How near to the best that could be proved the search may stop."""

_TOLERANCE: Final = 1e-7
_SAFETY: Final = 1e-7


def lower_bound(world: World, plan: Plan) -> NanoUSD:
    """Give a price that every plan which places the same pods must pay at least."""
    tables = Tables(Problem(world), frozenset(plan.unschedulable))
    if not len(tables.counts) or not len(tables.prices):
        return NanoUSD(0)
    best = Bounder(tables).run()
    return NanoUSD(max(0, int(best * (1 - _SAFETY))))


class Bounder:
    """Looks for the worth of pods that proves most."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.knapsack = Knapsack(tables.amounts)
        self.limits = [tables.limits(offer) for offer in range(len(tables.prices))]
        self.offers = range(len(tables.prices))
        self.tried = 0
        self.filled = 0
        self.best = 0.0
        self.best_worth: Vector = np.zeros(len(tables.counts))

    def run(self) -> float:
        """Give the best bound found."""
        fluid = fluid_worth(self.tables, self.limits)
        for worth in (*self._linear(), *(() if fluid is None else (fluid,))):
            most = np.array([self._relaxed(worth, offer)[0] for offer in self.offers])
            self._certify(worth, most)
        if len(self.tables.counts) <= _ROWS_MAX:
            self._generate()
        return self.best

    def _certify(self, worth: Vector, most: Vector) -> None:
        """Scale a worth by what fillings are worth at most, and subtract what costs nothing."""
        tables = self.tables
        open_offers = np.array([not name for name in tables.reservations])
        overpaid = most[open_offers] / np.maximum(tables.prices[open_offers], 1e-9)
        scale = float(overpaid.max(initial=0.0))
        if scale <= 0.0:
            # No offer can be bought without end: only reservations carry these pods.
            return
        scaled: Vector = worth / scale
        value = float(scaled @ tables.counts)
        value -= self.knapsack.relaxed(scaled, tables.host_room, tables.host_counts)[0]
        gains: dict[str, float] = {}
        for offer, name in enumerate(tables.reservations):
            if name:
                gain = float(most[offer] / scale - tables.prices[offer])
                gains[name] = max(gains.get(name, 0.0), gain)
        value -= sum(tables.slots[name] * gain for name, gain in gains.items())
        if value > self.best:
            self.best, self.best_worth = value, scaled

    def _relaxed(self, worth: Vector, offer: int) -> tuple[float, Vector]:
        self.filled += 1
        return self.knapsack.relaxed(worth, self.tables.free[offer], self.limits[offer])

    def _linear(self) -> list[Vector]:
        """Give worths that are linear in amounts: prices of resources in the cheapest cover."""
        tables = self.tables
        found = [tables.amounts @ self._cover(np.ones(len(tables.counts), dtype=np.bool_))]
        for pattern in range(len(tables.patterns)):
            mine = tables.pattern_of == pattern
            found.append(np.where(mine, tables.amounts @ self._cover(mine), 0.0))
        return found

    def _cover(self, mine: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Vector:
        tables = self.tables
        demand = tables.counts[mine] @ tables.amounts[mine]
        usable = tables.serves[:, np.unique(tables.pattern_of[mine])].any(axis=1)
        return shadow_prices(demand, tables.free[usable].T, tables.prices[usable])

    def _generate(self) -> None:
        """Generate columns, first by rounding parts of pods, then in whole pods."""
        master = _Master(self.tables, self.limits)
        whole = False
        for _ in range(_ROUNDS_MAX):
            worth = master.solve()
            if self.best >= master.price * (1 - _GAP) or self.filled > _FILLINGS_MAX:
                return
            # Prices half way to the best known ones: they swing less from round to round.
            added = self._price(master, (worth + self.best_worth) / 2, whole=whole)
            added = added or self._price(master, worth, whole=whole)
            if not added and whole:
                return
            whole = whole or not added

    def _price(self, master: "_Master", worth: Vector, *, whole: bool) -> int:
        """Look for fillings that are worth more than they cost; give how many were added."""
        tables = self.tables
        most = np.zeros(len(tables.prices))
        added = 0
        for offer in self.offers:
            room, limits = tables.free[offer], self.limits[offer]
            # Machines are much alike: what proves one not worth its price often proves the next.
            most[offer] = self.knapsack.ceiling(worth, room, limits)
            if most[offer] <= self._paid(master, offer):
                continue
            most[offer], filling = self._relaxed(worth, offer)
            if most[offer] <= self._paid(master, offer):
                continue
            if whole and self.tried < _WHOLE_FILLINGS_MAX:
                self.tried += 1
                bound, column = self.knapsack.whole(worth, room, limits)
                most[offer] = min(most[offer], bound)
            else:
                column = greedy(filling, worth, tables.amounts, room, limits)
            added += master.add(offer, column)
        self._certify(worth, most)
        return added

    def _paid(self, master: "_Master", offer: int) -> float:
        price = float(self.tables.prices[offer]) + master.premium(offer)
        return price * (1 + _TOLERANCE)


class _Master:
    """The linear program over the fillings known so far, and the worth of pods that it implies."""

    def __init__(self, tables: Tables, limits: list[Vector]) -> None:
        self._tables = tables
        self._known: set[tuple[int, bytes]] = set()
        self._unit = float(tables.prices.max(initial=1.0)) or 1.0
        self._names = sorted(tables.slots)
        self._premiums = np.zeros(len(self._names))
        self.price = 0.0
        self._solver = solver = quiet_solver()
        rows = len(tables.counts)
        for count in tables.counts:
            solver.addRow(float(count), np.inf, 0, np.array([], np.int32), np.array([]))
        for name in self._names:
            slots = tables.slots[name]
            solver.addRow(-np.inf, slots, 0, np.array([], np.int32), np.array([]))
        scale = np.maximum(tables.host_room, 1.0)
        for room in tables.host_room / scale:
            solver.addRow(-np.inf, float(room), 0, np.array([], np.int32), np.array([]))
        for taken in np.flatnonzero(tables.host_counts > 0):
            row = int(taken)
            used = np.flatnonzero(tables.amounts[row])
            index = np.concatenate(([row], rows + len(self._names) + used)).astype(np.int32)
            value = np.concatenate(([1.0], tables.amounts[row, used] / scale[used]))
            solver.addCol(0.0, 0.0, float(tables.host_counts[row]), len(index), index, value)
        for number in range(rows):
            self._add_single(number, limits)

    def _add_single(self, row: int, limits: list[Vector]) -> None:
        """Start with one kind of pod per machine, as many as fit, on the cheapest per pod."""
        tables = self._tables
        single = np.zeros(len(tables.counts))
        chosen = -1
        for offer, fit in enumerate(limits):
            if fit[row] > 0 and not tables.reservations[offer]:
                cost = tables.prices[offer] / fit[row]
                if chosen < 0 or cost < tables.prices[chosen] / limits[chosen][row]:
                    chosen = offer
        if chosen >= 0:
            single[row] = limits[chosen][row]
            self.add(chosen, single)
        else:
            # Only reservations or nodes that are there hold it; a dear way out keeps it solvable.
            index = np.array([row], np.int32)
            self._solver.addCol(1000.0, 0.0, np.inf, 1, index, np.array([1.0]))

    def add(self, offer: int, column: Vector) -> int:
        """Add a filling of an offer; give how many were new."""
        key = (offer, column.tobytes())
        if key in self._known:
            return 0
        self._known.add(key)
        used = np.flatnonzero(column)
        index, value = used, column[used]
        name = self._tables.reservations[offer]
        if name:
            index = np.append(index, len(self._tables.counts) + self._names.index(name))
            value = np.append(value, 1.0)
        price = float(self._tables.prices[offer]) / self._unit
        self._solver.addCol(price, 0.0, np.inf, len(index), index.astype(np.int32), value)
        return 1

    def solve(self) -> Vector:
        """Give what a pod of each row is worth under the fillings known."""
        self._solver.run()
        self.price = float(self._solver.getInfo().objective_function_value) * self._unit
        duals = np.array(self._solver.getSolution().row_dual)
        rows = len(self._tables.counts)
        self._premiums = np.maximum(-duals[rows : rows + len(self._names)], 0.0) * self._unit
        worth: Vector = np.maximum(duals[:rows], 0.0) * self._unit
        return worth

    def premium(self, offer: int) -> float:
        """Give what a slot of the offer's reservation is worth on top of its price."""
        name = self._tables.reservations[offer]
        return float(self._premiums[self._names.index(name)]) if name else 0.0
