"""What a unit of each resource is worth: the prices under the cheapest cover of a demand.

The cheapest way to cover a demand with fractions of machines is a small linear program (a row per
resource, a column per way to buy). Its dual prices say what a core or a byte costs when bought
well, which makes pods and machines comparable. Solved by the dual simplex method: with no prices
at all nothing is overpaid, so it starts feasible and each step covers one resource. Only
elementwise arithmetic is used, so that every machine gets the same bits.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

type Vector = npt.NDArray[np.float64]
type Matrix = npt.NDArray[np.float64]

_STEPS_MAX: Final = 60
_EPSILON: Final = 1e-9


def shadow_prices(demand: Vector, machines: Matrix, prices: Vector) -> Vector:
    """Give what a unit of each resource costs in the cheapest cover of a demand.

    `machines` has a row per resource and a column per way to buy. A resource that no machine has,
    or that nothing asks for, is worth nothing.
    """
    rows = len(demand)
    if not rows:
        return demand
    scale = np.where(demand > 0, demand, 1.0)
    scaled = machines / scale[:, None]
    wanted = np.where((demand > 0) & (machines.max(axis=1, initial=0.0) > 0), 1.0, 0.0)
    worth = _dual_simplex(wanted, scaled, prices, rows)
    return worth / scale


def _dual_simplex(wanted: Vector, columns: Matrix, prices: Vector, rows: int) -> Vector:
    inverse = np.eye(rows)
    basis: list[int] = [-1 - row for row in range(rows)]
    worth = np.zeros(rows)
    for _ in range(_STEPS_MAX):
        covered = _times(inverse, -wanted)
        leaving = int(np.argmin(covered))
        if covered[leaving] >= -_EPSILON:
            break
        entering = _entering(inverse[leaving], columns, prices, worth, basis)
        if entering is None:
            break
        column = -columns[:, entering] if entering >= 0 else _unit(rows, -1 - entering)
        direction = _times(inverse, column)
        pivot = direction[leaving]
        inverse[leaving] /= pivot
        for row in range(rows):
            if row != leaving:
                inverse[row] -= direction[row] * inverse[leaving]
        basis[leaving] = entering
        costs = np.array([prices[one] if one >= 0 else 0.0 for one in basis])
        worth = np.zeros(rows)
        for row in range(rows):
            worth -= costs[row] * inverse[row]
    return np.maximum(worth, 0.0)


def _entering(
    row: Vector, columns: Matrix, prices: Vector, worth: Vector, basis: list[int]
) -> int | None:
    """Pick the column that covers the lacking resource at the least loss."""
    change = np.zeros(columns.shape[1])
    slack = prices.copy()
    for index, part in enumerate(row):
        change -= part * columns[index]
        slack -= worth[index] * columns[index]
    usable = change < -_EPSILON
    best: tuple[float, int] | None = None
    if usable.any():
        ratio = np.where(usable, np.maximum(slack, 0.0) / np.where(usable, -change, 1.0), np.inf)
        index = int(np.argmin(ratio))
        best = (float(ratio[index]), index)
    for index, part in enumerate(row):
        if part < -_EPSILON and (-1 - index) not in basis:
            ratio_surplus = max(float(worth[index]), 0.0) / -float(part)
            if best is None or ratio_surplus < best[0]:
                best = (ratio_surplus, -1 - index)
    return None if best is None else best[1]


def _times(matrix: Matrix, vector: Vector) -> Vector:
    result = np.zeros(matrix.shape[0])
    for index, part in enumerate(vector):
        result += matrix[:, index] * part
    return result


def _unit(rows: int, row: int) -> Vector:
    unit = np.zeros(rows)
    unit[row] = 1.0
    return unit
