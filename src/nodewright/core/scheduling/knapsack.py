"""The best filling of one machine, and an amount that no filling exceeds, by HiGHS.

A knapsack of several amounts: each row of pods is worth something, a machine has room. Its linear
relaxation has a few rows and is solved quickly; from its dual prices follows an upper bound that holds
whatever rounding the solver did. Where that is not sharp enough, the same in whole pods, by
branch and bound with a counted number of nodes.
"""

from typing import Final

import highspy
import numpy as np

from nodewright.core.scheduling.offers import Matrix, Vector

_NODES_MAX: Final = 100
_SAFETY: Final = 1e-9


class Knapsack:
    """Fills machines with pods of the same rows again and again, under changing worth and room."""

    def __init__(self, amounts: Matrix) -> None:
        self._amounts = amounts
        # Amounts are scaled to the largest, so that bytes and cores are of one magnitude.
        self._scale: Vector = np.maximum(amounts.max(axis=0, initial=0.0), 1.0)
        self._scaled: Matrix = amounts / self._scale
        self._prices: Vector = np.zeros(amounts.shape[1])
        self._relaxed = self._model()
        self._whole = self._model()
        rows = len(amounts)
        kinds = np.full(rows, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
        self._whole.changeColsIntegrality(rows, self._numbers, kinds)
        self._whole.setOptionValue("mip_max_nodes", _NODES_MAX)

    def _model(self) -> highspy.Highs:
        solver = quiet_solver()
        rows, width = self._amounts.shape
        self._numbers = np.arange(rows, dtype=np.int32)
        scaled = self._scaled
        solver.addVars(rows, np.zeros(rows), np.zeros(rows))
        for resource in range(width):
            used = np.flatnonzero(scaled[:, resource]).astype(np.int32)
            solver.addRow(-np.inf, 0.0, len(used), used, scaled[used, resource])
        solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        return solver

    def relaxed(self, worth: Vector, room: Vector, limits: Vector) -> tuple[float, Vector]:
        """Give an amount that no filling exceeds, and the best filling with parts of pods."""
        unit, filling, prices = self._run(self._relaxed, worth, room, limits)
        if unit == 0.0:
            return 0.0, np.zeros(len(worth))
        self._prices = np.maximum(prices, 0.0) * unit
        return self.ceiling(worth, room, limits), filling

    def ceiling(self, worth: Vector, room: Vector, limits: Vector) -> float:
        """Give an amount that no filling exceeds, by the dual prices of whoever was filled last."""
        gain = worth - self._scaled @ self._prices
        bound = float(self._prices @ (room / self._scale) + limits @ np.maximum(gain, 0.0))
        return bound * (1 + _SAFETY)

    def whole(self, worth: Vector, room: Vector, limits: Vector) -> tuple[float, Vector]:
        """Give an amount that no filling exceeds, and the best filling with whole pods found."""
        unit, filling, _ = self._run(self._whole, worth, room, limits)
        if unit == 0.0:
            return 0.0, np.zeros(len(worth))
        bound = float(self._whole.getInfo().mip_dual_bound)
        return bound * unit * (1 + _SAFETY), np.floor(filling + 0.5)

    def _run(
        self, solver: highspy.Highs, worth: Vector, room: Vector, limits: Vector
    ) -> tuple[float, Vector, Vector]:
        unit = float(np.where(limits > 0, worth, 0.0).max(initial=0.0))
        if unit <= 0.0:
            return 0.0, np.zeros(len(worth)), np.zeros(len(room))
        rows = len(worth)
        solver.changeColsCost(rows, self._numbers, worth / unit)
        solver.changeColsBounds(rows, self._numbers, np.zeros(rows), limits)
        for resource, amount in enumerate(room / self._scale):
            solver.changeRowBounds(resource, -np.inf, float(amount))
        solver.run()
        solution = solver.getSolution()
        return unit, np.array(solution.col_value), np.array(solution.row_dual)


def quiet_solver() -> highspy.Highs:
    """Make a solver that prints nothing, uses one thread and always goes the same way."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("random_seed", 0)
    return solver


def greedy(filling: Vector, worth: Vector, amounts: Matrix, room: Vector, limits: Vector) -> Vector:
    """Round a filling down and top it up with whole pods, most worth for the scarcest room first."""
    whole = np.minimum(np.floor(filling + 1e-6), limits)
    left = room - whole @ amounts
    if (left < 0).any():
        whole[:] = 0.0
        left = room.copy()
    share = (amounts / np.maximum(room, 1.0)).max(axis=1, initial=1e-12)
    for row in np.argsort(-worth / np.maximum(share, 1e-12), kind="stable"):
        need = amounts[row]
        wanted = need > 0
        more = min(
            float(np.floor(left[wanted] / need[wanted]).min(initial=np.inf)),
            float(limits[row] - whole[row]),
        )
        if more > 0 and worth[row] > 0:
            whole[row] += more
            left = left - more * need
    return whole
