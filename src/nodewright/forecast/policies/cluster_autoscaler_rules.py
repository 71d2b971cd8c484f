"""What Cluster Autoscaler decides, after its documentation: which group grows, and which nodes are unneeded.

Up: pods that fit on no node, nor on one that is coming, are packed onto new nodes of each group in turn; of the
groups that help, the expander takes one. Down: a node is unneeded while less than half of its cpu and of its
memory is requested and its pods would fit on other nodes. Its own packing is first fit by size, as ours is here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from nodewright.core.disruption.protection import has_to_move, protected_until
from nodewright.core.scheduling.requests import pod_requests
from nodewright.core.scheduling.selectors import read_selector
from nodewright.forecast.policies.karpenter_plan import plan_as_karpenter
from nodewright.forecast.policies.node_groups import Group, pool_of
from nodewright.model.instance import InstanceType
from nodewright.model.metadata import ObjectMeta
from nodewright.model.node import Node, NodeSpec, NodeStatus
from nodewright.model.pdb import PodDisruptionBudget
from nodewright.model.pod import Pod
from nodewright.model.quantity import parse_resources, print_resources
from nodewright.model.world import World

_SAFE: Final = "cluster-autoscaler.kubernetes.io/safe-to-evict"


class Option(msgspec.Struct, frozen=True):
    """What a group would do for pods that wait: so many nodes, for so many pods, at a price."""

    group: Group
    node_count: int
    pod_count: int
    waste: float
    price: int


def find_helpless(world: World) -> tuple[Pod, ...]:
    """Give the pods that fit on no node that is there or coming."""
    plan = plan_as_karpenter(replace(world, node_pools=(), instance_types={}))
    by_key = {pod.key: pod for pod in world.pods}
    return tuple(by_key[key] for key in plan.unschedulable if key in by_key)


def weigh(world: World, helpless: Sequence[Pod], group: Group, kind: InstanceType) -> Option | None:
    """Tell what it would take of a group to place pods that fit nowhere; nothing where none fits.

    The other pods that wait are planned for too, since they take the room that is there.
    """
    wanted = {pod.key for pod in helpless}
    posed = replace(
        world,
        pods=(*(pod for pod in world.pods if pod.key not in wanted), *helpless),
        node_pools=(pool_of(group),),
        instance_types={group.name: (kind,)},
    )
    plan = plan_as_karpenter(posed)
    if not plan.new_nodes:
        return None
    count = len(plan.new_nodes)
    by_key = {pod.key: pod for pod in posed.pods}
    placed = [pod_requests(by_key[key].spec) for node in plan.new_nodes for key in node.pods]
    room = kind.allocatable
    shares = [
        1 - min(1.0, sum(one.get(name, 0) for one in placed) / (room[name] * count))
        for name in ("cpu", "memory")
    ]
    price = sum(node.offering.price for node in plan.new_nodes)
    return Option(group, count, len(placed), sum(shares) / 2, price)


def choose(options: Sequence[Option], expander: str, draw: float) -> Option:
    """Take one of several options as the expander does; the draw is for the random one."""
    ordered = sorted(options, key=lambda one: one.group.name)
    match expander:
        case "most-pods":
            return max(ordered, key=lambda one: one.pod_count)
        case "price":
            return min(ordered, key=lambda one: one.price / one.pod_count)
        case "random":
            return ordered[int(draw * len(ordered))]
        case _:
            return min(ordered, key=lambda one: one.waste)


def use_of(node: Node, pods: Iterable[Pod]) -> float:
    """Give the larger of the shares of cpu and memory that are requested of a node."""
    room = parse_resources(node.status.allocatable)
    asked = [pod_requests(pod.spec) for pod in pods]
    return max(
        sum(one.get(name, 0) for one in asked) / room[name] if room.get(name) else 0.0
        for name in ("cpu", "memory")
    )


def may_drain(pods: Iterable[Pod], budgets: Sequence[PodDisruptionBudget], now_ms: int) -> bool:
    """Tell whether nobody on a node objects to being moved."""
    selectors = [
        (one.metadata.namespace, read_selector(one.spec.selector))
        for one in budgets
        if one.status.disruptions_allowed == 0
    ]
    for pod in pods:
        if not has_to_move(pod):
            continue
        meta = pod.metadata
        if meta.annotations.get(_SAFE) == "false" or protected_until(pod, now_ms) is not None:
            return False
        if not meta.owner_references and meta.annotations.get(_SAFE) != "true":
            return False
        if any(space == meta.namespace and one.selects(meta.labels) for space, one in selectors):
            return False
    return True


def fits_elsewhere(world: World, name: str) -> bool:
    """Tell whether the pods of a node would all fit on the others."""
    pods = tuple(
        replace(pod, spec=replace(pod.spec, node_name=""))
        if pod.spec.node_name == name and has_to_move(pod)
        else pod
        for pod in world.pods
        if pod.spec.node_name != name or has_to_move(pod)
    )
    loose = {pod.key for pod in world.pods if pod.spec.node_name == name}
    posed = replace(
        world,
        pods=tuple(pod for pod in pods if pod.spec.node_name or pod.key in loose),
        nodes=tuple(node for node in world.nodes if node.metadata.name != name),
        node_pools=(),
        instance_types={},
        options=replace(world.options, pending_rule="byHand"),
    )
    return not plan_as_karpenter(posed).unschedulable


def coming_node(name: str, group: Group, kind: InstanceType, labels: Mapping[str, str]) -> Node:
    """Give the node that a machine on its way will be."""
    return Node(
        metadata=ObjectMeta(name=name, labels={**kind.requirements.labels(), **labels}),
        spec=NodeSpec(taints=group.taints),
        status=NodeStatus(
            capacity=dict(print_resources(kind.capacity)),
            allocatable=dict(print_resources(kind.allocatable)),
        ),
    )
