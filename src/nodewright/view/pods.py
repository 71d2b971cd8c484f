"""The pods of one node: what each asks for and costs, and whether it may be moved."""

from typing import Final

from nodewright.core.disruption.loads import workload_of
from nodewright.core.disruption.protection import (
    TERMINAL,
    Guards,
    is_daemon,
    is_mirror,
    protected_until,
    shrugs_at_drain,
)
from nodewright.core.money import weigh
from nodewright.core.scheduling.requests import pod_requests
from nodewright.model.instant import read_instant
from nodewright.model.keeping import Keeping
from nodewright.model.pod import Pod
from nodewright.model.quantity import BadQuantity
from nodewright.model.world import World
from nodewright.view.nodes import Part
from nodewright.view.usage import Usage
from nodewright.view.values import Nano, PodRow

MOVABLE: Final = "movable"
STAYS: Final = "stays with its node"
LEAVING: Final = "leaving"
TOLERATES: Final = "tolerates the drain"
PROTECTED: Final = "do-not-disrupt"
GUARDED: Final = "budget"
"""What is said of a pod that a PodDisruptionBudget lets not go."""

_Verdict = tuple[str, str, tuple[str, ...], int | None]


def list_pods(
    world: World, node: str, paid: tuple[Part, Nano] | None = None, usage: Usage | None = None
) -> tuple[PodRow, ...]:
    """Give the pods of a node, those that stand in its way first, then the largest."""
    here = [
        pod for pod in world.pods if pod.spec.node_name == node and pod.status.phase not in TERMINAL
    ]
    guards = Guards(world.disruption_budgets)
    rows = [_row(pod, judge_pod(pod, guards, world.now_ms), paid, usage) for pod in here]
    return tuple(sorted(rows, key=lambda one: (not one.code, one.is_daemon, -one.cpu, one.key)))


def judge_pod(pod: Pod, guards: Guards, now_ms: int) -> _Verdict:
    """Tell whether a pod may be moved: in words, by which code not, who blocks, and until when."""
    if is_mirror(pod) or is_daemon(pod):
        return STAYS, "", (), None
    if pod.metadata.deletion_timestamp is not None:
        return LEAVING, "", (), None
    until_ms = protected_until(pod, now_ms)
    if until_ms is not None:
        end = until_ms if until_ms >= 0 else None
        return PROTECTED, Keeping.POD_PROTECTED.code, (), end
    blocking = guards.blocking(pod)
    if blocking and not shrugs_at_drain(pod):
        names = tuple(_name_guard(pod, one.metadata.name) for one in blocking)
        return GUARDED, Keeping.PDB_BLOCKS.code, names, None
    return (TOLERATES if shrugs_at_drain(pod) else MOVABLE), "", (), None


def _name_guard(pod: Pod, budget: str) -> str:
    return f"pdb/{pod.metadata.namespace or 'default'}/{budget}"


def _row(
    pod: Pod, verdict: _Verdict, paid: tuple[Part, Nano] | None, usage: Usage | None
) -> PodRow:
    eviction, code, blockers, until_ms = verdict
    try:
        asked = pod_requests(pod.spec, pod.status)
    except BadQuantity:
        asked = {}
    cpu, memory = asked.get("cpu", 0), asked.get("memory", 0)
    used = usage.pods.get(pod.key) if usage is not None else None
    price = None
    if paid is not None and paid[0].weights:
        part, whole = paid
        price = whole * weigh(cpu, memory, part.cpu_room, part.memory_room) // part.full
    return PodRow(
        key=pod.key,
        workload=workload_of(pod),
        phase=pod.status.phase,
        cpu=cpu,
        memory=memory,
        cpu_used=used.cpu if used is not None else None,
        memory_used=used.memory if used is not None else None,
        is_daemon=is_daemon(pod),
        eviction=eviction,
        code=code,
        blockers=blockers,
        until_ms=until_ms,
        since_ms=read_instant(pod.status.start_time or pod.metadata.creation_timestamp),
        price_nanousd_hour=price,
    )
