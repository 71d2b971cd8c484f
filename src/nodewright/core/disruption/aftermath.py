"""The World after commands: what goes is gone, what is made is there, and pods run where they were sent.

A what-if that goes on to the end asks again and again, each time on the World that the last answer would
leave. Nothing here is launched: a replacement is the cheapest machine that its plan allows.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from nodewright.core.claims import Draft, write_claim
from nodewright.core.disruption.cost import Prices
from nodewright.model import labels as names
from nodewright.model.disruption import Command
from nodewright.model.instant import print_instant
from nodewright.model.metadata import Condition, ObjectMeta
from nodewright.model.node import Node, NodeSpec, NodeStatus
from nodewright.model.nodeclaim import NodeClaim, NodeClaimStatus
from nodewright.model.plan import PlannedNode
from nodewright.model.pod import Pod
from nodewright.model.quantity import print_resources
from nodewright.model.world import World

_WORKS = ("Launched", "Registered", "Initialized", "Ready")


def carry_out(world: World, commands: Sequence[Command], first: str) -> World:
    """Give the World after all commands are done; replacements are named after `first` and a number."""
    going = {one.node for command in commands for one in command.nodes}
    claims = {one.claim for command in commands for one in command.nodes}
    pools = {pool.metadata.name: pool for pool in world.node_pools}
    prices = Prices(world)
    targets: dict[str, str] = {}
    nodes: list[Node] = []
    made: list[NodeClaim] = []
    for command in commands:
        numbers: dict[int, str] = {}
        for index, planned in enumerate(command.replacements):
            name = f"{first}-{len(nodes)}"
            numbers[index] = name
            kind = prices.type_of(planned.node_pool, planned.offering.instance_type)
            assert kind is not None
            claim = write_claim(
                pools[planned.node_pool],
                Draft(
                    name=name,
                    requirements=planned.requirements.expressions(),
                    labels={**kind.requirements.labels(), **_labels(planned)},
                ),
            )
            amounts = dict(print_resources(kind.capacity)), dict(print_resources(kind.allocatable))
            node = _node(claim, name, (*amounts,))
            nodes.append(node)
            made.append(_launched(claim, node, world.now_ms))
        for key, place in command.moves.items():
            targets[key] = numbers[place] if isinstance(place, int) else place
    pods = [
        _moved(pod, targets[pod.key]) if pod.key in targets else pod
        for pod in world.pods
        if pod.spec.node_name not in going or pod.key in targets
    ]
    return replace(
        world,
        pods=tuple(pods),
        nodes=(*(one for one in world.nodes if one.metadata.name not in going), *nodes),
        node_claims=(
            *(one for one in world.node_claims if one.metadata.name not in claims),
            *made,
        ),
    )


def _moved(pod: Pod, node: str) -> Pod:
    return replace(pod, spec=replace(pod.spec, node_name=node))


def _labels(planned: PlannedNode) -> dict[str, str]:
    offering = planned.offering
    return {
        **planned.requirements.labels(),
        names.INSTANCE_TYPE: offering.instance_type,
        names.ZONE: offering.zone,
        names.CAPACITY_TYPE: offering.capacity_type,
    }


def _node(claim: NodeClaim, name: str, amounts: tuple[dict[str, str], ...]) -> Node:
    capacity, allocatable = amounts
    return Node(
        metadata=ObjectMeta(
            name=name,
            labels={
                **claim.metadata.labels,
                names.HOSTNAME: name,
                names.REGISTERED: "true",
                names.INITIALIZED: "true",
            },
        ),
        spec=NodeSpec(provider_id=f"made:///{name}", taints=claim.spec.taints),
        status=NodeStatus(
            capacity=dict(capacity),
            allocatable=dict(allocatable),
            conditions=(Condition(type="Ready", status="True"),),
        ),
    )


def _launched(claim: NodeClaim, node: Node, now_ms: int) -> NodeClaim:
    now = print_instant(now_ms)
    return replace(
        claim,
        metadata=replace(claim.metadata, creation_timestamp=now),
        status=NodeClaimStatus(
            node_name=node.metadata.name,
            provider_id=node.spec.provider_id,
            capacity=node.status.capacity,
            allocatable=node.status.allocatable,
            conditions=tuple(
                Condition(type=one, status="True", last_transition_time=now) for one in _WORKS
            ),
        ),
    )
