"""How Karpenter plans for pods that wait: first fit by size, nothing tried twice, nothing improved.

Pods go by cpu, memory and age, onto nodes that are there, else onto the node in the making with the fewest
pods, else onto a new one of the heaviest pool that takes them. The cheapest types that hold what came
together are asked for. `benchmarks/forecasts.py` holds it to Karpenter's own scheduler.
"""

from nodewright.core.scheduling.answer import write_plan
from nodewright.core.scheduling.firstfit import Filling, fill_first_fit, in_order
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.verdicts import explain_left
from nodewright.model.plan import Plan
from nodewright.model.world import World


def plan_as_karpenter(world: World) -> Plan:
    """Give the plan that first fit comes to."""
    problem = Problem(world)
    board, shapes = problem.new_board()
    board.is_blind = True
    for limits in board.limits.values():
        limits.charges_largest = True
    filling = Filling(board)
    fill_first_fit(board, in_order([(one, pod) for one in shapes for pod in one.pods]), filling)
    for draft in board.drafts:
        if draft.stale:
            board.freshen(draft)
    unplaced = {**problem.selection.invalid, **explain_left(problem, filling)}
    return write_plan(filling, unplaced, world.options.reservation_id_label)
