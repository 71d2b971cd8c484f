"""A pod explained: where it goes and what else was possible, or what stopped it everywhere.

The plan gives the answer; the bench gives the reasons.
"""

import msgspec

from nodewright.core.explain.bench import Bench, Placement, find_placement, placement_of
from nodewright.core.explain.existing import Existing, ask_nodes
from nodewright.core.explain.mend import Change, smallest_change
from nodewright.core.scheduling.daemon_room import judge_daemons
from nodewright.core.scheduling.funnel import Miss, Step, Walk
from nodewright.core.scheduling.selection import unreadable
from nodewright.core.scheduling.solve import Effort, solve_problem
from nodewright.core.scheduling.verdicts import PoolAnswer, ask_pools, bare_wishes, judge
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.cause import Cause
from nodewright.model.plan import Unplaced
from nodewright.model.pod import Pod
from nodewright.model.quantity import Resources
from nodewright.model.reason import Reason
from nodewright.model.requirements import Requirements
from nodewright.model.wording.verdict import unplaced_for
from nodewright.model.world import World


class PoolStory(msgspec.Struct, frozen=True):
    """What one pool said: how many types each rule left, and what ended it or would be made."""

    name: str
    funnel: tuple[Step, ...]
    cause: Cause | None
    miss: Miss | None = None
    makes: Placement | None = None


class PodStory(msgspec.Struct, frozen=True):
    """Why a pod is where it is, goes where it goes, or stays behind."""

    pod: str
    placement: Placement | None
    unplaced: Unplaced | None = None
    requests: Resources = {}
    wants: Requirements = Requirements()
    pools: tuple[PoolStory, ...] = ()
    existing: Existing = Existing()
    change: Change | None = None
    owner: str = ""
    """Who makes the pod, and whose pod template a lasting change belongs in."""

    @property
    def placeable(self) -> bool:
        """Whether the pod has a place or gets one."""
        return self.placement is not None


def explain_pod(world: World, key: str, effort: Effort = Effort.NORMAL) -> PodStory | None:
    """Explain one pod of a World; nothing when there is no such pod."""
    for bad in world.bad_pods:
        if bad.key == key:
            return PodStory(key, None, unplaced_for(unreadable(bad)))
    pod = next((one for one in world.pods if one.key == key), None)
    if pod is None:
        return None
    bench = Bench(world, key)
    shape = bench.shape_of(pod)
    if shape is None:
        short = judge_daemons(world).get(key)
        return _not_waiting(pod) if short is None else PodStory(key, None, short, owner=_owner(pod))
    alone = len(bench.problem.selection.candidates) == 1
    if alone and isinstance(shape, Shape) and bench.place(shape) is None:
        # Nobody else waits, so the bench itself is the decision where it says no.
        return explain_on(bench, pod, judge(bench.problem, bench.board, shape), None)
    plan = solve_problem(bench.problem, effort)
    placement, unplaced = find_placement(plan, key), plan.unschedulable.get(key)
    if placement is not None and not alone:
        # A pod that is placed is shown what it could choose from, not what is left.
        bench = Bench(world, key, filled=False, problem=bench.problem)
    return explain_on(bench, pod, unplaced, placement)


def explain_on(
    bench: Bench, pod: Pod, unplaced: Unplaced | None, placement: Placement | None
) -> PodStory:
    """Explain a pod whose verdict is known, on a bench that holds everything else."""
    shape = bench.shape_of(pod)
    change = None
    if placement is None and not (unplaced is not None and unplaced.deferred):
        change = smallest_change(bench, pod)
    if not isinstance(shape, Shape):
        return PodStory(pod.key, placement, unplaced, change=change, owner=_owner(pod))
    wish = bare_wishes(shape)[-1]
    return PodStory(
        pod=pod.key,
        placement=placement,
        unplaced=unplaced,
        requests=shape.requests,
        wants=wish.strict,
        pools=tuple(_story(bench, one) for one in ask_pools(bench.problem, bench.board, shape)),
        existing=ask_nodes(bench.board, shape, wish),
        change=change,
        owner=_owner(pod),
    )


def _owner(pod: Pod) -> str:
    owners = pod.metadata.owner_references
    return f"{owners[0].kind}/{owners[0].name}" if owners else ""


def _story(bench: Bench, answer: PoolAnswer) -> PoolStory:
    walk = answer.walk
    if walk is None:
        return PoolStory(answer.name, (), answer.cause)
    if walk.fitting is not None:
        makes = placement_of(bench.board, walk.supply, walk.fitting)
        return PoolStory(answer.name, walk.steps(), None, None, makes)
    return PoolStory(answer.name, walk.steps(), answer.cause, nearest_miss(walk))


def nearest_miss(walk: Walk) -> Miss | None:
    """Give the type that came nearest, where it was an amount that ended the walk."""
    cause = walk.cause
    if cause is None or cause.reason not in (Reason.NO_TYPE_FITS, Reason.RESOURCE_UNKNOWN):
        return None
    return walk.miss


def _not_waiting(pod: Pod) -> PodStory:
    if pod.spec.node_name and pod.status.phase not in ("Succeeded", "Failed"):
        return PodStory(pod.key, Placement(node=pod.spec.node_name))
    return PodStory(pod.key, None, unplaced_for(_why_not_waiting(pod)))


def _why_not_waiting(pod: Pod) -> Cause:
    if pod.status.phase in ("Succeeded", "Failed"):
        return _idle("ended", phase=pod.status.phase)
    if gates := pod.spec.scheduling_gates:
        return _idle("gated", count=len(gates), gates=", ".join(one.name for one in gates))
    if node := pod.status.nominated_node_name:
        return _idle("nominated", node=node)
    for owner in pod.metadata.owner_references:
        if owner.kind in ("DaemonSet", "Node"):
            return _idle("follows-nodes", owner=f"{owner.kind}/{owner.name}")
    return _idle("not-tried")


def _idle(kind: str, **values: str | int) -> Cause:
    return Cause(Reason.NOT_WAITING, kind, "", values)
