"""Solve: a World in, a plan out.

Several fillings of the same problem are compared: most pods placed first, then the lower price. The
first-fit filling is always among them where it is affordable, so that no plan is worse than it.
Effort is bounded by counted steps, never by a clock.
"""

from enum import StrEnum
from typing import Final

from nodewright.core.scheduling.answer import write_plan
from nodewright.core.scheduling.firstfit import Filling, by_size, fill_first_fit
from nodewright.core.scheduling.pricefit import PriceFit
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.verdicts import explain_left
from nodewright.model.plan import Plan
from nodewright.model.world import World


class Effort(StrEnum):
    """How hard to look for a cheaper plan."""

    FAST = "fast"
    NORMAL = "normal"
    BEST = "best"


_FIRST_FIT_PODS: Final = {Effort.FAST: 60, Effort.NORMAL: 600, Effort.BEST: 5000}
"""Up to how many pods the first-fit filling is tried beside the price-led one."""


def solve(world: World, effort: Effort = Effort.NORMAL) -> Plan:
    """Find where every pod goes and the nodes to make for the rest."""
    problem = Problem(world)
    plan = _price_led(problem)
    pods = len(problem.selection.candidates)
    if pods <= _FIRST_FIT_PODS[effort]:
        plan = _better(plan, _first_fit(problem))
    return plan


def _better(plan: Plan, first_fit: Plan) -> Plan:
    """Keep a plan unless first fit places a pod that it does not, or is cheaper for as many."""
    if plan.unschedulable.keys() - first_fit.unschedulable.keys():
        return first_fit
    if len(plan.unschedulable) < len(first_fit.unschedulable):
        return plan
    return min(plan, first_fit, key=lambda one: (one.price, len(one.new_nodes)))


def _price_led(problem: Problem) -> Plan:
    board, shapes = problem.new_board()
    filling = Filling(board)
    behind = PriceFit(board, shapes, filling).run()
    waiting = [*filling.left, *behind]
    filling.left = []
    order = {id(pod): rank for rank, (_, pod) in enumerate(by_size(shapes))}
    waiting.sort(key=lambda one: order[id(one[1])])
    fill_first_fit(board, waiting, filling)
    return _finish(problem, filling)


def _first_fit(problem: Problem) -> Plan:
    board, shapes = problem.new_board()
    filling = Filling(board)
    fill_first_fit(board, by_size(shapes), filling)
    return _finish(problem, filling)


def _finish(problem: Problem, filling: Filling) -> Plan:
    for draft in filling.board.drafts:
        if draft.stale:
            filling.board.freshen(draft)
    unplaced = {**problem.selection.invalid, **explain_left(problem, filling)}
    return write_plan(filling, unplaced, problem.world.options.reservation_id_label)
