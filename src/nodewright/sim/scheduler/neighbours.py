"""Who is where: for every term that some pod has, how many pods it means lie on each row.

Counts are kept as pods come and go, so that a scheduling cycle only sums them by domain. The
reverse is kept too: which rows hold pods whose own terms would mean the newcomer.
"""

from collections.abc import Iterable

import numpy as np

from nodewright.sim.scheduler.shape import Shape, Term
from nodewright.sim.scheduler.table import NodeTable, Numbers

HARD_WEIGHT = 1


class Neighbours:
    """Counts of pods by term and row."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self._counts: dict[Term, Numbers] = {}
        self._holders: dict[tuple[str, Term], Numbers] = {}
        self._meant: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[int, list[Term]]] = {}
        self._placed: dict[str, tuple[int, Shape]] = {}

    def count(self, term: Term) -> Numbers:
        """Give how many pods a term means on each row."""
        plain = Term(term.key, term.selector, term.namespaces)
        counts = self._counts.get(plain)
        if counts is None:
            counts = np.zeros(self._table.size, dtype=np.int64)
            for row, shape in self._placed.values():
                if plain.selects(shape.namespace, shape.labels):
                    counts[row] += 1
            self._counts[plain] = counts
        return self._fit(self._counts, plain)

    def by_domain(self, counts: Numbers, key: str) -> tuple[Numbers, Numbers]:
        """Sum counts by domain; give each row's domain and each domain's sum."""
        domains, number = self._table.domains(key)
        inside = domains >= 0
        sums = np.bincount(domains[inside], weights=counts[inside], minlength=number)
        return domains, sums.astype(np.int64)

    def holders(self, kind: str) -> Iterable[tuple[Term, Numbers]]:
        """Give the terms of one kind that placed pods have, with who has them on each row."""
        for holder in [one for one in self._holders if one[0] == kind]:
            counts = self._fit(self._holders, holder)
            if counts.any():
                yield holder[1], counts

    def is_shunned(self, shape: Shape) -> bool:
        """Tell whether a pod that is placed keeps away pods of a shape."""
        return any(term.selects(shape.namespace, shape.labels) for term, _ in self.holders("anti"))

    def place(self, key: str, row: int, shape: Shape, sign: int) -> None:
        """Count a pod in, or out."""
        if sign > 0:
            self._placed[key] = (row, shape)
        else:
            self._placed.pop(key, None)
        if self._counts:
            for term in self._terms_meaning(shape):
                self._fit(self._counts, term)[row] += sign
        for kind, term in _own_terms(shape):
            holder = (kind, term)
            if holder not in self._holders:
                self._holders[holder] = np.zeros(self._table.size, dtype=np.int64)
            self._fit(self._holders, holder)[row] += sign

    def _terms_meaning(self, shape: Shape) -> list[Term]:
        who = (shape.namespace, tuple(sorted(shape.labels.items())))
        known = self._meant.get(who)
        if known is None or known[0] != len(self._counts):
            terms = [one for one in self._counts if one.selects(shape.namespace, shape.labels)]
            known = self._meant[who] = (len(self._counts), terms)
        return known[1]

    def _fit[K](self, where: dict[K, Numbers], which: K) -> Numbers:
        counts = where[which]
        if len(counts) < self._table.size:
            longer = np.zeros(self._table.size, dtype=np.int64)
            longer[: len(counts)] = counts
            where[which] = counts = longer
        return counts


def _own_terms(shape: Shape) -> Iterable[tuple[str, Term]]:
    for term in shape.anti_affinity:
        yield "anti", term
    for term in shape.affinity:
        yield "wish", Term(term.key, term.selector, term.namespaces, HARD_WEIGHT)
    for term in shape.preferred:
        yield "wish", term
