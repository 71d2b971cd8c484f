"""What is on one node, as far as its going is concerned: looked over again only after a pod came or left."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.disruption.cost import node_cost
from nodewright.core.disruption.protection import has_to_move
from nodewright.core.recall import Recall
from nodewright.model.pod import Pod


class Load(msgspec.Struct, frozen=True, eq=False):
    """The pods of a node that would have to move, what that costs, and the healthy ones by workload."""

    moving: tuple[Pod, ...]
    cost: int
    healthy: Mapping[str, int]


_KEPT: Final = 2_500
_loads: Final = Recall[Load](_KEPT)


def load_of(pods: Sequence[Pod]) -> Load:
    """Give the load that the pods of one node are."""
    return _loads.of(tuple(pods), lambda: _weigh(pods))


NO_LOAD: Final = Load((), node_cost(()), {})


def _weigh(pods: Sequence[Pod]) -> Load:
    moving = tuple([pod for pod in pods if has_to_move(pod)])
    healthy: dict[str, int] = {}
    for pod in moving:
        if pod.metadata.owner_references and is_healthy(pod):
            workload = workload_of(pod)
            healthy[workload] = healthy.get(workload, 0) + 1
    return Load(moving, node_cost(moving), healthy)


def workload_of(pod: Pod) -> str:
    """Name what made a pod; nothing for a pod that nobody makes anew."""
    owners = pod.metadata.owner_references
    if not owners:
        return ""
    return f"{pod.metadata.namespace or 'default'}/{owners[0].kind}/{owners[0].name}"


def is_healthy(pod: Pod) -> bool:
    """Tell whether a pod does its work: it is ready, or runs and nothing is said about that."""
    if pod.metadata.deletion_timestamp is not None:
        return False
    for one in pod.status.conditions:
        if one.type == "Ready":
            return one.status == "True"
    return pod.status.phase != "Pending"
