"""Provisioning: what is done about a plan.

Each new node of the plan becomes a NodeClaim whose name follows from the decision and its place in
it, so that writing it twice makes one. Pods that were given a place are told, and so are those that
were not, with the reason that helps most. Nothing is bound: the scheduler has the last word.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from nodewright.core.provisioning_words import explain_plan
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.model import labels as names
from nodewright.model.decision import Decision, Launch, Nominate, digest, rest_on
from nodewright.model.hashing import (
    HASH_VERSION,
    NODEPOOL_HASH,
    NODEPOOL_HASH_VERSION,
    hash_nodepool,
)
from nodewright.model.instance import InstanceType
from nodewright.model.metadata import NodeSelectorRequirement, ObjectMeta, OwnerReference
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim, NodeClaimResources, NodeClaimSpec
from nodewright.model.nodepool import NodePool
from nodewright.model.plan import Plan, PlannedNode
from nodewright.model.pod import Pod
from nodewright.model.quantity import print_resources
from nodewright.model.requirements import Requirement, Requirements
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, PODS, Ref, refer
from nodewright.model.world import World

TYPES_MAX: Final = 600
POOL_NAME_MAX: Final = 52
MIN_VALUES_RELAXED: Final = "karpenter.sh/nodeclaim-min-values-relaxed"


def waits(pod: Pod) -> bool:
    """Tell whether a pod waits for a node that could be made."""
    if pod.spec.node_name or pod.status.nominated_node_name or pod.spec.scheduling_gates:
        return False
    if any(owner.kind in ("DaemonSet", "Node") for owner in pod.metadata.owner_references):
        return False
    return any(
        one.type == "PodScheduled" and one.reason == "Unschedulable"
        for one in pod.status.conditions
    )


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
    pods = {pod.key: pod for pod in world.pods}
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
    template, spec = pool.spec.template, pool.spec.template.spec
    name = f"{pool.metadata.name[:POOL_NAME_MAX]}-{digest(decision)}"
    reference = spec.node_class_ref
    own = {names.NODEPOOL: pool.metadata.name}
    if reference.kind:
        own[f"{reference.group}/{reference.kind.lower()}"] = reference.name
    owner = OwnerReference(
        api_version=NODE_POOLS.api_version,
        kind=NODE_POOLS.kind,
        name=pool.metadata.name,
        uid=pool.metadata.uid,
        block_owner_deletion=True,
    )
    return NodeClaim(
        metadata=ObjectMeta(
            name=name,
            labels={**template.metadata.labels, **_custom_labels(node, name), **own},
            annotations={
                **template.metadata.annotations,
                NODEPOOL_HASH: hash_nodepool(pool),
                NODEPOOL_HASH_VERSION: HASH_VERSION,
                MIN_VALUES_RELAXED: "true" if node.min_values_relaxed else "false",
            },
            owner_references=(owner,),
            finalizers=(names.TERMINATION_FINALIZER,),
        ),
        spec=NodeClaimSpec(
            node_class_ref=reference,
            requirements=_requirements(node, types.get(node.node_pool, ())),
            resources=NodeClaimResources(requests=dict(print_resources(node.requests))),
            taints=spec.taints,
            startup_taints=spec.startup_taints,
            expire_after=spec.expire_after,
            termination_grace_period=spec.termination_grace_period,
        ),
    )


def _custom_labels(node: PlannedNode, name: str) -> dict[str, str]:
    """Give the labels of the users' own keys; where any value will do, one is made up."""
    found: dict[str, str] = {}
    for key, requirement in node.requirements.items():
        if key in names.WELL_KNOWN or names.is_restricted(key):
            continue
        if not requirement.complement:
            if requirement.values:
                found[key] = min(requirement.values)
        elif (value := _any_value(requirement, name)) is not None:
            found[key] = value
    return found


def _any_value(requirement: Requirement, name: str) -> str | None:
    low, high = requirement.low, requirement.high
    if low is not None or high is not None:
        candidate = str(low if low is not None else high)
        return candidate if requirement.has(candidate) else None
    drawn = (str(int(digest(name, str(turn)), 16) % 1_000_000) for turn in range(10))
    return next((value for value in drawn if requirement.has(value)), None)


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
    found = {
        offering.capacity_type
        for kind in types
        if kind.name in kept
        for offering in kind.offerings
        if offering.available and offering.requirements.conflict(wanted) is None
    }
    if asked is not None and not asked.complement:
        found = found & asked.values or set(asked.values)
    return NodeSelectorRequirement(
        key=names.CAPACITY_TYPE,
        operator="In",
        values=tuple(sorted(found)),
        min_values=asked.min_values if asked is not None else None,
    )
