"""Solve: a World in, a plan out.

Several fillings of the same problem are compared: most pods placed first, then the lower price. The
first-fit filling is always among them where it is affordable, so that no plan is worse than it. Where
pods are left behind, a filling as the field does it says which ones must not be.
Effort is bounded by counted steps, never by a clock.
"""

from enum import StrEnum
from typing import Final

import numpy as np
from msgspec.structs import replace

from nodewright.core.scheduling.answer import write_plan
from nodewright.core.scheduling.board import Board, Taste
from nodewright.core.scheduling.chances import find_losers, give_chances
from nodewright.core.scheduling.duals import Vector
from nodewright.core.scheduling.firstfit import Filling, fill_first_fit, in_order
from nodewright.core.scheduling.improve import Improver
from nodewright.core.scheduling.ledger import Ledger
from nodewright.core.scheduling.market import Market
from nodewright.core.scheduling.pricefit import PriceFit
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.verdicts import explain_left, idle_pools
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.plan import Plan
from nodewright.model.world import World


class Effort(StrEnum):
    """How hard to look for a cheaper plan."""

    FAST = "fast"
    NORMAL = "normal"
    BEST = "best"


_FIRST_FIT_PODS: Final = {Effort.FAST: 60, Effort.NORMAL: 600, Effort.BEST: 5000}
"""Up to how many pods the first-fit filling is tried beside the price-led one."""

_LEFT_BEHIND_FACTOR: Final = 10
"""Ten times as many when the price-led filling leaves pods behind: placing comes before speed."""


_TASTES_PODS: Final = {Effort.FAST: 0, Effort.NORMAL: 120, Effort.BEST: 1000}
"""Up to how many pods fillings of other tastes are tried too."""

_ROUNDS_PODS: Final = {Effort.FAST: 240, Effort.NORMAL: 1200, Effort.BEST: 10_000}
"""How many pods may be placed anew, over all rounds, for those that were left behind."""

_ROUNDS_MAX: Final = 6
"""How many rounds of second chances there are at most."""

_IMPROVE_STEPS: Final = {Effort.FAST: 1500, Effort.NORMAL: 4000, Effort.BEST: 100_000}
"""How many pods local improvement may try to move."""

_FAST_PODS_PER_STEP: Final = 4
"""A fast plan looks at one pod in so many again: enough where few nodes are made for many pods."""


def solve(world: World, effort: Effort = Effort.NORMAL) -> Plan:
    """Find where every pod goes and the nodes to make for the rest."""
    return solve_problem(Problem(world), effort)


def solve_problem(problem: Problem, effort: Effort = Effort.NORMAL) -> Plan:
    """Find a plan for a World that is prepared; the same problem can be asked again."""
    plan = _best_plan(problem, effort)
    idle = idle_pools(problem)
    return replace(plan, idle_pools=idle) if idle else plan


def _best_plan(problem: Problem, effort: Effort) -> Plan:
    """Compare fillings of a problem, and give the best of them."""
    steps = _steps(problem, effort)
    price_led = _price_led(problem, steps)
    most = _FIRST_FIT_PODS[effort] * (_LEFT_BEHIND_FACTOR if price_led.unschedulable else 1)
    if len(problem.selection.candidates) > most:
        return price_led
    first_fit = _first_fit(problem, steps)
    plans = [price_led, first_fit]
    field = [first_fit]
    if find_losers(price_led) or price_led.unschedulable.keys() ^ first_fit.unschedulable.keys():
        field = _fields(problem, effort, first_fit)
        plans += _fill_for_losers(problem, effort, plans, field)
    if len(problem.selection.candidates) <= _TASTES_PODS[effort] and _has_choices(problem):
        for taste in (Taste.FIRST, Taste.LAST):
            plans.append(_first_fit(problem, steps, taste))
            plans.append(_price_led(problem, steps, taste=taste))
    promised = _promised(problem, field)
    return min(plans, key=lambda plan: _rank(plan, promised))


def _steps(problem: Problem, effort: Effort) -> int:
    most = _IMPROVE_STEPS[effort]
    if effort is Effort.FAST:
        return min(most, len(problem.selection.candidates) // _FAST_PODS_PER_STEP)
    return most


def _fields(problem: Problem, effort: Effort, first_fit: Plan) -> list[Plan]:
    """Fill as the field does, with each way to draw among equal domains that there is time for."""
    if not _has_choices(problem):
        return [first_fit]
    few = len(problem.selection.candidates) <= _TASTES_PODS[effort]
    tastes = tuple(Taste) if few else (Taste.CHEAPEST,)
    steps = _steps(problem, effort)
    return [_first_fit(problem, steps, taste, blind=True) for taste in tastes]


def _promised(problem: Problem, field: list[Plan]) -> frozenset[str]:
    """Give the pods that the field places whatever it draws: no plan may leave them behind."""
    left = set().union(*(plan.unschedulable for plan in field))
    return frozenset(one.pod.key for one in problem.selection.candidates if one.pod.key not in left)


def _fill_for_losers(
    problem: Problem, effort: Effort, known: list[Plan], field: list[Plan]
) -> list[Plan]:
    """Fill for those left behind: the promised pods first, and then the losers first."""
    steps = _steps(problem, effort)
    promised = _promised(problem, field)
    plans = list(field)
    if promised & known[0].unschedulable.keys():
        # Each places pods that the other does not: serve the promised ones before the others.
        plans.append(_price_led(problem, steps, promised))
        plans.append(_first_fit(problem, steps, first=promised))
    rounds = min(_ROUNDS_MAX, _ROUNDS_PODS[effort] // len(problem.selection.candidates))
    return plans + give_chances(
        min((*known, *plans), key=lambda plan: _rank(plan, promised)),
        lambda front: [_first_fit(problem, steps, first=front), _price_led(problem, steps, front)],
        rounds,
    )


def _has_choices(problem: Problem) -> bool:
    """Tell whether some pod minds its neighbours, so that there are domains to choose from."""
    return any(
        spec.topology_spread_constraints
        or (spec.affinity and (spec.affinity.pod_affinity or spec.affinity.pod_anti_affinity))
        for spec in (one.pod.spec for one in problem.selection.candidates)
    )


def _rank(plan: Plan, promised: frozenset[str]) -> tuple[int, int, int, int]:
    """Rank plans: fewest promised pods left out, most pods, cheapest, fewest nodes."""
    lost = promised & plan.unschedulable.keys()
    return (len(lost), len(plan.unschedulable), plan.price, len(plan.new_nodes))


def _price_led(
    problem: Problem,
    steps: int,
    first: frozenset[str] = frozenset(),
    taste: Taste = Taste.CHEAPEST,
) -> Plan:
    board, shapes = problem.new_board()
    board.taste = taste
    filling = Filling(board)
    behind = PriceFit(board, shapes, filling).run(first)
    waiting = [*filling.left, *behind]
    filling.left = []
    if waiting:
        fill_first_fit(board, in_order(waiting), filling)
    return _finish(problem, filling, shapes, steps)


def _first_fit(
    problem: Problem,
    steps: int,
    taste: Taste = Taste.CHEAPEST,
    *,
    first: frozenset[str] = frozenset(),
    blind: bool = False,
) -> Plan:
    board, shapes = problem.new_board()
    board.taste = taste
    board.is_blind = blind
    for limits in board.limits.values():
        limits.charges_largest = True
    filling = Filling(board)
    everybody = [(shape, pod) for shape in shapes for pod in shape.pods]
    early = [one for one in everybody if one[1].key in first]
    late = [one for one in everybody if one[1].key not in first] if early else everybody
    fill_first_fit(board, [*in_order(early), *in_order(late)], filling)
    return _finish(problem, filling, shapes, steps)


def _finish(problem: Problem, filling: Filling, shapes: list[Shape], steps: int) -> Plan:
    board = filling.board
    # With fewer steps than it takes to look at every draft, improvement would only begin.
    if 2 * len(board.drafts) <= steps:
        filling.shape_of = {id(pod): shape for shape in shapes for pod in shape.pods}
        Improver(
            filling, Ledger(board, Market(board).appraise(_demand(shapes, board))), steps
        ).run()
    for draft in board.drafts:
        if draft.stale:
            board.freshen(draft)
    unplaced = {**problem.selection.invalid, **explain_left(problem, filling)}
    return write_plan(filling, unplaced, problem.world.options.reservation_id_label)


def _demand(shapes: list[Shape], board: Board) -> Vector:
    total = np.zeros(len(board.resources))
    for shape in shapes:
        total += np.array(shape.amounts, dtype=np.float64) * len(shape.pods)
    return total
