"""Provisioning: what is done about a plan.

Each new node of the plan becomes a NodeClaim whose name follows from the decision and its place in
it, so that writing it twice makes one. Pods that were given a place are told, and so are those that
were not, with the reason that helps most. Nothing is bound: the scheduler has the last word.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from nodewright.core.claims import Draft, name_claim, resolve_labels, write_claim
from nodewright.core.provisioning_words import explain_plan, pods_named
from nodewright.core.scheduling.daemon_room import waits_for_room
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.model import labels as names
from nodewright.model.decision import Decision, Launch, Nominate, digest, rest_on
from nodewright.model.instance import InstanceType
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.plan import Plan, PlannedNode
from nodewright.model.pod import Pod
from nodewright.model.quantity import print_resources
from nodewright.model.requirements import Requirements
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, PODS, Ref, refer
from nodewright.model.world import World

TYPES_MAX: Final = 600
MIN_VALUES_RELAXED: Final = "karpenter.sh/nodeclaim-min-values-relaxed"


def waits(pod: Pod) -> bool:
    """Tell whether a pod waits for a node that could be made."""
    if pod.spec.node_name or pod.status.nominated_node_name or pod.spec.scheduling_gates:
        return False
    for owner in pod.metadata.owner_references:
        if owner.kind in ("DaemonSet", "Node"):
            return False
    for one in pod.status.conditions:
        if one.type == "PodScheduled" and one.reason == "Unschedulable":
            return True
    return False


def is_answered(pod: Pod) -> bool:
    """Tell whether a pass has something to say to a pod: a place, or what is short on its node."""
    return waits(pod) or waits_for_room(pod)


def leaving(nodes: Iterable[Node]) -> list[str]:
    """Give the nodes that are going away, by uid: their pods are planned for too."""
    return [
        node.metadata.uid
        for node in nodes
        if any(taint.key == names.DISRUPTED_TAINT for taint in node.spec.taints)
    ]


def provision(world: World, effort: Effort = Effort.NORMAL) -> list[Decision]:
    """Plan for every pod that waits, and give what is to be done about the plan."""
    return list(carry_out(world, solve(world, effort)))


def carry_out(world: World, plan: Plan) -> Iterator[Decision]:
    """Give what is to be done about a plan."""
    planned = [*(one.pods for one in plan.new_nodes), *(one.pods for one in plan.existing_nodes)]
    pods = pods_named(world, {key for keys in planned for key in keys})
    pools = {pool.metadata.name: pool for pool in world.node_pools}
    uids = sorted(pods[key].metadata.uid for node in plan.new_nodes for key in node.pods)
    decision = f"D-{digest('Provision', str(world.now_ms), *uids)}"
    for index, node in enumerate(plan.new_nodes):
        pool = pools[node.node_pool]
        claim = draft_claim(node, pool, f"{decision}/{index}", world.instance_types)
        yield Launch(
            subject=Ref(NODE_CLAIMS, claim.metadata.name),
            reason="Provisioned",
            note=f"{len(node.pods)} pods need a node, {node.offering.instance_type} is cheapest",
            basis=rest_on((NODE_POOLS, pool)),
            claim=claim,
            pods=tuple(pods[key].metadata.uid for key in node.pods),
        )
        for key in node.pods:
            yield _nominate(pods[key], claim.metadata.name)
    for filled in plan.existing_nodes:
        for key in filled.pods:
            yield _nominate(pods[key], filled.name)
    yield from explain_plan(world, plan)


def _nominate(pod: Pod, host: str) -> Nominate:
    return Nominate(
        subject=refer(PODS, pod),
        reason="Nominated",
        note=f"the pod should run on {host}",
        basis=rest_on((PODS, pod)),
        host=host,
    )


def draft_claim(
    node: PlannedNode,
    pool: NodePool,
    decision: str,
    types: Mapping[str, tuple[InstanceType, ...]],
) -> NodeClaim:
    """Write a planned node down as a NodeClaim."""
    name = name_claim(pool, decision)
    relaxed = "true" if node.min_values_relaxed else "false"
    draft = Draft(
        name=name,
        requirements=_requirements(node, types.get(node.node_pool, ())),
        requests=dict(print_resources(node.requests)),
        labels=resolve_labels(node.requirements, name),
        annotations={MIN_VALUES_RELAXED: relaxed},
    )
    return write_claim(pool, draft)


def _requirements(
    node: PlannedNode, types: tuple[InstanceType, ...]
) -> tuple[NodeSelectorRequirement, ...]:
    kept = node.instance_types[:TYPES_MAX]
    least = node.requirements[names.INSTANCE_TYPE].min_values if _names_types(node) else None
    chosen = {
        names.INSTANCE_TYPE: NodeSelectorRequirement(
            key=names.INSTANCE_TYPE, operator="In", values=tuple(sorted(kept)), min_values=least
        ),
        names.CAPACITY_TYPE: _capacity_types(node.requirements, set(kept), types),
    }
    others = [
        one for one in node.requirements.expressions() if one.key not in (*chosen, names.HOSTNAME)
    ]
    written = [*others, *(one for one in chosen.values() if one.values)]
    return tuple(sorted(written, key=lambda one: (one.key, one.operator)))


def _names_types(node: PlannedNode) -> bool:
    return names.INSTANCE_TYPE in node.requirements


def _capacity_types(
    wanted: Requirements, kept: set[str], types: tuple[InstanceType, ...]
) -> NodeSelectorRequirement:
    """Give the capacity types that can be had of what is left."""
    asked = wanted.get(names.CAPACITY_TYPE)
    listed = asked.values if asked is not None and not asked.complement else None
    found: set[str] = set()
    for kind in types:
        if kind.name not in kept:
            continue
        # Hundreds of types are sold in the same two ways: most have nothing new to say.
        new = (kind.capacity_types if listed is None else kind.capacity_types & listed) - found
        found |= new and _ways_to_buy(kind, new, wanted)
    found = found or set(listed or ())
    return NodeSelectorRequirement(
        key=names.CAPACITY_TYPE,
        operator="In",
        values=tuple(sorted(found)),
        min_values=asked.min_values if asked is not None else None,
    )


def _ways_to_buy(
    kind: InstanceType, capacity_types: frozenset[str], wanted: Requirements
) -> set[str]:
    """Give those of some capacity types of which an offering fits."""
    return {
        one.capacity_type
        for one in kind.offerings
        if one.available
        and one.capacity_type in capacity_types
        and one.requirements.conflict(wanted) is None
    }
