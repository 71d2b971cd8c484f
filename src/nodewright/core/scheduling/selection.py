"""Which pods are to be placed, which stay where they are, and which cannot be planned for at all.

To be placed: pending pods, and pods on nodes that are going away as far as they will really move.
A pod that is written so that nothing could ever be right for it is answered with what is wrong.
"""

from collections.abc import Iterable, Mapping

import msgspec

from nodewright.core.scheduling.faults import fault_cause
from nodewright.core.scheduling.hosts import Joined
from nodewright.core.scheduling.requests import pod_requests
from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.core.scheduling.rules.volumes import (
    NO_VOLUMES,
    Storage,
    VolumeNeeds,
)
from nodewright.core.scheduling.selectors import read_selector
from nodewright.core.scheduling.wishes import required_terms
from nodewright.model.cause import Cause
from nodewright.model.duration import BadDuration, parse_go_duration
from nodewright.model.instant import BadInstant, parse_instant
from nodewright.model.labels import (
    CAPACITY_TYPE,
    DISRUPTED_TAINT,
    DO_NOT_DISRUPT,
    NODEPOOL,
    ON_DEMAND,
    RESERVED,
    SPOT,
    is_restricted,
)
from nodewright.model.metadata import NodeSelectorRequirement, Taint
from nodewright.model.pdb import PodDisruptionBudget
from nodewright.model.plan import Unplaced
from nodewright.model.pod import Pod
from nodewright.model.quantity import BadQuantity, Resources
from nodewright.model.reason import Reason
from nodewright.model.requirements import BadRequirement, read_requirement
from nodewright.model.wording.verdict import unplaced_for
from nodewright.model.world import BadPod, World

_TERMINAL = ("Succeeded", "Failed")
_DRAIN = Taint(key=DISRUPTED_TAINT, effect="NoSchedule")
_CAPACITY_TYPES = frozenset({ON_DEMAND, SPOT, RESERVED})
_OPTED_OUT = Cause(Reason.OPTED_OUT, "opted-out", NODEPOOL, {"key": NODEPOOL})


class Candidate(msgspec.Struct, frozen=True):
    """A pod to be placed, with what was read of it."""

    pod: Pod
    requests: Resources
    needs: VolumeNeeds


class Selection(msgspec.Struct, frozen=True):
    """The pods of a World, sorted by what is to be done about them."""

    candidates: tuple[Candidate, ...]
    staying: tuple[Pod, ...]
    invalid: Mapping[str, Unplaced]


def select_pods(world: World, joined: Iterable[Joined], storage: Storage) -> Selection:
    """Tell which pods are to be placed, which stay, and which are invalid and why."""
    leaving = {one.node.metadata.name for one in joined if one.is_deleting and one.node is not None}
    blocked = _PdbBlock(world.disruption_budgets)
    candidates: list[Candidate] = []
    staying: list[Pod] = []
    invalid = {bad.key: unplaced_for(unreadable(bad)) for bad in world.bad_pods}
    reader = _PodReader(storage, world.options.well_known_labels)
    live = world.options.pending_rule == "live"
    for pod in world.pods:
        node_name = pod.spec.node_name
        if node_name:
            if pod.status.phase in _TERMINAL:
                continue
            if node_name not in leaving or not _will_move(pod, world.now_ms, blocked):
                staying.append(pod)
                continue
        elif not _is_pending(pod, live=live):
            continue
        read = reader.read(pod)
        if isinstance(read, Unplaced):
            invalid[pod.key] = read
        else:
            candidates.append(read)
    return Selection(tuple(candidates), tuple(staying), invalid)


def unreadable(bad: BadPod) -> Cause:
    """Say that a pod cannot be read at all."""
    return Cause(Reason.UNREADABLE_POD, "pod-unreadable", bad.problem, {"problem": bad.problem})


def _is_pending(pod: Pod, *, live: bool) -> bool:
    for owner in pod.metadata.owner_references:
        if owner.kind in ("DaemonSet", "Node"):
            return False
    if pod.spec.scheduling_gates:
        return False
    if not live:
        return pod.status.phase not in _TERMINAL
    # The scheduler has promised it a place, for which others are being moved out of the way.
    if pod.status.nominated_node_name:
        return False
    for condition in pod.status.conditions:
        if condition.type == "PodScheduled" and condition.reason == "Unschedulable":
            return True
    return False


def _will_move(pod: Pod, now_ms: int, blocked: "_PdbBlock") -> bool:
    owners = {owner.kind for owner in pod.metadata.owner_references}
    if owners & {"DaemonSet", "Node"}:
        return False
    if pod.metadata.deletion_timestamp is not None:
        # It is going already, so nothing protects it; only a StatefulSet waits to make it anew.
        return "StatefulSet" in owners
    return not is_protected(pod, now_ms) and not blocked.blocks(pod)


def is_protected(pod: Pod, now_ms: int) -> bool:
    """Tell whether `karpenter.sh/do-not-disrupt` protects a pod now; a duration lapses."""
    written = pod.metadata.annotations.get(DO_NOT_DISRUPT)
    if written is None or written == "true":
        return written == "true"
    try:
        length_ms = parse_go_duration(written)
        if length_ms <= 0:
            return False
        start = pod.status.start_time
        return start is None or now_ms < parse_instant(start) + length_ms
    except (BadDuration, BadInstant):
        return False


class _PdbBlock:
    """Which pods can never be evicted because of their disruption budgets."""

    def __init__(self, budgets: Iterable[PodDisruptionBudget]) -> None:
        self._budgets = [
            (
                one.metadata.namespace or "default",
                read_selector(one.spec.selector),
                one,
                is_shut(one),
            )
            for one in budgets
        ]

    def blocks(self, pod: Pod) -> bool:
        if first_untolerated((_DRAIN,), pod.spec.tolerations) is None:
            # It stays through the drain and goes with the node: nobody asks to evict it.
            return False
        namespace = pod.metadata.namespace or "default"
        matching = [
            (one, shut)
            for space, selector, one, shut in self._budgets
            if space == namespace and selector.selects(pod.metadata.labels)
        ]
        if len(matching) > 1:
            return True
        return any(shut and not _spares_unhealthy(one, pod) for one, shut in matching)


def _spares_unhealthy(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """Tell whether a budget lets a pod go because it is not ready anyway."""
    return budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow" and any(
        one.type == "Ready" and one.status == "False" for one in pod.status.conditions
    )


def is_shut(budget: PodDisruptionBudget) -> bool:
    """Tell whether a budget is written so that it never lets a pod go."""
    most, least = budget.spec.max_unavailable, budget.spec.min_available
    return most in (0, "0", "0%") or least == "100%"


class _PodReader:
    """Reads pods, each distinct spec once: a reader of snapshots lets equal specs be shared."""

    def __init__(self, storage: Storage, well_known: frozenset[str]) -> None:
        self._storage = storage
        self._well_known = well_known
        self._known: dict[int, Resources | Unplaced] = {}

    def read(self, pod: Pod) -> Candidate | Unplaced:
        spec = pod.spec
        if pod.status.container_statuses:
            read = self._read_spec(pod)
        else:
            known = self._known.get(id(spec))
            if known is None:
                known = self._known[id(spec)] = self._read_spec(pod)
            read = known
        if isinstance(read, Unplaced):
            return read
        if not spec.volumes:
            return Candidate(pod, read, NO_VOLUMES)
        needs = self._storage.needs(pod)
        if isinstance(needs, Cause):
            return unplaced_for(needs)
        return Candidate(pod, read, needs)

    def _read_spec(self, pod: Pod) -> Resources | Unplaced:
        if pod.spec.resource_claims:
            count = len(pod.spec.resource_claims)
            return unplaced_for(Cause(Reason.DEVICE_CLAIM, "device-claims", "", {"count": count}))
        problem = _selector_problem(pod, self._well_known)
        if problem is not None:
            return unplaced_for(problem)
        try:
            return pod_requests(pod.spec, pod.status)
        except BadQuantity as error:
            return unplaced_for(fault_cause(error, Reason.UNREADABLE_POD, "pod"))


def _selector_problem(pod: Pod, well_known: frozenset[str]) -> Cause | None:
    spec = pod.spec
    for key, value in spec.node_selector.items():
        expression = NodeSelectorRequirement(key=key, operator="In", values=(value,))
        if problem := _expression_problem(expression, well_known):
            return problem
    terms = required_terms(spec)
    for term in terms:
        if term.match_fields:
            return Cause(Reason.BAD_SELECTOR, "match-fields")
        for expression in term.match_expressions:
            if problem := _expression_problem(expression, well_known):
                return problem
    node = spec.affinity.node_affinity if spec.affinity else None
    heaviest = max(node.preferred, key=lambda one: one.weight) if node and node.preferred else None
    for expression in heaviest.preference.match_expressions if heaviest else ():
        if expression.key == NODEPOOL and expression.operator == "DoesNotExist":
            return _OPTED_OUT
    return None


def _expression_problem(
    expression: NodeSelectorRequirement, well_known: frozenset[str]
) -> Cause | None:
    try:
        read = read_requirement(expression)
    except BadRequirement as error:
        return fault_cause(error, Reason.BAD_SELECTOR, "pod")
    if read.key == NODEPOOL and expression.operator == "DoesNotExist":
        return _OPTED_OUT
    if is_restricted(read.key, well_known):
        key = expression.key
        return Cause(Reason.LABEL_RESTRICTED, "label-restricted", key, {"key": key})
    if (
        read.key == CAPACITY_TYPE
        and expression.operator == "In"
        and not read.values & _CAPACITY_TYPES
    ):
        values = {
            "key": CAPACITY_TYPE,
            "allowed": ", ".join(sorted(_CAPACITY_TYPES)),
            "wanted": ", ".join(sorted(read.values)),
        }
        return Cause(Reason.BAD_SELECTOR, "capacity-type", CAPACITY_TYPE, values)
    return None
