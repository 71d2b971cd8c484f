"""The market: what can be bought, as columns, and which machine gives most for its price."""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

import numpy as np

from nodewright.core.scheduling.board import Board, Fitting
from nodewright.core.scheduling.drafts import State
from nodewright.core.scheduling.duals import Matrix, Vector, shadow_prices
from nodewright.core.scheduling.masks import unpack
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.reason import Reason

_MIX_CHANGE: Final = 0.02
"""How much the proportion of resources may change before they are appraised anew."""


_APPRAISALS_MAX: Final = 64
"""How often resources are appraised anew in one filling."""


def _columns(supply: Supply, resources: tuple[str, ...]) -> tuple[Matrix, Vector]:
    """Give what every way has free and costs; pools that share their index share this too."""
    known = supply.columns.get(resources)
    if known is not None:
        return known
    by_type = [
        [supply.free(index).get(name, 0) for name in resources]
        for index in range(len(supply.types))
    ]
    table = np.array(by_type, dtype=np.float64).reshape(len(by_type), len(resources))
    rows = np.array([way.type_index for way in supply.ways], dtype=np.int64)
    prices = np.array([way.offering.price for way in supply.ways], dtype=np.float64)
    found = supply.columns[resources] = (table[rows].T, prices)
    return found


class Opening:
    """A machine worth opening for a pod: its pool, how the pod fits, and the type to fill up."""

    __slots__ = ("fitting", "supply", "target")

    def __init__(self, supply: Supply, fitting: Fitting, target: int) -> None:
        self.supply = supply
        self.fitting = fitting
        self.target = target


class Market:
    """Every way to buy, with what it has free for pods and what it costs."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._free: dict[Supply, Matrix] = {}
        self._prices: dict[Supply, Vector] = {}
        self._usable: dict[tuple[Supply, Bits], np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
        self.worth: Vector = np.zeros(len(board.resources))
        self._mix: Vector | None = None
        self._on_sale: dict[Supply, tuple[Matrix, Vector]] = {}
        self._appraisals = _APPRAISALS_MAX
        for supply in board.supplies:
            self._free[supply], self._prices[supply] = _columns(supply, tuple(board.resources))

    def appraise(self, demand: Vector, supplies: Sequence[Supply] | None = None) -> Vector:
        """Work out what a unit of each resource is worth, given all that is to be placed.

        With supplies given, nodes are made from those alone.
        """
        sold = [self._sold(one) for one in (self.board.supplies if supplies is None else supplies)]
        if sold:
            columns = np.hstack([free for free, _ in sold])
            self.worth = shadow_prices(demand, columns, np.concatenate([one for _, one in sold]))
        return self.worth

    def _sold(self, supply: Supply) -> tuple[Matrix, Vector]:
        """Give each type of a pool once, at its lowest price: dearer ways are worth no more."""
        known = self._on_sale.get(supply)
        if known is None:
            usable = np.flatnonzero(unpack(self.board.tables[supply].start.bits, len(supply.ways)))
            types = np.array([way.type_index for way in supply.ways], dtype=np.int64)[usable]
            cheapest_first = np.argsort(self._prices[supply][usable], kind="stable")
            _, first = np.unique(types[cheapest_first], return_index=True)
            chosen = usable[cheapest_first[first]]
            known = (self._free[supply][:, chosen], self._prices[supply][chosen])
            self._on_sale[supply] = known
        return known

    def _keep_up(self, demand: Vector) -> None:
        """Appraise anew when what is left asks for resources in another proportion."""
        if self._appraisals <= 0 or float(demand.sum()) <= 0:
            return
        shape = demand * self.worth
        weight = float(shape.sum())
        if weight <= 0:
            self._appraisals -= 1
            self.appraise(demand)
            self._mix = None
            return
        mix = shape / weight
        if self._mix is not None and float(np.abs(mix - self._mix).max()) < _MIX_CHANGE:
            return
        self._appraisals -= 1
        self.appraise(demand)
        shape = demand * self.worth
        self._mix = shape / max(float(shape.sum()), 1e-300)

    def cheapest(self, shape: Shape, wish: Wish) -> Opening | Reason:
        """Choose the cheapest machine that holds one pod."""
        return self._open(shape, wish, None)

    def best_value(self, shape: Shape, wish: Wish, company: "Company") -> Opening | Reason:
        """Choose the machine that is worth most per price, given who else could join."""
        return self._open(shape, wish, company)

    def _open(self, shape: Shape, wish: Wish, company: "Company | None") -> Opening | Reason:
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
                cost, target = self._best_way(supply, shape, fitting, company)
                if best is None or cost < best[0]:
                    best = (cost, Opening(supply, fitting, target))
            if best is not None:
                return best[1]
        return refusal

    def _tiers(self) -> Iterator[list[Supply]]:
        """Give the pools by weight: a heavier one is always preferred, whatever it costs."""
        tier: list[Supply] = []
        for supply in self.board.supplies:
            if tier and (supply.pool.spec.weight or 0) != (tier[0].pool.spec.weight or 0):
                yield tier
                tier = []
            tier.append(supply)
        if tier:
            yield tier

    def _best_way(
        self, supply: Supply, shape: Shape, fitting: Fitting, company: "Company | None"
    ) -> tuple[float, int]:
        """Give the cost per worth, and the type, of the best machine for a pod and its company."""
        bits = fitting.bits
        limits = self.board.limits.get(supply)
        if limits is not None:
            bits &= limits.allowed(None)
        cheapest = supply.ways[(bits & -bits).bit_length() - 1]
        if company is None or supply.reserved & bits:
            return float(cheapest.offering.price), cheapest.type_index
        demand = company.demand(fitting.state)
        self._keep_up(demand)
        usable = self._usable.get((supply, bits))
        if usable is None:
            usable = np.flatnonzero(unpack(bits, len(supply.ways)))
            self._usable[(supply, bits)] = usable
        value = np.zeros(len(usable))
        for index in range(len(self.board.resources)):
            wanted = max(demand[index], float(shape.amounts[index]))
            value += np.minimum(self._free[supply][index][usable], wanted) * self.worth[index]
        prices = self._prices[supply][usable]
        cost = np.where(value > 0, prices / np.where(value > 0, value, 1.0), np.inf)
        if not np.isfinite(cost).any():
            return float(cheapest.offering.price), cheapest.type_index
        # Of machines that cost the same for what they hold, the larger one means fewer nodes.
        equal = cost <= float(cost.min()) * (1.0 + 1e-9)
        best = int(np.argmax(np.where(equal, value, -1.0)))
        return float(cost[best]), supply.ways[int(usable[best])].type_index


class Company(Protocol):
    """Whoever can say how much demand could join a draft in a given state."""

    def demand(self, state: State) -> Vector:
        """Sum what could join."""
