"""What pods are worth when they may be poured: the fluid relaxation, solved on groups of like pods.

Each machine gets its own prices of cpu, memory and the rest, such that its room is worth no more than it
costs; a pod is worth what the machine that is cheapest for it asks. Prices that differ by machine matter:
cpu of a machine with no memory is cheap and no use to a pod that needs both. To find good prices, pods
of nearly the same size are taken together; the worth of each pod is then computed from its own size, so
that nothing is overpaid whatever was taken together.
"""

from typing import Final

import highspy
import numpy as np
import numpy.typing as npt

from nodewright.core.scheduling.knapsack import quiet_solver
from nodewright.core.scheduling.offers import Matrix, Tables, Vector

_CELLS_MAX: Final = 24_000
"""How many pairs of a group and an offer the linear program may have."""

_FINENESS: Final = (16.0, 8.0, 6.0, 4.0, 3.0, 2.0, 1.5, 1.0, 0.5)

type Numbers = npt.NDArray[np.int64]


def fluid_worth(tables: Tables, limits: list[Vector]) -> Vector | None:
    """Give the worth of each row of pods, or nothing where there is too much to choose from."""
    group_of = _group(tables, _CELLS_MAX // max(1, len(tables.prices)))
    if group_of is None:
        return None
    count = int(group_of.max(initial=-1)) + 1
    pods = np.bincount(group_of, weights=tables.counts, minlength=count)
    sizes = np.zeros((count, tables.amounts.shape[1]))
    np.add.at(sizes, group_of, tables.amounts * tables.counts[:, None])
    sizes /= pods[:, None]
    first = np.array([int(np.argmax(group_of == group)) for group in range(count)], dtype=np.int64)
    allowed = np.array([fits[first] > 0 for fits in limits])
    prices = _machine_prices(tables, sizes, pods, allowed)
    worth = np.full(len(tables.counts), np.inf)
    for offer, fits in enumerate(limits):
        asked = tables.amounts @ prices[offer]
        worth = np.where(fits > 0, np.minimum(worth, asked), worth)
    return np.where(np.isfinite(worth), worth, 0.0)


def _group(tables: Tables, most: int) -> Numbers | None:
    """Group rows of nearly the same size, as finely as the number of groups allows."""
    logs = np.log2(np.maximum(tables.amounts, 1.0))
    for fineness in (np.inf, *_FINENESS):
        cells = tables.amounts if np.isinf(fineness) else np.round(logs * fineness)
        keys = np.column_stack((tables.pattern_of, cells))
        _, group_of = np.unique(keys, axis=0, return_inverse=True)
        numbers: Numbers = group_of.reshape(-1).astype(np.int64)
        if int(numbers.max(initial=-1)) < most:
            return numbers
    return None


def _machine_prices(
    tables: Tables, sizes: Matrix, pods: Vector, allowed: npt.NDArray[np.bool_]
) -> Matrix:
    """Solve for the cheapest mix of machines, and give each machine's price of each amount."""
    offers, width = tables.free.shape
    scale = np.maximum(sizes.max(axis=0, initial=0.0), 1.0)
    unit = float(tables.prices.max(initial=1.0)) or 1.0
    solver = quiet_solver()
    empty, nothing = np.array([], np.int32), np.array([])
    for amount in pods:
        solver.addRow(float(amount), np.inf, 0, empty, nothing)
    for _ in range(offers * width):
        solver.addRow(-np.inf, 0.0, 0, empty, nothing)
    base = len(pods)
    places = np.arange(width, dtype=np.int32)
    for offer in range(offers):
        rows = (base + offer * width + places).astype(np.int32)
        room = -tables.free[offer] / scale
        top = tables.slots.get(tables.reservations[offer], np.inf)
        solver.addCol(float(tables.prices[offer]) / unit, 0.0, float(top), width, rows, room)
        for group in np.flatnonzero(allowed[offer]):
            used = np.flatnonzero(sizes[group])
            index = np.concatenate(([group], base + offer * width + used)).astype(np.int32)
            value = np.concatenate(([1.0], sizes[group, used] / scale[used]))
            solver.addCol(0.0, 0.0, np.inf, len(index), index, value)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return np.zeros((offers, width))
    duals = np.array(solver.getSolution().row_dual)[base:].reshape(offers, width)
    prices: Matrix = np.maximum(-duals, 0.0) * unit / scale
    return prices
