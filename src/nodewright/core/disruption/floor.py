"""The floor: a cluster whose pods can be lifted off their nodes, put elsewhere, and put back.

The World is indexed once. Asking what happens if a node went then costs only what its pods touch: they
are lifted, offered to the nodes that stay, and either left there or put back by undoing every step. Rows
of columns are nodes, those that will surely stay first, so that the first node with room is the right
one. Rules that need more than a comparison (ports, volumes, neighbours) are asked of the board.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from nodewright.core.disruption.loosening import Loosened
from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.duals import Vector
from nodewright.core.scheduling.hosts import Host
from nodewright.core.scheduling.ledger import FREE_MAX
from nodewright.core.scheduling.market import Market
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.rules.ports import HostPort
from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.metadata import Taint, Toleration
from nodewright.model.pod import Pod
from nodewright.model.requirements import Requirements

type Mask = npt.NDArray[np.bool_]
type Column = npt.NDArray[np.int64]
type Step = tuple[bool, int, Shape, list[Pod]]
"""Whether pods of a shape were put on a row, or else lifted off it."""

type Mark = tuple[int, int, int]
"""How many steps there were, how many changes to what is known of rows without room, and the state."""

type Rank = Callable[[Host, float], tuple[object, ...]]
"""Orders nodes, given what their capacity is worth: those that will surely stay come first."""

_MANY: Final = 1 << 32
"""More pods than any node takes; so that sums over all nodes stay whole numbers."""

_NOTHING: Final = frozenset[str]()
_BLOCK: Final = 256
"""How many rows are compared at a time when the first with room is looked for."""


class Floor:
    """Nodes as rows, the pods on them, and what is free."""

    def __init__(self, loosened: Loosened, rank: Rank) -> None:
        self.problem = Problem(loosened.world)
        self.board: Board
        self.board, self.shapes = self.problem.new_board()
        self._demand = _demand(self.shapes, len(self.board.resources))
        self.worth = Market(self.board).appraise(self._demand)
        self._named_worth = list(zip(self.board.resources, self.worth.tolist(), strict=True))
        self.hosts: list[Host] = sorted(
            self.board.hosts, key=lambda host: rank(host, self.value(host.available))
        )
        # What each node has for loose pods while none of them is on it.
        self.sizes: list[dict[str, int]] = [dict(host.available) for host in self.hosts]
        self.row_of = {host.name: row for row, host in enumerate(self.hosts)}
        self.loads: list[dict[Shape, list[Pod]]] = [{} for _ in self.hosts]
        self.shape_of: dict[int, Shape] = {
            id(pod): shape for shape in self.shapes for pod in shape.pods
        }
        self.free: list[Column] = []
        self.is_open: Mask = np.array([not host.is_full for host in self.hosts], dtype=np.bool_)
        self.steps: list[Step] = []
        self._first_before: list[tuple[int, int]] = []
        self.dirty: set[int] = set(range(len(self.hosts)))
        self._masks = _Masks(self.hosts)
        self._values: dict[tuple[str, int], float] = {}
        self._pool_worth: dict[str, Vector] = {}
        self._first: dict[int, int] = {}
        # The same number is the same state: what was found out in it is still true.
        self._state = self._last_state = 0
        self._room_of: dict[int, tuple[int, int]] = {}
        # The solver sees no host: what it is asked for is what no host has room for.
        self.board.hosts = []

    def settle(self, row: int, pods: Iterable[Pod]) -> None:
        """Put pods where they are already, whether or not they would be let in today."""
        load = self.loads[row]
        for pod in pods:
            shape = self.shape_of.get(id(pod))
            if shape is not None:
                load.setdefault(shape, []).append(pod)
        host = self.hosts[row]
        available = host.available
        has_places = False
        for shape, many in load.items():
            count, wish = len(many), shape.ladder[0]
            for name, amount in shape.requests.items():
                available[name] = available.get(name, 0) - amount * count
            if wish.counted_by or wish.keeps_away:
                _count(host, wish, count)
            has_places = has_places or bool(wish.ports or wish.needs.attachments)
        if has_places:
            self._recount(host, row)

    def measure(self) -> None:
        """Write down what is free on every node, once all pods are where they are."""
        self.free = [
            np.array([_free(host, name) for host in self.hosts], dtype=np.int64)
            for name in self.board.resources
        ]

    def close(self, row: int) -> None:
        """Let no pod come to a node any more."""
        self.is_open[row] = False
        self._touch()

    def open_all(self, rows: Iterable[int]) -> None:
        """Let pods come to nodes that were closed for a while; no attempt may be open."""
        for row in rows:
            self.is_open[row] = True
        self._first.clear()
        self._first_before.clear()
        self._touch()

    def lift(self, row: int) -> dict[Shape, list[Pod]]:
        """Lift all pods off a node and give them by shape."""
        lifted = dict(self.loads[row])
        for shape, pods in lifted.items():
            self._change(row, shape, pods, -1)
            self.steps.append((False, row, shape, pods))
        return lifted

    def place(self, shape: Shape, pods: list[Pod]) -> list[Pod]:
        """Put pods of one shape onto nodes that stay, the surest first; give those left over."""
        wish = shape.ladder[0]
        if wish.impossible:
            return pods
        left = pods
        alike = self._masks.of(wish)
        is_plain = not (wish.owns or wish.kept_away_by or wish.ports or wish.needs.attachments)
        start = self._first.get(shape.number, 0)
        for begin in range(start - start % _BLOCK, len(self.hosts), _BLOCK):
            mask = self._roomy(begin, shape, alike)
            rows = np.flatnonzero(mask)
            if begin == start - start % _BLOCK and is_plain:
                # Room only shrinks while nodes are taken away, so rows without it are not asked again.
                first = max(start, begin + (int(rows[0]) if len(rows) else _BLOCK))
                if first > start:
                    self._first_before.append((shape.number, start))
                    self._first[shape.number] = first
            for offset in rows.tolist():
                row = begin + offset
                taken = self._pour(row, shape, left) if is_plain else self._offer(row, shape, left)
                if taken:
                    left = left[taken:]
                    if not left:
                        return left
        return left

    def may_hold(self, shape: Shape, count: int, beside: Sequence[int]) -> bool:
        """Tell whether open nodes but some have room for so many pods of a shape, were they alone."""
        known = self._room_of.get(shape.number)
        if known is None or known[0] != self._state:
            known = self._room_of[shape.number] = (self._state, self._room(shape))
        return known[1] >= count + sum(self._room_on(row, shape) for row in beside)

    def _room(self, shape: Shape) -> int:
        """Tell for how many pods of a shape there is room on all open nodes."""
        rows = np.flatnonzero(self.is_open & self._masks.of(shape.ladder[0]))
        pairs = zip(self.free, shape.amounts, strict=True)
        counts = [column[rows] // amount for column, amount in pairs if amount]
        if not counts:
            return len(rows) * _MANY
        return int(np.clip(np.minimum.reduce(counts), 0, _MANY).sum())

    def _room_on(self, row: int, shape: Shape) -> int:
        if not (self.is_open[row] and self._masks.of(shape.ladder[0])[row]):
            return 0
        pairs = zip(self.free, shape.amounts, strict=True)
        counts = [int(column[row]) // amount for column, amount in pairs if amount]
        return max(0, min([*counts, _MANY]))

    def _touch(self) -> None:
        self._last_state += 1
        self._state = self._last_state

    def _roomy(self, begin: int, shape: Shape, alike: Mask) -> Mask:
        """Tell of each node of a block whether it is open, fit for a wish, and has room for a pod."""
        end = begin + _BLOCK
        mask = self.is_open[begin:end] & alike[begin:end]
        for column, amount in zip(self.free, shape.amounts, strict=True):
            if amount:
                mask &= column[begin:end] >= amount
        return mask

    def offer(self, row: int, shape: Shape, pod: Pod) -> bool:
        """Put one pod onto a certain node, if every rule agrees; tell whether it is there."""
        if not self.is_open[row]:
            return False
        return self._offer(row, shape, [pod]) == 1

    def _pour(self, row: int, shape: Shape, pods: list[Pod]) -> int:
        count = len(pods)
        for column, amount in zip(self.free, shape.amounts, strict=True):
            if amount:
                count = min(count, int(column[row]) // amount)
        if count > 0:
            self._put(row, shape, pods[:count])
        return count

    def _offer(self, row: int, shape: Shape, pods: list[Pod]) -> int:
        """Put pods that mind their neighbours one by one, as long as every rule agrees."""
        wish, host = shape.ladder[0], self.hosts[row]
        count = 0
        while count < len(pods) and self.board.on_host(shape, wish, host) is None:
            self._put(row, shape, [pods[count]])
            count += 1
        return count

    def _put(self, row: int, shape: Shape, pods: list[Pod]) -> None:
        self._change(row, shape, pods, 1)
        self.steps.append((True, row, shape, pods))

    def _change(self, row: int, shape: Shape, pods: list[Pod], sign: int) -> None:
        """Put pods on a node (1) or take them off (-1), with everything that counts them."""
        host, count = self.hosts[row], sign * len(pods)
        available = host.available
        for name, amount in shape.requests.items():
            available[name] = available.get(name, 0) - amount * count
        for column, amount in zip(self.free, shape.amounts, strict=True):
            if amount:
                column[row] -= amount * count
        load = self.loads[row]
        if sign > 0:
            load[shape] = [*load.get(shape, ()), *pods]
        else:
            gone = {id(pod) for pod in pods}
            rest = [pod for pod in load.get(shape, ()) if id(pod) not in gone]
            if rest:
                load[shape] = rest
            else:
                load.pop(shape, None)
        wish = shape.ladder[0]
        if wish.counted_by or wish.keeps_away:
            _count(host, wish, count)
        if wish.ports or wish.needs.attachments:
            self._recount(host, row)
        self.dirty.add(row)
        self._touch()

    def _recount(self, host: Host, row: int) -> None:
        """Work out anew which ports and volumes the loose pods of a node take."""
        base = self._masks.bare(host)
        host.ports = list(base[0])
        host.attached = {driver: set(claims) for driver, claims in base[1].items()}
        for shape in self.loads[row]:
            wish = shape.ladder[0]
            host.ports.extend(wish.ports)
            for driver, claim in wish.needs.attachments:
                host.attached.setdefault(driver, set()).add(claim)

    def mark(self) -> Mark:
        """Give a mark to come back to."""
        return len(self.steps), len(self._first_before), self._state

    def undo(self, mark: Mark, closed: Iterable[int] = ()) -> None:
        """Take back every step since a mark, and open the nodes that were closed since."""
        steps, firsts, state = mark
        while len(self.steps) > steps:
            was_put, row, shape, pods = self.steps.pop()
            self._change(row, shape, pods, -1 if was_put else 1)
        while len(self._first_before) > firsts:
            number, first = self._first_before.pop()
            self._first[number] = first
        for row in closed:
            self.is_open[row] = True
        self._state = state

    def value(self, amounts: Mapping[str, int]) -> float:
        """Give what amounts of resources would cost if they were bought well."""
        return sum([amounts.get(name, 0) * float(worth) for name, worth in self._named_worth])

    def value_in(self, amounts: Mapping[str, int], pool: str) -> float:
        """Give what amounts of resources would cost if they were bought well from a pool."""
        worth = self._worth_of(pool)
        names = self.board.resources
        return sum(
            amounts.get(name, 0) * float(each) for name, each in zip(names, worth, strict=True)
        )

    def load_value(self, row: int, pool: str) -> float:
        """Give what the load of a node would cost if it were bought well from a pool."""
        worth = self._worth_of(pool)
        total = 0.0
        for shape, pods in self.loads[row].items():
            each = self._values.get((pool, shape.number))
            if each is None:
                each = self._values[(pool, shape.number)] = _value(shape, worth)
            total += each * len(pods)
        return total

    def shape_value(self, shape: Shape) -> float:
        """Give what the room for one pod of a shape would cost if it were bought well."""
        known = self._values.get(("", shape.number))
        if known is None:
            known = self._values[("", shape.number)] = _value(shape, self.worth)
        return known

    def _worth_of(self, pool: str) -> Vector:
        """Give what resources are worth where only one pool makes nodes."""
        known = self._pool_worth.get(pool)
        if known is None:
            known = self.worth
            for supply in self.board.supplies:
                if supply.name == pool:
                    known = Market(self.board).appraise(self._demand, (supply,))
            self._pool_worth[pool] = known
        return known

    def show_placed(self) -> None:
        """Let the solver's groups see the pods that are on nodes, for constraints that appear late."""
        filled = self.board.groups.filled_hosts
        known = {id(host) for host in filled}
        for row in sorted(self.dirty):
            host = self.hosts[row]
            host.placed = [pod for pods in self.loads[row].values() for pod in pods]
            if host.placed and id(host) not in known:
                filled.append(host)
        self.dirty.clear()


def _value(shape: Shape, worth: Vector) -> float:
    return sum(amount * float(each) for amount, each in zip(shape.amounts, worth, strict=True))


def _demand(shapes: Iterable[Shape], resources: int) -> Vector:
    total = np.zeros(resources)
    for shape in shapes:
        total += np.array(shape.amounts, dtype=np.float64) * len(shape.pods)
    return total


def _free(host: Host, name: str) -> int:
    return min(host.available.get(name, 0), FREE_MAX)


def _count(host: Host, wish: Wish, pods: int) -> None:
    for group in wish.counted_by:
        domain = host.labels.get(group.key)
        nodes = group.spec.nodes
        if domain is not None and (nodes is None or nodes.admits(host.requirements, host.taints)):
            group.record(domain, pods)
    for group in wish.keeps_away:
        domain = host.labels.get(group.key)
        if domain is not None:
            group.record(domain, pods)


class _Masks:
    """Which nodes have the labels and taints for a wish; wishes that ask alike share the answer."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self._hosts = hosts
        self._bare = {
            host.name: (
                tuple(host.ports),
                {driver: frozenset(claims) for driver, claims in host.attached.items()},
            )
            for host in hosts
            if host.ports or host.attached
        }
        self._by_wish: dict[int, Mask] = {}
        self._by_terms: dict[object, Mask] = {}

    def bare(self, host: Host) -> tuple[tuple[HostPort, ...], Mapping[str, frozenset[str]]]:
        """Give the ports and volumes that a node has beside loose pods."""
        return self._bare.get(host.name, ((), {}))

    def of(self, wish: Wish) -> Mask:
        """Give the nodes that could take a wish if they had room."""
        known = self._by_wish.get(wish.number)
        if known is None:
            terms = (wish.tolerations, wish.requirements, tuple(wish.alternatives))
            known = self._by_terms.get(terms)
            if known is None:
                known = self._by_terms[terms] = self._ask(wish)
            self._by_wish[wish.number] = known
        return known

    def _ask(self, wish: Wish) -> Mask:
        keys = sorted(
            {
                *wish.requirements.keys(),
                *(key for one in wish.alternatives for key in one.keys()),  # noqa: SIM118
            }
        )
        tolerated: dict[tuple[Taint, ...], bool] = {}
        labelled: dict[tuple[str | None, ...], bool] = {}
        found = np.zeros(len(self._hosts), dtype=np.bool_)
        for row, host in enumerate(self._hosts):
            if host.taints and not _tolerates(tolerated, host.taints, wish.tolerations):
                continue
            if keys:
                values = tuple(map(host.labels.get, keys))
                known = labelled.get(values)
                if known is None:
                    known = labelled[values] = _meets(host.requirements, wish)
                if not known:
                    continue
            found[row] = True
        return found


def _tolerates(
    known: dict[tuple[Taint, ...], bool],
    taints: tuple[Taint, ...],
    tolerations: tuple[Toleration, ...],
) -> bool:
    answer = known.get(taints)
    if answer is None:
        answer = known[taints] = first_untolerated(taints, tolerations) is None
    return answer


def _meets(labels: Requirements, wish: Wish) -> bool:
    if labels.clash(wish.requirements, _NOTHING) is not None:
        return False
    return any(labels.clash(one, _NOTHING) is None for one in wish.alternatives)
