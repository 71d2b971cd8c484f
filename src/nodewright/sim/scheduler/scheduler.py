"""The scheduler: one pod at a time from the queue, filtered, scored, bound.

It looks at as many rows as kube-scheduler would on a cluster of that size, starting where it left
off. A pod that is nominated to a node is tried there first, and room that is nominated to others of
its priority or above is left to them. A shape that failed fails again without a look until an event
may have helped it.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from nodewright.core.scheduling.selectors import Selector, read_selector
from nodewright.model.metadata import Condition
from nodewright.model.node import Node
from nodewright.model.pod import Pod, PodAffinityTerm
from nodewright.model.resource import NAMESPACES, NODES, PODS, key_of
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.evictions import Evictions
from nodewright.sim.ground import Ground
from nodewright.sim.objects import PHASE_ENDED, REPLICA_SETS, STATEFUL_SETS
from nodewright.sim.scheduler.filters import filter_neighbours, filter_ports, filter_spread
from nodewright.sim.scheduler.neighbours import Neighbours
from nodewright.sim.scheduler.nominations import Nominations
from nodewright.sim.scheduler.preemption import Placed, choose_victims
from nodewright.sim.scheduler.queue import Entry, Queue
from nodewright.sim.scheduler.scores import Judge
from nodewright.sim.scheduler.shape import SHAPES_MAX, Namespaces, Shape
from nodewright.sim.scheduler.table import Mask, NodeTable, Numbers
from nodewright.sim.volumes import Volumes

CYCLE_MS: Final = 4
_ACTOR: Final = "scheduler"
_SAMPLE_MIN: Final = 100
_replace = msgspec.structs.replace


class Scheduler:
    """Binds pods to nodes."""

    def __init__(self, ground: Ground, volumes: Volumes, evictions: Evictions) -> None:
        self._loop = ground.loop
        self._api = ground.api
        self._chance = ground.chance.stream("scheduler")
        self._volumes = volumes
        self._evictions = evictions
        self._table = NodeTable()
        self._neighbours = Neighbours(self._table)
        self._judge = Judge(self._table, self._neighbours)
        self._queue = Queue(ground.loop, self._wake)
        self._shapes: dict[tuple[int, str, str], Shape] = {}
        self._placed: dict[str, tuple[str, Shape, str]] = {}
        self._bound_for: dict[str, dict[str, None]] = {}
        self._on_row: dict[int, dict[str, Placed]] = {}
        self._nominations = Nominations(self._table)
        self._events = [0, 0]
        self._shape_count = 0
        self._next_start = 0
        self._is_due = False
        self._api.listen(NODES, self._node_changed)
        self._api.listen(PODS, self._pod_changed)
        volumes.on_change = self._volumes_changed

    def _wake(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._loop.after_ms(CYCLE_MS, self._cycle)

    def _cycle(self) -> None:
        self._is_due = False
        entry = self._queue.pop()
        if entry is None:
            return
        if self._queue:
            self._wake()
        pod = self._api.get(PODS, entry.key)
        if pod is None or pod.metadata.uid != entry.uid or pod.spec.node_name:
            self._queue.remove(entry.key)
            return
        row = self._find(entry, pod)
        if row is None:
            self._fail(entry, pod)
        else:
            self._assume(entry, pod, row)

    def _find(self, entry: Entry, pod: Pod) -> int | None:
        shape = entry.shape
        if shape.failed_at == self._moment(shape) and not shape.has_volumes:
            return None
        named = self._nominations.node_of(entry.key)
        there = self._table.row_of.get(named) if named else None
        if there is not None and self._is_plain(shape) and self._fits_there(entry, there):
            return there
        rows = self._feasible(entry.key, shape, pod)
        if there is not None and rows[there]:
            return there
        chosen = self._sample(rows)
        if not len(chosen):
            shape.failed_at = self._moment(shape) if not named else None
            return None
        if len(chosen) == 1:
            return int(chosen[0])
        scores = self._judge.score(shape, self._table.static(shape), chosen)
        best = chosen[scores == scores.max()]
        return int(best[0] if len(best) == 1 else self._chance.choose(best.tolist()))

    def _is_plain(self, shape: Shape) -> bool:
        """Tell whether nothing but room, labels and taints decides where a shape may run."""
        if shape.has_neighbours or shape.has_volumes or shape.ports or shape.pinned:
            return False
        return not self._neighbours.is_shunned(shape)

    def _fits_there(self, entry: Entry, row: int) -> bool:
        """Tell whether one row takes a plain pod, so that the others need not be looked at."""
        allowed = self._table.static(entry.shape).allowed[row]
        return bool(allowed) and self._nominations.fits_on(entry.key, entry.shape, row)

    def _moment(self, shape: Shape) -> tuple[int, int]:
        # Pods that are bound can help only those that look at their neighbours.
        return (self._events[0], self._events[1] if shape.has_neighbours else 0)

    def _feasible(self, key: str, shape: Shape, pod: Pod) -> Mask:
        static = self._table.static(shape)
        mask = self._nominations.fits(key, shape)
        mask &= static.allowed
        if shape.pinned:
            row = self._table.row_of.get(shape.pinned)
            alone = np.zeros_like(mask)
            if row is not None:
                alone[row] = mask[row]
            mask = alone
        filter_ports(self._table, shape, mask)
        if shape.hard_spread:
            filter_spread(self._table, self._neighbours, shape, static, mask)
        filter_neighbours(self._table, self._neighbours, shape, mask)
        if shape.has_volumes:
            for there in np.flatnonzero(mask):
                node = self._table.nodes[int(there)]
                mask[there] = node is not None and self._volumes.fits(pod, node)
        return mask

    def _sample(self, rows: Mask) -> Numbers:
        order = self._table.order()
        count = len(order)
        if count == 0:
            return order
        wanted = sample_size(count)
        start = self._next_start % count
        turned = np.concatenate((order[start:], order[:start]))
        fitting = np.flatnonzero(rows[turned])
        if len(fitting) > wanted:
            self._next_start = (start + int(fitting[wanted - 1]) + 1) % count
            fitting = fitting[:wanted]
        return turned[fitting]

    def _assume(self, entry: Entry, pod: Pod, row: int) -> None:
        node = self._table.nodes[row]
        assert node is not None
        name = node.metadata.name
        self._queue.remove(entry.key)
        self._release(entry.key, name)
        self._place(entry.key, pod.metadata.uid, name, entry.shape)
        self._queue.wake_next(entry.shape)
        if entry.shape.has_volumes:
            self._volumes.prepare(pod, node, lambda: self._bind(entry, name))
        else:
            self._bind(entry, name)

    def _bind(self, entry: Entry, name: str) -> None:
        condition = Condition(
            type="PodScheduled", status="True", last_transition_time=self._api.stamp()
        )

        def bound(pod: Pod) -> Pod:
            if pod.metadata.uid != entry.uid or pod.spec.node_name:
                return pod
            others = tuple(one for one in pod.status.conditions if one.type != "PodScheduled")
            status = _replace(pod.status, conditions=(*others, condition), nominated_node_name="")
            return _replace(pod, spec=_replace(pod.spec, node_name=name), status=status)

        if self._api.get(NODES, name) is None:
            # The node went while volumes were made: the pod starts over.
            self._unplace(entry.key)
            pod = self._api.get(PODS, entry.key)
            if pod is not None and pod.metadata.uid == entry.uid:
                self._enqueue(pod)
            return
        self._api.change(PODS, entry.key, bound, _ACTOR)

    def _fail(self, entry: Entry, pod: Pod) -> None:
        nominated = self._preempt(entry, pod)
        count = len(self._table.row_of)

        def told(one: Pod) -> Pod:
            known = next((c for c in one.status.conditions if c.type == "PodScheduled"), None)
            if known is not None and known.reason == "Unschedulable" and not nominated:
                return one
            said = Condition(
                type="PodScheduled",
                status="False",
                reason="Unschedulable",
                message=f"0/{count} nodes are available",
                last_transition_time=self._api.stamp(),
            )
            others = tuple(c for c in one.status.conditions if c.type != "PodScheduled")
            named = nominated or one.status.nominated_node_name
            return _replace(
                one,
                status=_replace(one.status, conditions=(*others, said), nominated_node_name=named),
            )

        self._api.change(PODS, entry.key, told, _ACTOR)
        self._queue.put_back(entry)

    def _preempt(self, entry: Entry, pod: Pod) -> str:
        shape = entry.shape
        if shape.priority <= 0 or pod.status.nominated_node_name:
            return ""
        rows = self._table.static(shape).allowed & self._table.alive
        filter_neighbours(self._table, self._neighbours, shape, rows)
        choice = choose_victims(self._table, shape, rows, self._pods_on, self._is_protected)
        if choice is None:
            return ""
        node = self._table.nodes[choice.row]
        assert node is not None
        for victim in choice.victims:
            there = self._api.get(PODS, victim.key)
            if there is not None and there.metadata.deletion_timestamp is None:
                self._api.delete(PODS, victim.key, "preemption")
        shape.failed_at = None
        return node.metadata.name

    def _pods_on(self, row: int) -> Sequence[Placed]:
        return list(self._on_row.get(row, {}).values())

    def _is_protected(self, key: str) -> bool:
        pod = self._api.get(PODS, key)
        return pod is not None and any(
            budget.status.disruptions_allowed <= 0 for budget in self._evictions.budgets_of(pod)
        )

    def _node_changed(self, change: Change) -> None:
        name = change.key
        if change.verb == DELETED:
            row = self._table.remove(name)
            if row is not None:
                for key in list(self._on_row.pop(row, {})):
                    self._count_out(key, row)
                self._nominations.recount(name, row)
            self._events[1] += 1
            self._queue.wake_minding()
            return
        node: Node = change.new
        is_new = name not in self._table.row_of
        row = self._table.put(node)
        if is_new:
            self._nominations.recount(name, row)
            for key in self._bound_for.get(name, ()):
                _, shape, since = self._placed[key]
                self._count_in(key, row, shape, since)
        self._events[0] += 1
        for key in self._nominations.keys_on(name):
            guest = self._nominations.shape_of(key)
            if guest is not None and self._takes(name, guest):
                self._queue.wake(key)
        self._wake_helped(row)

    def _wake_helped(self, row: int) -> None:
        """Wake the next pod of those shapes that a row may have room for now."""
        if self._queue.waiting:
            left = (self._table.alloc[row] - self._table.used[row]).tolist()
            self._queue.wake_shapes(lambda shape: self._helps(shape, row, left))

    def _helps(self, shape: Shape, row: int, left: list[int]) -> bool:
        if shape.has_volumes:
            return True
        if shape.pinned and self._table.row_of.get(shape.pinned) != row:
            return False
        if shape.has_neighbours:
            return True
        if not self._table.static(shape).allowed[row]:
            return False
        vector, columns = self._table.vector(shape)
        # What a shape is the first to ask for, no row has.
        return all(
            (left[column] if column < len(left) else 0) >= vector[column] for column in columns
        )

    def _volumes_changed(self) -> None:
        self._queue.wake_shapes(lambda shape: shape.has_volumes)

    def _pod_changed(self, change: Change) -> None:
        pod: Pod = change.new
        key = change.key
        gone = change.verb == DELETED or pod.status.phase in PHASE_ENDED
        if gone:
            self._queue.remove(key)
            self._release(key)
            self._unplace(key)
        elif pod.spec.node_name:
            self._queue.remove(key)
            self._release(key, pod.spec.node_name)
            if key not in self._placed:
                self._place(key, pod.metadata.uid, pod.spec.node_name, self._shape(pod))
            self._events[1] += 1
            if change.old is not None and not change.old.spec.node_name:
                self._queue.wake_minding()
        else:
            self._note_nomination(key, pod)
            if key not in self._queue.entries and key not in self._placed:
                self._enqueue(pod)

    def _note_nomination(self, key: str, pod: Pod) -> None:
        name = pod.status.nominated_node_name
        if self._nominations.node_of(key) == name:
            return
        self._release(key)
        if name:
            shape = self._shape(pod)
            self._nominations.add(key, name, shape)
            shape.failed_at = None
            if self._takes(name, shape):
                self._queue.wake(key)

    def _takes(self, name: str, shape: Shape) -> bool:
        """Tell whether a node lets a shape in, room apart: room that is nominated is kept."""
        row = self._table.row_of.get(name)
        return row is not None and bool(self._table.static(shape).allowed[row])

    def _release(self, key: str, kept_on: str = "") -> None:
        """Forget a pod's nomination; the room that it leaves free may help others."""
        name = self._nominations.node_of(key)
        self._nominations.drop(key)
        row = self._table.row_of.get(name) if name != kept_on else None
        if row is not None:
            self._events[0] += 1
            self._wake_helped(row)

    def _enqueue(self, pod: Pod) -> None:
        if pod.spec.scheduling_gates or pod.metadata.deletion_timestamp is not None:
            return
        if pod.spec.scheduler_name not in ("", "default-scheduler"):
            return
        key = key_of(pod.metadata)
        self._queue.add(Entry(key, pod.metadata.uid, self._shape(pod), self._loop.now_ms()))

    def _place(self, key: str, uid: str, name: str, shape: Shape) -> None:
        self._placed[key] = (name, shape, f"{self._loop.now_ms()}/{uid}")
        self._bound_for.setdefault(name, {})[key] = None
        row = self._table.row_of.get(name)
        if row is not None:
            self._count_in(key, row, shape, self._placed[key][2])

    def _count_in(self, key: str, row: int, shape: Shape, since: str) -> None:
        self._table.take(row, shape, key, 1)
        self._neighbours.place(key, row, shape, 1)
        self._on_row.setdefault(row, {})[key] = Placed(key, shape, since)

    def _unplace(self, key: str) -> None:
        known = self._placed.pop(key, None)
        if known is None:
            return
        there = self._bound_for[known[0]]
        del there[key]
        if not there:
            del self._bound_for[known[0]]
        row = self._table.row_of.get(known[0])
        if row is not None and self._on_row.get(row, {}).pop(key, None) is not None:
            self._table.take(row, known[1], key, -1)
            self._neighbours.place(key, row, known[1], -1)
            self._events[0] += 1
            self._wake_helped(row)

    def _count_out(self, key: str, row: int) -> None:
        known = self._placed.get(key)
        if known is not None:
            self._neighbours.place(key, row, known[1], -1)

    def _shape(self, pod: Pod) -> Shape:
        spec = _replace(pod.spec, node_name="") if pod.spec.node_name else pod.spec
        labels = ",".join(f"{k}={v}" for k, v in sorted(pod.metadata.labels.items()))
        who = (id(spec), pod.metadata.namespace, labels)
        known = self._shapes.get(who)
        if known is None or known.spec is not spec:
            if len(self._shapes) >= SHAPES_MAX:
                self._shapes.clear()
            self._shape_count += 1
            plain = _replace(pod, spec=spec)
            known = Shape(self._shape_count, plain, self._default_selector(pod), self._spaces)
            self._shapes[who] = known
        return known

    def _default_selector(self, pod: Pod) -> Selector | None:
        for owner in pod.metadata.owner_references:
            resource = {"ReplicaSet": REPLICA_SETS, "StatefulSet": STATEFUL_SETS}.get(owner.kind)
            if resource is not None:
                above = self._api.get(resource, f"{pod.metadata.namespace}/{owner.name}")
                if above is not None and above.spec.selector is not None:
                    return read_selector(above.spec.selector)
        return None

    def _spaces(self, term: PodAffinityTerm, own: str) -> Namespaces:
        if term.namespace_selector is None:
            return frozenset(term.namespaces or (own,))
        selector = read_selector(term.namespace_selector)
        if not selector.equals and not selector.expressions:
            return None
        chosen = (
            one.metadata.name
            for one in self._api.each(NAMESPACES)
            if selector.selects(one.metadata.labels)
        )
        return frozenset((*term.namespaces, *chosen))


def sample_size(count: int) -> int:
    """Tell how many fitting nodes kube-scheduler looks for on a cluster of this size."""
    if count <= _SAMPLE_MIN:
        return count
    share = max(5, 50 - count // 125)
    return max(_SAMPLE_MIN, count * share // 100)
