"""Nominations: nodes that are spoken for, by preemption or by an autoscaler.

Room that is nominated counts as taken for every other pod whose priority is not higher.
"""

import numpy as np

from nodewright.sim.scheduler.shape import Shape
from nodewright.sim.scheduler.table import Mask, NodeTable, Numbers


class Nominations:
    """Which pod is nominated to which node."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self._named: dict[str, tuple[str, Shape]] = {}
        self._by_node: dict[str, dict[str, None]] = {}
        self._priorities: dict[int, int] = {}
        self._room: Numbers | None = None

    def node_of(self, key: str) -> str:
        """Give the node that a pod is nominated to, or nothing."""
        known = self._named.get(key)
        return known[0] if known is not None else ""

    def shape_of(self, key: str) -> Shape | None:
        """Give the shape of a pod that is nominated."""
        known = self._named.get(key)
        return known[1] if known is not None else None

    def keys_on(self, name: str) -> list[str]:
        """Give the pods that are nominated to a node."""
        return list(self._by_node.get(name, ()))

    def add(self, key: str, name: str, shape: Shape) -> None:
        """Nominate a pod to a node."""
        self.drop(key)
        self._named[key] = (name, shape)
        self._by_node.setdefault(name, {})[key] = None
        self._priorities[shape.priority] = self._priorities.get(shape.priority, 0) + 1
        self._count(name, shape, 1)

    def drop(self, key: str) -> None:
        """Forget a pod's nomination."""
        known = self._named.pop(key, None)
        if known is not None:
            name, shape = known
            del self._by_node[name][key]
            if not self._by_node[name]:
                del self._by_node[name]
            self._priorities[shape.priority] -= 1
            if not self._priorities[shape.priority]:
                del self._priorities[shape.priority]
            self._count(name, shape, -1)

    def recount(self, name: str, row: int) -> None:
        """Count a row anew, after its node came or went."""
        if self._room is None:
            return
        if self._room.shape != self._table.used.shape:
            self._room = None
            return
        self._room[row] = 0
        for key in self._by_node.get(name, ()):
            self._count(name, self._named[key][1], 1)

    def fits(self, key: str, shape: Shape) -> Mask:
        """Tell on which rows there is room for a pod beside what is nominated to others."""
        if not self._named:
            return self._table.fits(shape)
        if min(self._priorities) < shape.priority:
            return self._table.fits(shape, self._sum(shape.priority, key))
        if self._room is None or self._room.shape != self._table.used.shape:
            self._room = self._sum(None)
        own = self._named.get(key)
        if own is None:
            return self._table.fits(shape, self._room)
        self._count(own[0], own[1], -1)
        mask = self._table.fits(shape, self._room)
        self._count(own[0], own[1], 1)
        return mask

    def fits_on(self, key: str, shape: Shape, row: int) -> bool:
        """Tell whether a row has room for a pod beside what is nominated there to others."""
        table = self._table
        vector, columns = table.vector(shape)
        left = table.alloc[row] - table.used[row]
        node = table.nodes[row]
        room = self._room
        if room is not None and room.shape == table.used.shape and self._all_count(shape):
            left -= room[row]
            own = self._named.get(key)
            if own is not None and node is not None and own[0] == node.metadata.name:
                mine, _ = table.vector(own[1])
                left[: len(mine)] += mine
            return bool(table.alive[row]) and all(left[one] >= vector[one] for one in columns)
        for other in self._by_node.get(node.metadata.name, ()) if node is not None else ():
            theirs = self._named[other][1]
            if other != key and theirs.priority >= shape.priority:
                taken, _ = table.vector(theirs)
                left[: len(taken)] -= taken
        return bool(table.alive[row]) and all(left[one] >= vector[one] for one in columns)

    def _all_count(self, shape: Shape) -> bool:
        """Tell whether everybody who is nominated somewhere keeps room from a shape."""
        return min(self._priorities, default=shape.priority) >= shape.priority

    def _sum(self, least: int | None, but: str = "") -> Numbers:
        room = np.zeros_like(self._table.used)
        for key, (name, shape) in self._named.items():
            row = self._table.row_of.get(name) if key != but else None
            if row is not None and (least is None or shape.priority >= least):
                vector, _ = self._table.vector(shape)
                room[row, : len(vector)] += vector
        return room

    def _count(self, name: str, shape: Shape, sign: int) -> None:
        if self._room is None:
            return
        row = self._table.row_of.get(name)
        vector, _ = self._table.vector(shape)
        if self._room.shape != self._table.used.shape:
            self._room = None
        elif row is not None:
            self._room[row, : len(vector)] += sign * vector
