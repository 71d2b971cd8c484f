"""Which pods a plan must speak of: those without a node, and those that lose theirs.

`must` are the pods that have to stand in the plan exactly once; `may` are those of which the pages
leave open whether they are answered at all (being over, or going away, or held back by something
that does not hold everybody back).
"""

import re

import msgspec

from nodewright.model.instant import parse_instant
from nodewright.model.labels import DISRUPTED_TAINT, DO_NOT_DISRUPT
from nodewright.model.metadata import Taint
from nodewright.model.pod import Pod
from nodewright.model.world import World
from referee.amounts import tolerates
from referee.labels import selector_holds

_UNIT_MS = {"h": 3_600_000, "m": 60_000, "s": 1000}


class RollCall(msgspec.Struct, frozen=True):
    """The pods that a plan is about."""

    must: dict[str, Pod]
    may: dict[str, Pod]
    moving: frozenset[str]


def call_roll(world: World) -> RollCall:
    """Sort the pods of a world into those to be placed and the others."""
    must: dict[str, Pod] = {}
    may: dict[str, Pod] = {}
    moving: set[str] = set()
    leaving = leaving_nodes(world)
    for pod in world.pods:
        if pod.spec.node_name:
            if pod.spec.node_name in leaving and _could_move(pod):
                if not _is_held_back(pod, world):
                    must[pod.key] = pod
                    moving.add(pod.key)
                elif _is_unsure(pod):
                    may[pod.key] = pod
        elif _is_owned_by(pod, "DaemonSet") or _is_owned_by(pod, "Node"):
            continue
        elif world.options.pending_rule == "live":
            if _is_called_unschedulable(pod) and not pod.status.nominated_node_name:
                must[pod.key] = pod
        elif not pod.spec.scheduling_gates:
            unclear = is_over(pod) or pod.metadata.deletion_timestamp
            (may if unclear else must)[pod.key] = pod
    return RollCall(must=must, may=may, moving=frozenset(moving))


def leaving_nodes(world: World) -> set[str]:
    """Names of nodes that are being deleted, themselves or by their claims."""
    gone_claims = [claim for claim in world.node_claims if claim.metadata.deletion_timestamp]
    names = {claim.status.node_name for claim in gone_claims if claim.status.node_name}
    providers = {claim.status.provider_id for claim in gone_claims if claim.status.provider_id}
    return {
        node.metadata.name
        for node in world.nodes
        if node.metadata.deletion_timestamp
        or node.metadata.name in names
        or (node.spec.provider_id and node.spec.provider_id in providers)
    }


def is_over(pod: Pod) -> bool:
    """Whether the pod has run to its end."""
    return pod.status.phase in ("Succeeded", "Failed")


def _is_called_unschedulable(pod: Pod) -> bool:
    return any(
        condition.type == "PodScheduled" and condition.reason == "Unschedulable"
        for condition in pod.status.conditions
    )


def _is_owned_by(pod: Pod, kind: str) -> bool:
    return any(owner.kind == kind for owner in pod.metadata.owner_references)


def _could_move(pod: Pod) -> bool:
    if is_over(pod) or _is_owned_by(pod, "DaemonSet") or _is_owned_by(pod, "Node"):
        return False
    return not pod.metadata.deletion_timestamp or _is_owned_by(pod, "StatefulSet")


def _is_held_back(pod: Pod, world: World) -> bool:
    return _asks_to_be_left_alone(pod, world.now_ms) or _is_guarded(pod, world)


def _is_unsure(pod: Pod) -> bool:
    """Whether nothing is left to hold the pod back: it goes already, or it is not healthy."""
    unwell = any(one.type == "Ready" and one.status == "False" for one in pod.status.conditions)
    return bool(pod.metadata.deletion_timestamp) or unwell or _stays_through_drain(pod)


def _stays_through_drain(pod: Pod) -> bool:
    drain = Taint(key=DISRUPTED_TAINT, effect="NoSchedule")
    return tolerates(pod.spec.tolerations, drain)


def _asks_to_be_left_alone(pod: Pod, now_ms: int) -> bool:
    wish = pod.metadata.annotations.get(DO_NOT_DISRUPT, "")
    if wish == "true":
        return True
    parts = re.findall(r"(\d+)([hms])", wish)
    if not parts or "".join(count + unit for count, unit in parts) != wish:
        return False
    if pod.status.start_time is None:
        return True
    spared_ms = sum(int(count) * _UNIT_MS[unit] for count, unit in parts)
    return now_ms < parse_instant(pod.status.start_time) + spared_ms


def _is_guarded(pod: Pod, world: World) -> bool:
    budgets = [
        budget
        for budget in world.disruption_budgets
        if (budget.metadata.namespace or "default") == (pod.metadata.namespace or "default")
        and selector_holds(budget.spec.selector, pod.metadata.labels)
    ]
    return len(budgets) > 1 or any(
        budget.spec.max_unavailable in (0, "0", "0%") or budget.spec.min_available == "100%"
        for budget in budgets
    )
