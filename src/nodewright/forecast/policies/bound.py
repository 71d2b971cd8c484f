"""What no policy can beat: the workload as it comes, on machines that can be cut to any size and are there at once.

For each ten minutes a small linear program buys the cheapest fractions of machines that hold what is asked for on
average, at the prices of that time. The price of a demand bends upwards, so the price of the average is never more
than the average price: what comes out is a bound, and no plan.
"""

from collections.abc import Mapping
from typing import Final

import highspy
import numpy as np

from nodewright.core.scheduling.knapsack import quiet_solver
from nodewright.forecast.demand import walk
from nodewright.forecast.measured import HOUR_MS, Measured, Point
from nodewright.forecast.run import LENGTH_MAX_MS
from nodewright.forecast.setup import Setup, types_on_sale
from nodewright.model.instance import NANO, InstanceType
from nodewright.sim.chance import Chance
from nodewright.sim.cloud.market import STEP_MS, Market, MarketSettings
from nodewright.sim.ground import START_MS
from nodewright.trace.entry import GPU, Trace

BOUND: Final = "bound"
_NAMES: Final = ("cpu", "memory", GPU)


def bound_cost(setup: Setup, trace: Trace, seed: int) -> Measured:
    """Give a cost below which no policy can go, as the result of a run."""
    types = types_on_sale(setup)
    means, overhead, length_ms = _average(trace)
    settings = MarketSettings(spot_moves=setup.cloud.spot_moves)
    market = Market(types, settings, Chance(seed), START_MS)
    rooms = _Rooms(types, overhead)
    cost, series = 0.0, []
    for step in range(-(-length_ms // STEP_MS)):
        at_ms = step * STEP_MS
        lasts_ms = min(STEP_MS, length_ms - at_ms)
        asked = {name: one * STEP_MS / lasts_ms for name, one in means.get(step, {}).items()}
        price = rooms.price(asked, rooms.prices(market, START_MS + at_ms))
        cost += price * lasts_ms / HOUR_MS / NANO
        cpu = asked.get("cpu", 0.0) / 1000
        series.append(Point(at_ms, 0, 0, round(price / NANO, 4), cpu, cpu))
    return Measured(BOUND, seed, length_ms, cost, series=tuple(series))


def _average(trace: Trace) -> tuple[dict[int, dict[str, float]], Mapping[str, int], int]:
    """Give what is asked for on average in each step, what daemons ask for, and how long it is."""
    means: dict[int, dict[str, float]] = {}
    then_ms, totals = 0, dict[str, int]()
    overhead: Mapping[str, int] = {}
    end_ms = trace.length_ms if trace.length_ms is not None else LENGTH_MAX_MS

    def add(until_ms: int) -> None:
        nonlocal then_ms
        while then_ms < min(until_ms, end_ms):
            step = then_ms // STEP_MS
            stop_ms = min((step + 1) * STEP_MS, until_ms, end_ms)
            own = means.setdefault(step, {})
            for name in _NAMES:
                amount = totals.get(name, 0) * (stop_ms - then_ms) / STEP_MS
                own[name] = own.get(name, 0.0) + amount
            then_ms = stop_ms

    last_ms = 0
    for at_ms, demand in walk(trace):
        add(at_ms)
        totals = dict(demand.totals)
        overhead = demand.overhead()
        last_ms = max(last_ms, at_ms)
    length_ms = trace.length_ms if trace.length_ms is not None else last_ms
    end_ms = length_ms
    add(length_ms)
    return means, overhead, max(1, length_ms)


class _Rooms:
    """What pods can use of each way to buy, and the cheapest fractions that hold a demand."""

    def __init__(self, types: tuple[InstanceType, ...], overhead: Mapping[str, int]) -> None:
        self._keys = [
            (one.name, offer.zone, offer.capacity_type) for one in types for offer in one.offerings
        ]
        rows = [
            [max(0, one.allocatable.get(name, 0) - overhead.get(name, 0)) for name in _NAMES]
            for one in types
            for _ in one.offerings
        ]
        self._scale = np.maximum(1.0, np.max(np.array(rows, dtype=float), axis=0))
        self._rows = np.array(rows, dtype=float) / self._scale

    def prices(self, market: Market, now_ms: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """Give the price of each way to buy at an instant."""
        return np.array([market.price(key, now_ms) for key in self._keys], dtype=float)

    def price(
        self,
        demand: Mapping[str, float],
        prices: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    ) -> float:
        """Give the least that a demand can cost: the most that its parts can be worth."""
        wanted = np.array([demand.get(name, 0.0) for name in _NAMES]) / self._scale
        if not wanted.any():
            return 0.0
        solver = quiet_solver()
        top = float(prices.max())
        for value in wanted:
            solver.addVar(0.0, highspy.kHighsInf)
            solver.changeColCost(solver.getNumCol() - 1, -float(value))
        for row, price in zip(self._rows, prices / top, strict=True):
            solver.addRow(
                -highspy.kHighsInf, float(price), len(_NAMES), np.arange(len(_NAMES)), row
            )
        solver.run()
        return -float(solver.getInfo().objective_function_value) * top
