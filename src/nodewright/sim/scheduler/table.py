"""Nodes as rows of arrays: what they offer, what is taken, and how they stand to each shape.

What depends on labels and taints alone is worked out once for each (shape, node) and again only for
rows that have changed since. Rows of nodes that are gone are used again.
"""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nodewright.core.scheduling.rules.ports import HostPort
from nodewright.core.scheduling.rules.taints import tolerates
from nodewright.model.labels import HOSTNAME, ZONE
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.sim.nodematch import node_matches, term_matches
from nodewright.sim.scheduler.shape import Shape

type Mask = NDArray[np.bool_]
type Numbers = NDArray[np.int64]

_CORDON: Final = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")
_ROWS: Final = 64
_STATIC_MAX: Final = 4_096


class Static:
    """How one shape stands to every row, by labels and taints: may it, and how well."""

    __slots__ = ("affinity", "allowed", "seen", "soft_taints", "tolerated", "wishes")

    def __init__(self, size: int) -> None:
        self.seen = 0
        self.allowed = np.zeros(size, dtype=np.bool_)
        self.affinity = np.zeros(size, dtype=np.bool_)
        self.tolerated = np.zeros(size, dtype=np.bool_)
        self.wishes = np.zeros(size, dtype=np.int64)
        self.soft_taints = np.zeros(size, dtype=np.int64)

    def grow(self, size: int) -> None:
        """Make room for more rows."""
        for name in ("allowed", "affinity", "tolerated", "wishes", "soft_taints"):
            setattr(self, name, _longer(getattr(self, name), size))


class NodeTable:
    """All nodes, by row."""

    def __init__(self) -> None:
        self.size = _ROWS
        self.columns: dict[str, int] = {"cpu": 0, "memory": 1, "pods": 2}
        self.alloc: Numbers = np.zeros((_ROWS, 3), dtype=np.int64)
        self.used: Numbers = np.zeros((_ROWS, 3), dtype=np.int64)
        self.nonzero: Numbers = np.zeros((_ROWS, 2), dtype=np.int64)
        self.alive: Mask = np.zeros(_ROWS, dtype=np.bool_)
        self.nodes: list[Node | None] = [None] * _ROWS
        self.ports: dict[int, dict[str, tuple[HostPort, ...]]] = {}
        self.row_of: dict[str, int] = {}
        self._free = list(range(_ROWS - 1, -1, -1))
        self._changed: list[int] = []
        self._statics: dict[bytes, Static] = {}
        self._domains: dict[str, tuple[Numbers, dict[str, int]]] = {}
        self._vectors: dict[int, tuple[int, Numbers, list[int]]] = {}
        self._order: Numbers | None = None

    def put(self, node: Node) -> int:
        """Take in a node that is new or has changed, and give its row."""
        name = node.metadata.name
        row = self.row_of.get(name)
        if row is None:
            if not self._free:
                self._grow_rows()
            row = self._free.pop()
            self.row_of[name] = row
            self.used[row] = 0
            self.nonzero[row] = 0
            self.alive[row] = True
            self._order = None
        before = self.nodes[row]
        self.nodes[row] = node
        offers = node.status.allocatable_read
        for resource in offers:
            self._column(resource)
        self.alloc[row] = 0
        for resource, amount in offers.items():
            self.alloc[row, self.columns[resource]] = amount
        if before is None or before.metadata.labels != node.metadata.labels:
            for key, (domains, known) in self._domains.items():
                domains[row] = _domain(known, node, key)
            if before is None or before.metadata.labels.get(ZONE) != node.metadata.labels.get(ZONE):
                self._order = None
        self._changed.append(row)
        return row

    def remove(self, name: str) -> int | None:
        """Forget a node, and give the row that it had."""
        row = self.row_of.pop(name, None)
        if row is not None:
            self.alive[row] = False
            self.nodes[row] = None
            self.ports.pop(row, None)
            for domains, _ in self._domains.values():
                domains[row] = -1
            self._free.append(row)
            self._changed.append(row)
            self._order = None
        return row

    def take(self, row: int, shape: Shape, key: str, sign: int) -> None:
        """Count a pod on a row, or count it off."""
        vector, _ = self.vector(shape)
        self.used[row, : len(vector)] += sign * vector
        self.nonzero[row, 0] += sign * shape.nonzero[0]
        self.nonzero[row, 1] += sign * shape.nonzero[1]
        if shape.ports:
            there = self.ports.setdefault(row, {})
            if sign > 0:
                there[key] = shape.ports
            else:
                there.pop(key, None)

    def vector(self, shape: Shape) -> tuple[Numbers, list[int]]:
        """Give what a shape asks for, by column, and the columns where it asks for something."""
        known = self._vectors.get(shape.number)
        if known is None or known[0] != len(self.columns):
            for resource in shape.requests:
                self._column(resource)
            vector = np.zeros(len(self.columns), dtype=np.int64)
            for resource, amount in shape.requests.items():
                vector[self.columns[resource]] = amount
            known = (len(self.columns), vector, [int(c) for c in np.flatnonzero(vector)])
            self._vectors[shape.number] = known
        return known[1], known[2]

    def fits(self, shape: Shape, more: Numbers | None = None) -> Mask:
        """Tell on which rows there is room for a shape, with more taken than is bound yet."""
        vector, columns = self.vector(shape)
        mask = self.alive.copy()
        for column in columns:
            left = self.alloc[:, column] - self.used[:, column]
            if more is not None:
                left = left - more[:, column]
            mask &= left >= vector[column]
        return mask

    def static(self, shape: Shape) -> Static:
        """Give how a shape stands to every row by labels and taints."""
        known = self._statics.get(shape.static_key)
        if known is None:
            if len(self._statics) >= _STATIC_MAX:
                self._statics.clear()
            known = self._statics[shape.static_key] = Static(self.size)
            rows: Iterable[int] = self.row_of.values()
        elif known.seen == len(self._changed):
            return known
        else:
            rows = dict.fromkeys(self._changed[known.seen :])
        if len(known.allowed) < self.size:
            known.grow(self.size)
        for row in rows:
            _judge(known, row, shape, self.nodes[row])
        known.seen = len(self._changed)
        return known

    def domains(self, key: str) -> tuple[Numbers, int]:
        """Give the domain of each row under a topology key (-1 for none), and how many there are."""
        known = self._domains.get(key)
        if known is None:
            numbers: dict[str, int] = {}
            rows = np.full(self.size, -1, dtype=np.int64)
            for row in self.row_of.values():
                node = self.nodes[row]
                if node is not None:
                    rows[row] = _domain(numbers, node, key)
            known = self._domains[key] = (rows, numbers)
        return known[0], len(known[1])

    def order(self) -> Numbers:
        """Give the rows in the order in which they are looked at: zone by zone in turn."""
        if self._order is None:
            zones: dict[str, list[int]] = {}
            for row in self.row_of.values():
                node = self.nodes[row]
                zone = node.metadata.labels.get(ZONE, "") if node is not None else ""
                lane = zones.get(zone)
                if lane is None:
                    lane = zones[zone] = []
                lane.append(row)
            turns = zip_longest(*zones.values())
            rows = [row for turn in turns for row in turn if row is not None]
            self._order = np.array(rows, dtype=np.int64)
        return self._order

    def _column(self, resource: str) -> None:
        if resource not in self.columns:
            self.columns[resource] = len(self.columns)
            extra = np.zeros((self.size, 1), dtype=np.int64)
            self.alloc = np.hstack((self.alloc, extra))
            self.used = np.hstack((self.used, extra))

    def _grow_rows(self) -> None:
        old, self.size = self.size, self.size * 2
        self.alloc, self.used = _longer(self.alloc, self.size), _longer(self.used, self.size)
        self.nonzero, self.alive = _longer(self.nonzero, self.size), _longer(self.alive, self.size)
        self.nodes += [None] * old
        self._free += range(self.size - 1, old - 1, -1)
        for key, (rows, known) in self._domains.items():
            longer = np.full(self.size, -1, dtype=np.int64)
            longer[: len(rows)] = rows
            self._domains[key] = (longer, known)


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _domain(known: dict[str, int], node: Node, key: str) -> int:
    value = node.metadata.labels.get(key)
    if value is None and key == HOSTNAME:
        value = node.metadata.name
    return -1 if value is None else known.setdefault(value, len(known))


def _judge(static: Static, row: int, shape: Shape, node: Node | None) -> None:
    if node is None:
        static.allowed[row] = False
        return
    taints = (*node.spec.taints, _CORDON) if node.spec.unschedulable else node.spec.taints
    hard = soft = 0
    for taint in taints:
        if not any(tolerates(one, taint) for one in shape.spec.tolerations):
            if taint.effect == "PreferNoSchedule":
                soft += 1
            else:
                hard += 1
    matches = node_matches(shape.spec, node)
    static.affinity[row] = matches
    static.tolerated[row] = hard == 0
    static.allowed[row] = matches and hard == 0
    static.soft_taints[row] = soft
    affinity = shape.spec.affinity.node_affinity if shape.spec.affinity else None
    static.wishes[row] = sum(
        one.weight
        for one in (affinity.preferred if affinity else ())
        if term_matches(one.preference, node.metadata.labels, node.metadata.name)
    )
