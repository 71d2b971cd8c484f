"""A World out of the mirror: the cluster as it is, or as it will be once what is on its way is there.

For planning, a claim whose node has not come yet is stood in for by a node of its own name, and pods
that are expected on it are counted there, so that nothing is made twice. Before its machine is
launched, a claim is taken to hold just what it was made for, and against limits the largest machine
that it may become.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from nodewright.model import resource as kinds
from nodewright.model.cloudview import SeenNode
from nodewright.model.instance import InstanceType
from nodewright.model.labels import INITIALIZED, INSTANCE_TYPE, NODEPOOL, REGISTERED
from nodewright.model.metadata import ObjectMeta
from nodewright.model.node import Node, NodeSpec
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import CLASS_KINDS, NodeClass, find_kind
from nodewright.model.nodepool import NodeClassRef, NodePool
from nodewright.model.pod import Pod
from nodewright.model.quantity import largest, print_resources
from nodewright.model.requirements import BadRequirement, Requirements
from nodewright.model.world import BadPod, Options, World
from nodewright.state.expectations import Expectations
from nodewright.state.legacy import rename_on_node, rename_on_pod
from nodewright.state.mirror import BY_UNFINISHED, YES, Mirror
from nodewright.state.older import read_older

type Types = Mapping[str, tuple[InstanceType, ...]]
# Structs are replaced field by field; mypy knows them only as their base.
_replace: Any = msgspec.structs.replace


def take_snapshot(
    mirror: Mirror,
    now_ms: int,
    types: Types | None = None,
    options: Options = Options(),  # noqa: B008 - frozen.
) -> World:
    """Give the World that the mirror shows."""
    older = read_older(mirror).objects
    pods, nodes = mirror.all(kinds.PODS), mirror.all(kinds.NODES)
    return World(
        now_ms=now_ms,
        pods=tuple(map(rename_on_pod, pods)) if older else pods,
        bad_pods=tuple(BadPod(one.key, one.problem) for one in mirror.unreadable(kinds.PODS)),
        nodes=tuple(map(rename_on_node, nodes)) if older else nodes,
        node_claims=served_claims(mirror),
        node_pools=find_pools(mirror),
        node_classes=find_classes(mirror),
        node_overlays=mirror.all(kinds.NODE_OVERLAYS),
        node_policies=mirror.all(kinds.NODE_POLICIES),
        capacity_buffers=mirror.all(kinds.CAPACITY_BUFFERS),
        pod_templates=mirror.all(kinds.POD_TEMPLATES),
        daemon_sets=mirror.all(kinds.DAEMON_SETS),
        namespaces=mirror.all(kinds.NAMESPACES),
        volume_claims=mirror.all(kinds.VOLUME_CLAIMS),
        volumes=mirror.all(kinds.VOLUMES),
        storage_classes=mirror.all(kinds.STORAGE_CLASSES),
        csi_nodes=mirror.all(kinds.CSI_NODES),
        volume_attachments=mirror.all(kinds.VOLUME_ATTACHMENTS),
        disruption_budgets=mirror.all(kinds.DISRUPTION_BUDGETS),
        replica_sets=mirror.all(kinds.REPLICA_SETS),
        deployments=mirror.all(kinds.DEPLOYMENTS),
        stateful_sets=mirror.all(kinds.STATEFUL_SETS),
        jobs=mirror.all(kinds.JOBS),
        instance_types=types or {},
        options=options,
    )


def take_nodes(
    mirror: Mirror,
    now_ms: int,
    options: Options = Options(),  # noqa: B008 - frozen.
) -> World:
    """Give the World of nodes, claims, pools and classes: for those who look at no pod."""
    older = read_older(mirror).objects
    nodes = mirror.all(kinds.NODES)
    return World(
        now_ms=now_ms,
        nodes=tuple(map(rename_on_node, nodes)) if older else nodes,
        node_claims=served_claims(mirror),
        node_pools=find_pools(mirror),
        node_classes=find_classes(mirror),
        node_policies=mirror.all(kinds.NODE_POLICIES),
        options=options,
    )


def with_machines(world: World, mirror: Mirror) -> World:
    """Give the World with the claims of older kinds: they are planned with, and left alone."""
    older = read_older(mirror).node_claims
    if not older:
        return world
    return msgspec.structs.replace(world, node_claims=(*world.node_claims, *older))


def find_pools(mirror: Mirror) -> tuple[NodePool, ...]:
    """Give the pools, those that older objects stand for among them."""
    return (*mirror.all(kinds.NODE_POOLS), *read_older(mirror).node_pools)


def find_classes(mirror: Mirror) -> tuple[NodeClass, ...]:
    """Give the classes of every kind that is mirrored, and those that older objects stand for."""
    known = {one.name for one in mirror.resources}
    today = (found for kind in CLASS_KINDS if kind.name in known for found in mirror.all(kind))
    return (*today, *read_older(mirror).node_classes)


def is_served(mirror: Mirror, reference: NodeClassRef) -> bool:
    """Tell whether nodes of a class are ours to make and end; those of others are left alone."""
    kind = find_kind(reference)
    return kind is not None and mirror.has(kind)


def find_class(mirror: Mirror, reference: NodeClassRef) -> NodeClass | None:
    """Give the class that a pool or claim speaks of."""
    kind = find_kind(reference)
    if kind is None or not is_served(mirror, reference):
        return None
    found: NodeClass | None = mirror.get(kind, reference.name)
    if found is None and kind is kinds.NODE_CLASSES:
        older = read_older(mirror).node_classes
        return next((one for one in older if one.metadata.name == reference.name), None)
    return found


def served_claims(mirror: Mirror) -> tuple[NodeClaim, ...]:
    """Give the claims whose class is of a kind that we serve."""
    found: tuple[NodeClaim, ...] = mirror.derive(
        "served claims",
        (kinds.NODE_CLAIMS,),
        lambda: _only_served(mirror, mirror.all(kinds.NODE_CLAIMS)),
    )
    return found


def unfinished_claims(mirror: Mirror) -> tuple[NodeClaim, ...]:
    """Give those of them that are on their way to a node that works."""
    return _only_served(mirror, mirror.find(kinds.NODE_CLAIMS, BY_UNFINISHED, YES))


def _only_served(mirror: Mirror, claims: tuple[NodeClaim, ...]) -> tuple[NodeClaim, ...]:
    references = [claim.spec.node_class_ref for claim in claims]
    served = {
        kind: is_served(mirror, one)
        for kind, one in {(one.group, one.kind): one for one in references}.items()
    }
    if all(served.values()):
        return claims
    pairs = zip(claims, references, strict=True)
    return tuple([claim for claim, one in pairs if served[one.group, one.kind]])


def seen_nodes(mirror: Mirror) -> tuple[SeenNode, ...]:
    """Give the nodes that came up for claims, with the memory that each has shown."""
    claims = {one.status.provider_id: one for one in served_claims(mirror)}
    found = []
    for node in mirror.all(kinds.NODES):
        claim = claims.get(node.spec.provider_id)
        kind = node.metadata.labels.get(INSTANCE_TYPE, "")
        if claim is None or not kind or node.metadata.labels.get(REGISTERED) != "true":
            continue
        memory = node.status.capacity_read.get("memory", 0)
        if memory > 0 and claim.status.image_id:
            found.append(SeenNode(kind, claim.status.image_id, memory))
    return tuple(found)


def look_ahead(world: World, expectations: Expectations) -> World:
    """Give the World as it will be once everything that is on its way is there."""
    unseen = expectations.unseen((one.metadata.name for one in world.node_claims), world.now_ms)
    claims = [*world.node_claims, *unseen]
    nodes = {node.spec.provider_id: node for node in world.nodes if node.spec.provider_id}
    host_of: dict[str, str] = {node.metadata.name: node.metadata.name for node in world.nodes}
    ready: set[str] = set()
    standing_in: list[Node] = []
    expected: list[NodeClaim] = []
    for claim in claims:
        name = claim.metadata.name
        node = nodes.get(claim.status.provider_id)
        if claim.metadata.deletion_timestamp is not None:
            expected.append(claim)
            continue
        if node is None:
            ahead = _launched(claim, world.instance_types)
            expected.append(ahead)
            standing_in.append(_stand_in(ahead))
            host_of[name] = name
        else:
            expected.append(claim)
            host_of[name] = node.metadata.name
            if node.metadata.labels.get(INITIALIZED) == "true":
                ready.add(name)
    expectations.settle(ready, world.now_ms)
    placed = expectations.placed(set(host_of), world.pods, world.now_ms)
    return msgspec.structs.replace(
        world,
        pods=_place_all(world.pods, placed, host_of),
        nodes=(*world.nodes, *standing_in),
        node_claims=tuple(expected),
    )


def find_unknown(world: World, expectations: Expectations) -> tuple[str, ...]:
    """Name the claims on their way to a machine of which we do not know for which pods they are."""
    return tuple(
        claim.metadata.name
        for claim in world.node_claims
        if not claim.status.provider_id
        and claim.metadata.deletion_timestamp is None
        and not expectations.has_made(claim.metadata.name)
    )


def _place_all(
    pods: tuple[Pod, ...], placed: Mapping[str, str], host_of: Mapping[str, str]
) -> tuple[Pod, ...]:
    if not placed:
        return pods
    return tuple(
        [
            _place(pod, host_of[placed[pod.metadata.uid]]) if pod.metadata.uid in placed else pod
            for pod in pods
        ]
    )


def _place(pod: Pod, node: str) -> Pod:
    moved: Pod = _replace(pod, spec=_replace(pod.spec, node_name=node))
    return moved


def _launched(claim: NodeClaim, types: Types) -> NodeClaim:
    """Give a claim as if its machine were there already."""
    if claim.status.provider_id:
        return claim
    try:
        wanted = Requirements.from_expressions(claim.spec.requirements)
    except BadRequirement:
        wanted = Requirements()
    names = wanted[INSTANCE_TYPE].values if INSTANCE_TYPE in wanted else frozenset()
    on_sale = types.get(claim.metadata.labels.get(NODEPOOL, ""), ())
    capacity = largest(one.capacity for one in on_sale if one.name in names)
    labels = {**wanted.labels(), **claim.metadata.labels}
    labels.setdefault(INSTANCE_TYPE, min(names, default=""))
    ahead: NodeClaim = _replace(
        claim,
        metadata=_replace(claim.metadata, labels=labels),
        status=_replace(
            claim.status,
            provider_id=f"expected:///{claim.metadata.name}",
            capacity=dict(print_resources(capacity)),
            allocatable=dict(claim.spec.resources.requests),
        ),
    )
    return ahead


def _stand_in(claim: NodeClaim) -> Node:
    return Node(
        metadata=ObjectMeta(name=claim.metadata.name),
        spec=NodeSpec(provider_id=claim.status.provider_id),
    )
