"""Why pods were left behind: the sentence that helps most, and each pool's own reason."""

from collections.abc import Mapping

from nodewright.core.scheduling.board import Board, Fitting
from nodewright.core.scheduling.firstfit import Filling
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.core.scheduling.supply import Supply
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.plan import PoolRefusal, Unplaced
from nodewright.model.quantity import print_quantity
from nodewright.model.reason import Reason


def explain_left(problem: Problem, filling: Filling) -> Mapping[str, Unplaced]:
    """Give a verdict for every pod that found no place; pods of one shape share it."""
    verdicts: dict[int, Unplaced] = {}
    found: dict[str, Unplaced] = {}
    for shape, pod in filling.left:
        if shape.number not in verdicts:
            verdicts[shape.number] = _verdict(problem, filling.board, shape)
        verdict = verdicts[shape.number]
        if pod.key in filling.deferred:
            verdict = Unplaced(
                Reason.RESERVATION_TAKEN.sentence,
                Reason.RESERVATION_TAKEN.code,
                True,
                verdict.node_pools,
            )
        found[pod.key] = verdict
    return found


def _verdict(problem: Problem, board: Board, shape: Shape) -> Unplaced:
    exclusive = shape.ladder[0].needs.exclusive & board.exclusive
    if exclusive:
        return Unplaced(
            f"volume claim {min(exclusive)} allows one pod only and another pod uses it",
            Reason.VOLUME_IN_USE.code,
        )
    wish = list(shape.ladder.rungs())[-1]
    pools = [_refusal(board, shape, wish, supply) for supply in board.supplies]
    pools += [PoolRefusal(one.name, one.reason.code, one.sentence) for one in problem.pools.skipped]
    if not pools:
        return Unplaced(
            "no existing node has room, and there is no NodePool that could make one",
            Reason.NO_POOL.code,
        )
    nearest = max(pools, key=lambda one: one.code)
    summary = nearest.reason if len(pools) == 1 else f"{nearest.name}: {nearest.reason}"
    return Unplaced(summary, nearest.code, False, tuple(pools))


def _refusal(board: Board, shape: Shape, wish: Wish, supply: Supply) -> PoolRefusal:
    answer = board.on_draft(shape, wish, board.new_draft(supply))
    reason = Reason.NO_OFFERING if isinstance(answer, Fitting) else answer
    return PoolRefusal(supply.name, reason.code, _sentence(shape, wish, supply, reason))


def _sentence(shape: Shape, wish: Wish, supply: Supply, reason: Reason) -> str:
    match reason:
        case Reason.TAINT_NOT_TOLERATED:
            taint = first_untolerated(supply.taints, wish.tolerations)
            assert taint is not None
            value = f"={taint.value}" if taint.value else ""
            return f"taint {taint.key}{value}:{taint.effect} is not tolerated"
        case Reason.LABELS_CLASH | Reason.LABEL_UNDEFINED:
            clash = supply.requirements.clash(wish.requirements, supply.settings.well_known)
            return str(clash) if clash is not None else reason.sentence
        case Reason.NO_TYPE_FITS:
            asks = ", ".join(
                f"{name} {print_quantity(amount, name)}"
                for name, amount in sorted(shape.requests.items())
                if name != "pods"
            )
            return (
                f"no instance type that can be had fits {asks or 'the pod'} beside its daemon pods"
            )
        case _:
            return reason.sentence
