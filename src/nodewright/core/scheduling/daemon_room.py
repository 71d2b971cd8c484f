"""Daemon pods that find no room: no node is made for them, but somebody has to say what is short.

A daemon pod is pinned to its node by name. It waits there until enough is free, which nothing here can
change: pods came before it, or the daemon set has grown since the node was planned.
"""

from collections.abc import Iterable, Iterator

from nodewright.core.scheduling.requests import pod_requests
from nodewright.core.scheduling.wishes import required_terms
from nodewright.model.cause import Cause
from nodewright.model.node import Node
from nodewright.model.plan import Unplaced
from nodewright.model.pod import Pod
from nodewright.model.quantity import BadQuantity, Milli, Resources, add, parse_resources
from nodewright.model.reason import Reason
from nodewright.model.wording.amounts import show_amount
from nodewright.model.wording.verdict import unplaced_for
from nodewright.model.world import World

_TERMINAL = ("Succeeded", "Failed")


def waits_for_room(pod: Pod) -> bool:
    """Tell whether the scheduler found no room for a daemon pod."""
    return _is_pending_daemon(pod) and any(
        one.type == "PodScheduled" and one.reason == "Unschedulable"
        for one in pod.status.conditions
    )


def judge_daemons(world: World) -> dict[str, Unplaced]:
    """Say of every daemon pod that waits what its node has too little of, if anything."""
    is_waiting = waits_for_room if world.options.pending_rule == "live" else _is_pending_daemon
    waiting = {pod.key: pod for pod in world.pods if is_waiting(pod)}
    if not waiting:
        return {}
    nodes = {node.metadata.name: node for node in world.nodes}
    found: dict[str, Unplaced] = {}
    for key, pod in sorted(waiting.items()):
        node = nodes.get(next(_targets(pod), ""))
        cause = _shortage(pod, node, world.pods) if node is not None else None
        if cause is not None:
            found[key] = unplaced_for(cause)
    return found


def _is_pending_daemon(pod: Pod) -> bool:
    return (
        not pod.spec.node_name
        and not pod.status.nominated_node_name
        and not pod.spec.scheduling_gates
        and pod.status.phase not in _TERMINAL
        and bool(_daemon_set(pod))
    )


def _daemon_set(pod: Pod) -> str:
    owners = pod.metadata.owner_references
    name = next((one.name for one in owners if one.kind == "DaemonSet"), "")
    return f"{pod.metadata.namespace or 'default'}/{name}" if name else ""


def _targets(pod: Pod) -> Iterator[str]:
    """Give the node that the controller of daemon sets pinned a pod to."""
    for term in required_terms(pod.spec):
        for field in term.match_fields:
            if field.key == "metadata.name" and field.operator == "In":
                yield from field.values


def _shortage(pod: Pod, node: Node, pods: Iterable[Pod]) -> Cause | None:
    try:
        needs = pod_requests(pod.spec, pod.status)
        free = _free(node, pods)
    except BadQuantity:
        return None
    for resource, amount in needs.items():
        has = max(0, free.get(resource, 0))
        if amount > has:
            values = {
                "daemon": _daemon_set(pod),
                "node": node.metadata.name,
                "resource": resource,
                "needs": show_amount(amount, resource, up=True),
                "has": show_amount(has, resource),
                "short": show_amount(amount - has, resource, up=True),
            }
            return Cause(Reason.DAEMON_NO_ROOM, "daemon-short", _daemon_set(pod), values)
    return None


def _free(node: Node, pods: Iterable[Pod]) -> Resources:
    used: dict[str, Milli] = add(
        *(
            pod_requests(pod.spec, pod.status)
            for pod in pods
            if pod.spec.node_name == node.metadata.name and pod.status.phase not in _TERMINAL
        )
    )
    whole = parse_resources(node.status.allocatable)
    return {name: amount - used.get(name, 0) for name, amount in whole.items()}
