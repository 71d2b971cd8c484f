"""Filters: on which rows a pod may run at all, in kube-scheduler's terms."""

import numpy as np

from nodewright.core.scheduling.rules.ports import first_taken
from nodewright.sim.scheduler.neighbours import Neighbours
from nodewright.sim.scheduler.shape import Shape, Spread
from nodewright.sim.scheduler.table import Mask, NodeTable, Static


def filter_ports(table: NodeTable, shape: Shape, mask: Mask) -> None:
    """Take out rows where a host port of the shape is taken."""
    if shape.ports:
        for row, taken in table.ports.items():
            if mask[row] and first_taken(shape.ports, [p for ps in taken.values() for p in ps]):
                mask[row] = False


def filter_spread(
    table: NodeTable, neighbours: Neighbours, shape: Shape, static: Static, mask: Mask
) -> None:
    """Take out rows where one more pod would make a hard spread constraint too uneven."""
    for spread in shape.hard_spread:
        domains, _ = table.domains(spread.term.key)
        eligible = eligible_rows(table, shape, static, spread)
        counts = neighbours.count(spread.term)
        number = int(domains.max(initial=-1)) + 1
        inside = domains[eligible]
        sums = np.bincount(inside, weights=counts[eligible], minlength=number).astype(np.int64)
        present = np.flatnonzero(np.bincount(inside, minlength=number))
        least = int(sums[present].min()) if len(present) else 0
        if spread.min_domains is not None and len(present) < spread.min_domains:
            least = 0
        itself = spread.term.selects(shape.namespace, shape.labels)
        ok = domains >= 0
        ok[ok] = sums[domains[ok]] + itself - least <= spread.max_skew
        mask &= ok


def eligible_rows(table: NodeTable, shape: Shape, static: Static, spread: Spread) -> Mask:
    """Tell which rows count for a spread: all of its keys present, and its policies honoured."""
    eligible = table.alive.copy()
    for one in shape.hard_spread if spread in shape.hard_spread else shape.soft_spread:
        eligible &= table.domains(one.term.key)[0] >= 0
    if spread.honors_affinity:
        eligible &= static.affinity[: table.size]
    if spread.honors_taints:
        eligible &= static.tolerated[: table.size]
    return eligible


def filter_neighbours(table: NodeTable, neighbours: Neighbours, shape: Shape, mask: Mask) -> None:
    """Take out rows by required affinity, anti-affinity, and the anti-affinity of others."""
    _filter_affinity(table, neighbours, shape, mask)
    for term in shape.anti_affinity:
        domains, sums = neighbours.by_domain(neighbours.count(term), term.key)
        inside = domains >= 0
        mask[inside] &= sums[domains[inside]] == 0
    for term, holders in neighbours.holders("anti"):
        if term.selects(shape.namespace, shape.labels):
            domains, sums = neighbours.by_domain(holders, term.key)
            inside = domains >= 0
            mask[inside] &= sums[domains[inside]] == 0


def _filter_affinity(table: NodeTable, neighbours: Neighbours, shape: Shape, mask: Mask) -> None:
    if not shape.affinity:
        return
    near = mask.copy()
    anywhere = False
    for term in shape.affinity:
        counts = neighbours.count(term)
        anywhere = anywhere or bool(counts[table.alive].any())
        domains, sums = neighbours.by_domain(counts, term.key)
        ok = domains >= 0
        ok[ok] = sums[domains[ok]] > 0
        near &= ok
    if not anywhere and all(t.selects(shape.namespace, shape.labels) for t in shape.affinity):
        # The first of a group that wants to be together may found the place.
        for term in shape.affinity:
            mask &= table.domains(term.key)[0] >= 0
        return
    mask &= near
