"""The judge: is everything that a plan places, placed right.

Written apart from the solver, from the pages about Kubernetes' and Karpenter's rules, with plain
loops over concrete labels. It does not ask whether a better plan exists, nor why a pod was left
out: only whether each placement holds, whatever the cloud launches within what the plan allows.
"""

import re
from collections.abc import Iterator

from nodewright.model.plan import Plan
from nodewright.model.world import World
from referee.affinity import judge_affinity, judge_anti_affinity
from referee.board import Board
from referee.money import judge_limits, judge_prices, judge_reservations
from referee.neighbours import Crowd
from referee.newnodes import judge_new_nodes
from referee.oldnodes import judge_old_nodes
from referee.overlays import corrected
from referee.spread import judge_spread
from referee.verdict import Violation
from referee.volumes import judge_volumes

_CODE = re.compile(r"NW-[19]\d{3}")


def judge(world: World, plan: Plan, doubts: list[str] | None = None) -> list[Violation]:
    """Tell everything that is wrong with a plan; what could not be decided goes to `doubts`."""
    board = Board(corrected(world), plan)
    crowd = Crowd(board)
    found = [
        *_judge_roll(board),
        *_judge_left_out(board),
        *judge_new_nodes(board),
        *judge_old_nodes(board),
        *judge_volumes(board),
        *judge_anti_affinity(board, crowd),
        *judge_affinity(board, crowd),
        *judge_spread(board, crowd),
        *judge_limits(board),
        *judge_prices(board),
        *judge_reservations(board),
    ]
    if doubts is not None:
        doubts += board.doubts
    return sorted(set(found))


def _judge_roll(board: Board) -> Iterator[Violation]:
    answered: dict[str, int] = {}
    for node in (*board.plan.new_nodes, *board.plan.existing_nodes):
        for key in node.pods:
            answered[key] = answered.get(key, 0) + 1
    for key in board.plan.unschedulable:
        answered[key] = answered.get(key, 0) + 1
    bad = {pod.key for pod in board.world.bad_pods}
    for key, count in answered.items():
        if key not in board.known and key not in bad:
            yield Violation("roll", key, "is not a pod to be placed")
        if count > 1:
            yield Violation("roll", key, f"stands in the plan {count} times")
    for key in sorted(({*board.roll.must} | bad) - answered.keys()):
        yield Violation("roll", key, "is to be placed, and the plan does not speak of it")
    for key in sorted(bad - board.plan.unschedulable.keys()):
        yield Violation("roll", key, "cannot be read, yet it is placed")


def _judge_left_out(board: Board) -> Iterator[Violation]:
    strict = board.world.options.reserved_offering_mode == "Strict"
    for key, unplaced in board.plan.unschedulable.items():
        if not unplaced.summary.strip():
            yield Violation("reason", key, "is left out without a word")
        if not _CODE.fullmatch(unplaced.code):
            yield Violation("reason", key, f"has no code of a scheduling verdict: {unplaced.code}")
        if unplaced.deferred and not (strict and board.slots):
            yield Violation("deferred", key, "waits for reserved capacity that nobody offers")
