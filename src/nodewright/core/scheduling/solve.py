"""Solve: a World in, a plan out."""

from nodewright.core.scheduling.answer import write_plan
from nodewright.core.scheduling.firstfit import Filling, by_size, fill_first_fit
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.verdicts import explain_left
from nodewright.model.plan import Plan
from nodewright.model.world import World


def solve(world: World) -> Plan:
    """Find where every pod goes and the nodes to make for the rest."""
    problem = Problem(world)
    board, shapes = problem.new_board()
    filling = Filling(board)
    fill_first_fit(board, by_size(shapes), filling)
    unplaced = {**problem.selection.invalid, **explain_left(problem, filling)}
    return write_plan(filling, unplaced, world.options.reservation_id_label)
