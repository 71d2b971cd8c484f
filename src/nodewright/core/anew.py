"""The cluster as if all its nodes were bought anew: what the lower bound is the bound of.

The pods that run on nodes of NodePools wait again, those nodes and their claims are gone, and everything
else is as it was. Pods that wait already are left out: nobody pays for them.
"""

from typing import Final

from msgspec.structs import replace

from nodewright.model.labels import NODEPOOL
from nodewright.model.pod import Pod, PodStatus
from nodewright.model.world import World

_TERMINAL: Final = ("Succeeded", "Failed")
_BOUND_TO_NODES: Final = ("DaemonSet", "Node")


def as_if_new(world: World) -> World:
    """Give a World in which the pods of our nodes wait for new ones."""
    ours = {node.metadata.name for node in world.nodes if node.metadata.labels.get(NODEPOOL)}
    pods = (_waiting(pod) if pod.spec.node_name in ours else pod for pod in world.pods)
    kept = tuple(
        pod
        for before, pod in zip(world.pods, pods, strict=True)
        if before.spec.node_name
        and before.status.phase not in _TERMINAL
        and not (before.spec.node_name in ours and _stays_with_its_node(before))
    )
    return replace(
        world,
        pods=kept,
        bad_pods=(),
        nodes=tuple(node for node in world.nodes if node.metadata.name not in ours),
        node_claims=(),
        capacity_buffers=(),
        node_pools=tuple(
            replace(pool, status=replace(pool.status, resources={})) for pool in world.node_pools
        ),
        options=replace(world.options, pending_rule="byHand"),
    )


def _waiting(pod: Pod) -> Pod:
    return replace(pod, spec=replace(pod.spec, node_name=""), status=PodStatus(phase="Pending"))


def _stays_with_its_node(pod: Pod) -> bool:
    return any(owner.kind in _BOUND_TO_NODES for owner in pod.metadata.owner_references)
