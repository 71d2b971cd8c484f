"""Scores: which of the rows that are left is best, with kube-scheduler's plugins and weights."""

import math
from typing import Final

import numpy as np

from nodewright.sim.scheduler.filters import eligible_rows
from nodewright.sim.scheduler.neighbours import Neighbours
from nodewright.sim.scheduler.shape import Shape
from nodewright.sim.scheduler.table import NodeTable, Numbers, Static

TOP: Final = 100
_TAINTS: Final = 3
_AFFINITY: Final = 2
_SPREAD: Final = 2
_NEIGHBOURS: Final = 2
_BALANCE_SCALE: Final = 1_000_000


class Judge:
    """Scores rows."""

    def __init__(self, table: NodeTable, neighbours: Neighbours) -> None:
        self._table = table
        self._neighbours = neighbours

    def score(self, shape: Shape, static: Static, rows: Numbers) -> Numbers:
        """Give the total score of each row."""
        total = self._room(shape, rows)
        wishes = static.wishes[rows]
        if (most := int(wishes.max(initial=0))) > 0:
            total += _AFFINITY * (TOP * wishes // most)
        soft = static.soft_taints[rows]
        worst = int(soft.max(initial=0))
        total += _TAINTS * (TOP - (TOP * soft // worst if worst else 0))
        if shape.soft_spread:
            total += _SPREAD * self._spread(shape, static, rows)
        total += _NEIGHBOURS * self._near(shape, rows)
        return total

    def _room(self, shape: Shape, rows: Numbers) -> Numbers:
        alloc = np.maximum(self._table.alloc[rows, :2], 1)
        asked = np.array(shape.nonzero, dtype=np.int64)
        taken = np.minimum(self._table.nonzero[rows] + asked, alloc)
        least = ((alloc - taken) * TOP // alloc).sum(axis=1) // 2
        fractions = taken * _BALANCE_SCALE // alloc
        apart = np.abs(fractions[:, 0] - fractions[:, 1]) // 2
        balanced = (_BALANCE_SCALE - apart) * TOP // _BALANCE_SCALE
        room: Numbers = least + balanced
        return room

    def _spread(self, shape: Shape, static: Static, rows: Numbers) -> Numbers:
        raw = np.zeros(len(rows), dtype=np.int64)
        known = np.ones(len(rows), dtype=np.bool_)
        for spread in shape.soft_spread:
            domains, _ = self._table.domains(spread.term.key)
            eligible = eligible_rows(self._table, shape, static, spread)
            counts = self._neighbours.count(spread.term)
            number = int(domains.max(initial=-1)) + 1
            sums = np.bincount(
                domains[eligible], weights=counts[eligible], minlength=number
            ).astype(np.int64)
            mine = domains[rows]
            inside = mine >= 0
            known &= inside
            size = int(np.count_nonzero(np.bincount(mine[inside])))
            # Thousandths are finer than anything that could turn a comparison.
            weight = round(math.log(size + 2) * 1000)
            raw[inside] += sums[mine[inside]] * weight + (spread.max_skew - 1) * 1000
        raw = (raw + 500) // 1000
        if not known.any():
            return np.zeros(len(rows), dtype=np.int64)
        most, least = int(raw[known].max()), int(raw[known].min())
        if most == 0:
            return np.where(known, TOP, 0)
        return np.where(known, TOP * (most + least - raw) // most, 0)

    def _near(self, shape: Shape, rows: Numbers) -> Numbers:
        raw = np.zeros(len(rows), dtype=np.int64)
        touched = False
        for term in shape.preferred:
            touched = True
            self._add(raw, rows, term.key, self._neighbours.count(term), term.weight)
        for term, holders in self._neighbours.holders("wish"):
            if term.selects(shape.namespace, shape.labels):
                touched = True
                self._add(raw, rows, term.key, holders, term.weight)
        if not touched:
            return raw
        most, least = int(raw.max(initial=0)), int(raw.min(initial=0))
        return TOP * (raw - least) // (most - least) if most > least else raw * 0

    def _add(self, raw: Numbers, rows: Numbers, key: str, counts: Numbers, weight: int) -> None:
        domains, sums = self._neighbours.by_domain(counts, key)
        mine = domains[rows]
        inside = mine >= 0
        raw[inside] += sums[mine[inside]] * weight
