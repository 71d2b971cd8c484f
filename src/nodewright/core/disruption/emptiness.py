"""Emptiness: nodes that nobody would miss go first, the dearest before the others."""

from collections.abc import Sequence

from nodewright.core.disruption.candidates import Candidate
from nodewright.core.disruption.gates import judge_budget, judge_gates
from nodewright.core.disruption.stage import Gone, Stage
from nodewright.model.disruption import EMPTY, Kept, Method
from nodewright.model.keeping import Keeping


def take_empty(stage: Stage, candidates: Sequence[Candidate]) -> None:
    """Let empty nodes go as far as budgets allow; the others are told why not."""
    for one in sorted(candidates, key=lambda one: (-(one.price or 0) / one.cost, one.name)):
        refusal = (
            one.blocked
            or judge_gates(one, EMPTY, stage.now_ms, stage.settings)
            or _is_wanted(stage, one)
            or judge_budget(one, EMPTY, stage.purse)
            or (stage.replicas.judge((one,)) if one.pods and not stage.settings.to_end else None)
        )
        if refusal is not None:
            stage.keep(refusal)
            continue
        stage.purse.take(one.pool_name)
        stage.replicas.take((one,))
        stage.gone[one.name] = Gone(one, EMPTY, Method.EMPTINESS)
        row = stage.floor.row_of.get(one.name)
        if row is not None:
            stage.floor.close(row)


def _is_wanted(stage: Stage, one: Candidate) -> Kept | None:
    """Tell whether pods that wait, or room that is kept for some, have their place on a node."""
    row = stage.floor.row_of.get(one.name)
    if row is None:
        return None
    there = [pod for pods in stage.floor.loads[row].values() for pod in pods]
    if any(pod.key in stage.pieces for pod in there):
        return Kept(one.name, Keeping.BUFFER_HELD)
    foreign = sorted(pod.key for pod in there if stage.origin.get(id(pod)) != one.name)
    return Kept(one.name, Keeping.NOMINATED, blockers=tuple(foreign[:5])) if foreign else None
