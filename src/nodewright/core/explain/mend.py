"""The smallest change: the first of all single changes, smallest first, with which the pod is placed.

Each is tried on the bench and, where a whole decision is affordable, confirmed by deciding again. If
no single edit helps, edits are gathered one refusal after the other: first those of one object,
which are still one patch, and only then a patch of the pod together with one of a pool. Every search
here ends after a counted number of tries.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from nodewright.core.explain.bench import Bench, Placement, find_placement
from nodewright.core.explain.edits import Refused, on_invalid_pod, on_pod, on_pool
from nodewright.core.explain.patch import Edit, Op, apply
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.core.scheduling.verdicts import ask_pools, ask_supply
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.instance import NanoUSD
from nodewright.model.nodepool import NodePool
from nodewright.model.plan import Unplaced
from nodewright.model.pod import Pod
from nodewright.model.world import World

_POD_TRIES_MAX: Final = 48
_POOL_TRIES_MAX: Final = 24
_DEPTH_MAX: Final = 8
_POOLS_MAX: Final = 8
"""How many pools are asked for changes: those that came nearest."""

_CONFIRM_TYPES_MAX: Final = 4000
_CONFIRM_PODS_MAX: Final = 1000
"""Up to how many types (over all pools) and pods a change is confirmed by deciding again."""


class Change(msgspec.Struct, frozen=True):
    """A change with which the pod is placed, and where it then goes."""

    edits: tuple[Edit, ...]
    placement: Placement
    extra: NanoUSD = NanoUSD(0)
    """What the plan costs more per hour than without the change."""

    def patches(self) -> dict[str, tuple[Op, ...]]:
        """Give the patch of every object that changes: one, unless nothing smaller helps."""
        found: dict[str, tuple[Op, ...]] = {}
        for edit in self.edits:
            found[edit.target] = (*found.get(edit.target, ()), *edit.ops)
        return found


def smallest_change(bench: Bench, pod: Pod) -> Change | None:
    """Find the smallest change to the pod or to one pool that gives the pod a place."""
    return _Mender(bench, pod).find()


class _Mender:
    def __init__(self, bench: Bench, pod: Pod) -> None:
        self.bench = bench
        self.pod = pod
        self.pod_tries = 0
        self.pool_tries = 0
        self.tried: set[bytes] = set()
        self.price: NanoUSD | None = None

    def find(self) -> Change | None:
        shape = self.bench.shape_of(self.pod)
        if shape is None:
            return None
        answers = self._answers(shape)
        for edit in sorted(self._singles(shape, answers), key=lambda one: one.size):
            change = self._try((edit,))
            if change is not None:
                return change
        found = [*self._gathered_on_pod(answers), *self._gathered_on_pools(answers)]
        for edits in sorted(found, key=_weight):
            change = self._try(edits)
            if change is not None:
                return change
        return None

    def _answers(self, shape: Shape | Unplaced) -> list[Refused]:
        if isinstance(shape, Unplaced):
            return []
        answers = ask_pools(self.bench.problem, self.bench.board, shape)
        answers.sort(key=lambda one: -one.nearness)
        del answers[_POOLS_MAX:]
        return [Refused(self.pod, shape, answer, self.bench.waiting) for answer in answers]

    def _singles(self, shape: Shape | Unplaced, answers: list[Refused]) -> Iterator[Edit]:
        if isinstance(shape, Unplaced):
            yield from on_invalid_pod(self.pod, shape.code)
        elif shape.ladder[0].needs.exclusive & self.bench.board.exclusive:
            yield from on_invalid_pod(self.pod, "NW-1006")
        for refused in answers:
            yield from on_pod(refused)
            yield from on_pool(self.bench.world, self.bench.board, refused)

    def _try(self, edits: tuple[Edit, ...]) -> Change | None:
        """Try edits on the bench, then confirm them if that is affordable."""
        patches = Change(edits, Placement()).patches()
        key = msgspec.json.encode(patches)
        if key in self.tried:
            return None
        self.tried.add(key)
        pod, pool = self.pod, None
        for target, ops in patches.items():
            if target.startswith("pod/"):
                pod = apply(pod, ops)
            else:
                pool = apply(self._pool(target), ops)
        if not self._count(pool):
            return None
        placement = self._with_pod(pod) if pool is None else self._with_pool(pod, pool)
        if placement is not None and is_affordable(self.bench.world):
            return self._confirm(edits, patches)
        return None if placement is None else Change(edits, placement, placement.price)

    def _confirm(
        self, edits: tuple[Edit, ...], patches: Mapping[str, Iterable[Op]]
    ) -> Change | None:
        """Decide again with the change, and tell where the pod goes and what that costs."""
        plan = solve(change_world(self.bench.world, patches), Effort.FAST)
        placement = find_placement(plan, self.pod.key)
        if placement is None:
            return None
        if self.price is None:
            self.price = solve(self.bench.world, Effort.FAST).price
        return Change(edits, placement, NanoUSD(max(0, plan.price - self.price)))

    def _count(self, pool: NodePool | None) -> bool:
        """Count a try; tell whether it is still within what an answer may cost."""
        if pool is None:
            self.pod_tries += 1
            return self.pod_tries <= _POD_TRIES_MAX
        self.pool_tries += 1
        return self.pool_tries <= _POOL_TRIES_MAX

    def _with_pod(self, pod: Pod) -> Placement | None:
        shape = self.bench.shape_of(pod)
        return self.bench.place(shape) if isinstance(shape, Shape) else None

    def _with_pool(self, pod: Pod, pool: NodePool) -> Placement | None:
        shape = self.bench.shape_of(pod)
        changed = self.bench.with_pool(pool)
        if changed is None or not isinstance(shape, Shape):
            return None
        board, supply = changed
        for wish in shape.ladder.rungs():
            found = self.bench.make(board, supply, shape, wish.level)
            if found is not None:
                return found
        return None

    def _pool(self, target: str) -> NodePool:
        name = target.removeprefix("nodepool/")
        return next(one for one in self.bench.world.node_pools if one.metadata.name == name)

    def _gathered_on_pod(self, answers: list[Refused]) -> Iterator[tuple[Edit, ...]]:
        """Undo what one pool says by changing the pod, and at the end perhaps the pool."""
        starts = [one.answer.name for one in answers if one.answer.walk is not None]
        for name in starts or [one.name for one in self.bench.board.supplies]:
            edits: list[Edit] = []
            pod = self.pod
            for _ in range(_DEPTH_MAX):
                edit = self._next(pod, name)
                if edit is None:
                    break
                edits.append(edit)
                if edit.target.startswith("nodepool/"):
                    yield tuple(edits)
                    break
                pod = apply(pod, edit.ops)
                if self._with_pod(pod) is not None:
                    yield tuple(edits)
                    break

    def _next(self, pod: Pod, name: str) -> Edit | None:
        """Give the edit that undoes what a pool says next: of the pod, else of the pool."""
        shape = self.bench.shape_of(pod)
        if shape is None:
            return None
        if isinstance(shape, Unplaced):
            return next(on_invalid_pod(pod, shape.code), None)
        bench = self.bench
        supply = next(one for one in bench.board.supplies if one.name == name)
        answer = ask_supply(bench.problem, bench.board, shape, supply)
        refused = Refused(pod, shape, answer, bench.waiting)
        edit = next(on_pod(refused), None)
        return edit or _likeliest(on_pool(bench.world, bench.board, refused))

    def _gathered_on_pools(self, answers: list[Refused]) -> Iterator[tuple[Edit, ...]]:
        """Undo what one pool says, refusal by refusal, by changing the pool alone."""
        for refused in answers:
            edits: list[Edit] = []
            pool = self._pool(f"nodepool/{refused.answer.name}")
            board, at = self.bench.board, refused
            while len(edits) < _DEPTH_MAX and self.pool_tries <= _POOL_TRIES_MAX:
                world = msgspec.structs.replace(self.bench.world, node_pools=(pool,))
                edit = _likeliest(on_pool(world, board, at))
                if edit is None:
                    break
                self.pool_tries += 1
                edits.append(edit)
                pool = apply(pool, edit.ops)
                changed = self.bench.with_pool(pool)
                if changed is None:
                    break
                board, supply = changed
                answer = ask_supply(self.bench.problem, board, at.shape, supply)
                if answer.walk is not None and answer.walk.fitting is not None:
                    yield tuple(edits)
                    break
                at = Refused(at.pod, at.shape, answer, at.waiting)


def _likeliest(edits: Iterable[Edit]) -> Edit | None:
    """Give the first edit, but of limits the one that is enough for everybody who waits."""
    known = list(edits)
    if not known:
        return None
    return known[-1] if known[0].kind == "limit" else known[0]


def _weight(edits: tuple[Edit, ...]) -> tuple[int, int, int]:
    objects = len({one.target for one in edits})
    return objects, len(edits), sum(one.size for one in edits)


def is_affordable(world: World) -> bool:
    """Tell whether deciding a whole World again is cheap enough to do for one answer."""
    types = sum(len(many) for many in world.instance_types.values())
    return types <= _CONFIRM_TYPES_MAX and len(world.pods) <= _CONFIRM_PODS_MAX


def change_world(world: World, patches: Mapping[str, Iterable[Op]]) -> World:
    """Give a World in which some pods or NodePools are patched."""
    pods = tuple(
        apply(one, patches[name]) if (name := f"pod/{one.key}") in patches else one
        for one in world.pods
    )
    pools = tuple(
        apply(one, patches[name]) if (name := f"nodepool/{one.metadata.name}") in patches else one
        for one in world.node_pools
    )
    return msgspec.structs.replace(world, pods=pods, node_pools=pools)
