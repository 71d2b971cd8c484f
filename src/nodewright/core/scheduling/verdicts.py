"""Why pods were left behind: the sentence that helps most, and each pool's own reason.

Every pool is asked with the demands that are left when a pod has given up all its preferences. The
pool that came nearest to an answer speaks for the pod: one whose limit is reached is nearer than one
whose labels do not even match.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.firstfit import Filling
from nodewright.core.scheduling.funnel import Walk, find_unavailable, label_hint, sold_out
from nodewright.core.scheduling.pools import SkippedPool
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.relax import without_preferences
from nodewright.core.scheduling.rules.min_values import min_values_of
from nodewright.core.scheduling.supply import Supply
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.cause import Cause
from nodewright.model.nodepool import NodePool
from nodewright.model.plan import PoolRefusal, Unplaced
from nodewright.model.reason import Reason
from nodewright.model.requirements import BadRequirement, Requirements, read_requirement
from nodewright.model.wording import sentence
from nodewright.model.wording.verdict import unplaced_for
from nodewright.model.world import World

_ALTERNATIVES_MAX: Final = 4

_NEARNESS: Final = {
    reason: nearness
    for nearness, reason in enumerate(
        (
            Reason.POOL_NOT_READY,
            Reason.TAINT_NOT_TOLERATED,
            Reason.POOL_EMPTY,
            Reason.LABEL_UNDEFINED,
            Reason.LABELS_CLASH,
            Reason.NO_TYPE_LABELLED,
            Reason.VOLUME_ELSEWHERE,
            Reason.DAEMONS_TOO_LARGE,
            Reason.RESOURCE_UNKNOWN,
            Reason.NO_TYPE_FITS,
            Reason.PORT_TAKEN,
            Reason.AFFINITY,
            Reason.ANTI_AFFINITY,
            Reason.KEPT_AWAY,
            Reason.SPREAD,
            Reason.TOO_FEW_CHOICES,
            Reason.RESERVATION_FULL,
            Reason.NO_OFFERING,
            Reason.LIMIT_REACHED,
            Reason.RESERVATION_TAKEN,
            Reason.FREED_LATE,
        )
    )
}


class PoolAnswer(msgspec.Struct, frozen=True):
    """What one pool said to a pod, with the way that led there where it got so far."""

    name: str
    cause: Cause
    walk: Walk | None = None
    wish: Wish | None = None

    @property
    def nearness(self) -> int:
        """How near it came: the higher, the nearer."""
        return _NEARNESS[self.cause.reason]


def explain_left(problem: Problem, filling: Filling) -> Mapping[str, Unplaced]:
    """Give a verdict for every pod that found no place; pods of one shape share it."""
    verdicts: dict[int, Unplaced] = {}
    found: dict[str, Unplaced] = {}
    for shape, pod in filling.left:
        if shape.number not in verdicts:
            verdicts[shape.number] = judge(problem, filling.board, shape)
        verdict = verdicts[shape.number]
        if pod.key in filling.deferred:
            held = Cause(
                Reason.RESERVATION_TAKEN,
                "reservation-held",
                values={"count": sum(not n for n in filling.board.reservations.left.values())},
            )
            verdict = unplaced_for(held, deferred=True, node_pools=verdict.node_pools)
        found[pod.key] = verdict
    return found


def judge(problem: Problem, board: Board, shape: Shape) -> Unplaced:
    """Say why no node takes pods of a shape and no pool makes one for them."""
    exclusive = shape.ladder[0].needs.exclusive & board.exclusive
    if exclusive:
        claim = min(exclusive)
        return unplaced_for(Cause(Reason.VOLUME_IN_USE, "volume-in-use", claim, {"claim": claim}))
    answers = ask_pools(problem, board, shape)
    if not answers:
        return unplaced_for(Cause(Reason.NO_POOL, "no-pool", "", {"nodes": len(board.hosts)}))
    return put_together(answers)


def put_together(answers: Iterable[PoolAnswer]) -> Unplaced:
    """Let the pool that came nearest speak for all."""
    known = list(answers)
    refusals = [_refusal(one) for one in known]
    best = max(range(len(known)), key=lambda index: known[index].nearness)
    nearest = refusals[best]
    summary = nearest.reason if len(refusals) == 1 else f"{nearest.name}: {nearest.reason}"
    return Unplaced(summary, nearest.code, False, tuple(refusals), nearest)


def _refusal(one: PoolAnswer) -> PoolRefusal:
    cause = one.cause
    return PoolRefusal(one.name, cause.code, sentence(cause), dict(cause.values), cause)


def ask_pools(problem: Problem, board: Board, shape: Shape) -> list[PoolAnswer]:
    """Ask every pool why it makes no node for a shape, usable ones first."""
    world = problem.world
    answers = [ask_supply(problem, board, shape, supply) for supply in board.supplies]
    pools = {pool.metadata.name: pool for pool in world.node_pools}
    answers += [
        PoolAnswer(one.name, skipped_cause(world, pools[one.name], one))
        for one in problem.pools.skipped
    ]
    return answers


def ask_supply(problem: Problem, board: Board, shape: Shape, supply: Supply) -> PoolAnswer:
    """Ask one usable pool, and keep its answer to the alternative that comes nearest."""
    catalog = problem.catalog(supply.name)
    best: PoolAnswer | None = None
    for wish in bare_wishes(shape):
        walk = Walk(board, supply, catalog)
        cause = walk.go(shape, wish) or Cause(
            Reason.FREED_LATE, "freed-late", supply.name, {"count": _others(problem)}
        )
        answer = PoolAnswer(supply.name, cause, walk, wish)
        if best is None or answer.nearness > best.nearness:
            best = answer
    assert best is not None
    return best


def _others(problem: Problem) -> int:
    return max(0, len(problem.selection.candidates) - 1)


def bare_wishes(shape: Shape) -> list[Wish]:
    """Give the demands of a shape without its preferences, one wish for each alternative."""
    rungs = list(shape.ladder.rungs())
    bare = [wish for wish in rungs if without_preferences(wish.spec) == wish.spec]
    return bare[-_ALTERNATIVES_MAX:] or rungs[-1:]


def idle_pools(problem: Problem) -> tuple[PoolRefusal, ...]:
    """Give the pools that are ready and yet have nothing to make nodes of, with the cause."""
    pools = {pool.metadata.name: pool for pool in problem.world.node_pools}
    return tuple(
        _refusal(PoolAnswer(one.name, skipped_cause(problem.world, pools[one.name], one)))
        for one in problem.pools.skipped
        if one.cause is None
    )


def skipped_cause(world: World, pool: NodePool, skipped: SkippedPool) -> Cause:
    """Say why a pool makes nothing at all."""
    if skipped.cause is not None:
        return skipped.cause
    if skipped.reason is Reason.TOO_FEW_CHOICES:
        return _few_cause(world, pool)
    return empty_cause(world, pool)


def empty_cause(world: World, pool: NodePool) -> Cause:
    """Say which requirement of a pool leaves no instance type, or that all are sold out."""
    types = world.instance_types.get(pool.metadata.name, ())
    left = list(types)
    for expression in pool.spec.template.spec.requirements:
        try:
            wanted = read_requirement(expression)
        except BadRequirement:
            continue
        kept = [one for one in left if not one.requirements.conflict(Requirements((wanted,)))]
        if not kept:
            values: dict[str, str | int] = {"want": str(wanted), "before": len(left)}
            return Cause(
                Reason.POOL_EMPTY, "pool-empty", wanted.key, {**values, **label_hint(wanted, types)}
            )
        left = kept
    wanted_all = Requirements.from_expressions(pool.spec.template.spec.requirements)
    gone = sold_out(find_unavailable(left), wanted_all, {})
    if gone is not None:
        return Cause(Reason.NO_OFFERING, "pool-sold-out", gone.subject, gone.values)
    sold = ", ".join(str(one) for one in wanted_all.values())
    return Cause(
        Reason.POOL_EMPTY, "pool-empty", pool.metadata.name, {"want": sold, "before": len(left)}
    )


def _few_cause(world: World, pool: NodePool) -> Cause:
    types = world.instance_types.get(pool.metadata.name, ())
    requirements = Requirements.from_expressions(pool.spec.template.spec.requirements)
    kept = [one for one in types if not one.requirements.conflict(requirements)]
    least = min_values_of(requirements)
    have = {
        key: len({value for one in kept if (r := one.requirements.get(key)) for value in r.values})
        for key in least
    }
    key = min(least, key=lambda one: (have[one] - least[one], one))
    values: dict[str, str | int] = {"least": least[key], "key": key, "have": have[key]}
    return Cause(Reason.TOO_FEW_CHOICES, "pool-few", key, values)
