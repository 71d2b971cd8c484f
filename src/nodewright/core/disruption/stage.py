"""The stage of one answer: the floor, what budgets leave, who goes, and why the others stay.

Everything that methods share while an answer is found. A node that goes leaves the floor at once, so
that each method sees the cluster as the ones before leave it. Pods that wait for a node, and room that
is kept for pods to come, are given their places first: nobody is moved into room that is spoken for.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.buffers import with_pieces
from nodewright.core.disruption.budgets import Purse
from nodewright.core.disruption.candidates import Candidate, Census
from nodewright.core.disruption.company import Company
from nodewright.core.disruption.drafting import STEPS_ANEW_MAX, STEPS_MAX, Drafting
from nodewright.core.disruption.floor import Floor, Mark
from nodewright.core.disruption.loosening import loosen
from nodewright.core.disruption.protection import protected_until
from nodewright.core.disruption.replicas import Replicas
from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.hosts import Host
from nodewright.core.scheduling.limits import NODES
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.disruption import UNDERUTILIZED, Kept, Memory, Method, Settings
from nodewright.model.keeping import Keeping
from nodewright.model.pod import Pod
from nodewright.model.quantity import MILLI

_SURE: Final = 0
_OPEN: Final = 1


class Gone(msgspec.Struct, frozen=True):
    """Why a node goes, and found by what."""

    candidate: Candidate
    reason: str
    method: Method
    detail: str = ""


class Attempt(msgspec.Struct, frozen=True):
    """What it would take for some nodes to go; carried out, and to be kept or taken back."""

    candidates: tuple[Candidate, ...]
    drafts: tuple[Draft, ...]
    mark: Mark
    first_draft: int
    open_rows: tuple[int, ...] = ()


class Stage:
    """What the methods of one answer work on."""

    def __init__(
        self, census: Census, candidates: Sequence[Candidate], memory: Memory, settings: Settings
    ) -> None:
        self.census = census
        self.memory = memory
        self.settings = settings
        self.now_ms = census.now_ms
        self.by_name: Mapping[str, Candidate] = {one.name: one for one in candidates}
        self.purse = Purse(())
        self.replicas = Replicas(census, memory)
        self.company = Company()
        self.kept: dict[str, Kept] = {}
        self.gone: dict[str, Gone] = {}
        self.origin: dict[int, str] = {}
        self.received: set[str] = set()
        world = with_pieces(census.world)
        self.pieces = frozenset(pod.key for pod in world.pods[len(census.world.pods) :])
        movable = {one.name: _movable(one, census) for one in candidates}
        loosened = loosen(world, movable.values())
        self.floor = Floor(loosened, self._rank)
        steps = STEPS_ANEW_MAX if settings.anew else STEPS_MAX
        self.drafting = Drafting(self.floor, steps)
        for one in candidates:
            row = self.floor.row_of.get(one.name)
            if row is not None:
                own = [loosened.loose[id(pod)] for pod in movable[one.name]]
                self.origin.update(dict.fromkeys(map(id, own), one.name))
                self.floor.settle(row, own)
        self.floor.measure()
        self._close_others()
        self._seat(
            pod for shape in self.floor.shapes for pod in shape.pods if id(pod) not in self.origin
        )

    def _rank(self, host: Host, worth: float) -> tuple[object, ...]:
        """Order nodes: those that stay for sure, then those that are worth keeping most."""
        one = self.by_name.get(host.name)
        if one is None:
            return (_SURE, 0, host.name)
        return (_OPEN, desire(one, worth), host.name)

    def _close_others(self) -> None:
        """Close nodes that are on their way in or out: nobody is moved there."""
        going = {name for one in self.memory.running for name in one.nodes}
        for row, host in enumerate(self.floor.hosts):
            if host.name in going or not host.initialized:
                self.floor.close(row)

    def _seat(self, waiting: Iterable[Pod]) -> None:
        """Give pods that wait, and pieces of buffers after them, the places that they will take."""
        by_shape: dict[tuple[bool, int], tuple[Shape, list[Pod]]] = {}
        for pod in waiting:
            shape = self.floor.shape_of[id(pod)]
            key = (pod.key in self.pieces, shape.number)
            by_shape.setdefault(key, (shape, []))[1].append(pod)
        for key in sorted(by_shape):
            shape, pods = by_shape[key]
            self.floor.place(shape, pods)
        self.floor.steps.clear()

    def attempt(self, ones: Sequence[Candidate], *, may_build: bool) -> Attempt | list[Pod]:
        """Take nodes away and find places for their pods; give pods that find none instead."""
        floor = self.floor
        mark, first = floor.mark(), len(floor.board.drafts)
        rows = [floor.row_of[one.name] for one in ones]
        open_rows = tuple(row for row in rows if floor.is_open[row])
        if not may_build and (misfits := self._misfits(rows)):
            return misfits
        waiting: dict[Shape, list[Pod]] = {}
        for row in rows:
            floor.close(row)
            for shape, pods in floor.lift(row).items():
                waiting.setdefault(shape, []).extend(pods)
        self._charge(ones, 1)
        done = Attempt(tuple(ones), (), mark, first, open_rows)
        left: dict[Shape, list[Pod]] = {}
        for shape in sorted(waiting, key=lambda one: (-floor.shape_value(one), one.number)):
            rest = floor.place(shape, waiting[shape])
            if rest:
                left[shape] = rest
                if not may_build:
                    break
        drafts = self.drafting.make(left) if left and may_build else []
        if drafts is None or (left and not may_build):
            self.take_back(done)
            return [pod for pods in left.values() for pod in pods]
        return msgspec.structs.replace(done, drafts=tuple(drafts))

    def _misfits(self, rows: Sequence[int]) -> list[Pod]:
        """Give pods that no other nodes have room for: then nothing needs to be lifted to know."""
        floor = self.floor
        for row in rows:
            for shape, pods in floor.loads[row].items():
                if not floor.may_hold(shape, len(pods), rows):
                    return list(pods)
        return []

    def take_back(self, attempt: Attempt) -> None:
        """Put everything back as it was before an attempt."""
        self.drafting.drop(attempt.first_draft)
        self._charge(attempt.candidates, -1)
        self.floor.undo(attempt.mark, attempt.open_rows)

    def accept(self, attempt: Attempt, reason: str, method: Method, detail: str = "") -> None:
        """Let the nodes of an attempt go: budgets and replicas are theirs from now on."""
        self.drafting.settle(attempt.first_draft)
        self.replicas.take(attempt.candidates)
        self.company.take(attempt.candidates)
        for was_put, row, _, _ in self.floor.steps[attempt.mark[0] :]:
            if was_put:
                self.received.add(self.floor.hosts[row].name)
        for one in attempt.candidates:
            self.purse.take(one.pool_name)
            self.gone[one.name] = Gone(one, reason, method, detail)
            self.kept.pop(one.name, None)

    def keep(self, kept: Kept) -> None:
        """Take note of why a node stays; the first word counts."""
        self.kept.setdefault(kept.node, kept)

    def _charge(self, ones: Iterable[Candidate], sign: int) -> None:
        """Give back to pool limits what nodes that go have used."""
        for one in ones:
            for supply, limits in self.floor.board.limits.items():
                if supply.name != one.pool_name:
                    continue
                capacity = self.floor.hosts[self.floor.row_of[one.name]].capacity
                for name in limits.room:
                    amount = MILLI if name == NODES else capacity.get(name, 0)
                    limits.room[name] += sign * amount


def desire(one: Candidate, worth: float) -> float:
    """Tell how much it is wanted that a node goes: its price for each pod that has to move.

    Of nodes that are alike in that, those go first that cost more for what they could hold.
    """
    price = float(one.price or 0)
    dearness = price / worth if worth > 0 else 1.0
    return price * dearness / one.cost


def _movable(one: Candidate, census: Census) -> Sequence[Pod]:
    """Give the pods that new room is needed for: those that can never be evicted get none."""
    if one.blocked is None:
        return one.pods
    return [
        pod
        for pod in one.pods
        if protected_until(pod, census.now_ms) is None and not census.guards.never_lets_go(pod)
    ]


def no_room(one: Candidate, pods: Sequence[Pod], reason: str = UNDERUTILIZED) -> Kept:
    """Say that pods would find no place if a node went for a reason."""
    keys = sorted({pod.key for pod in pods})
    return Kept(
        one.name,
        Keeping.NO_ROOM,
        {"pod": keys[0], "others": len(keys) - 1, "reason": reason},
        tuple(keys[:5]),
    )
