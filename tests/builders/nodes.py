"""NodePools, nodes and claims."""

from collections.abc import Mapping, Sequence

from builders.labels import Amount, Want
from builders.types import ZONES
from nodewright.model.labels import (
    ARCH,
    HOSTNAME,
    INITIALIZED,
    NODEPOOL,
    OS,
    REGISTERED,
    ZONE,
)
from nodewright.model.metadata import (
    Condition,
    ObjectMeta,
    Taint,
)
from nodewright.model.node import Node, NodeSpec, NodeStatus
from nodewright.model.nodeclaim import NodeClaim, NodeClaimSpec, NodeClaimStatus
from nodewright.model.nodepool import (
    NodeClaimTemplate,
    NodeClaimTemplateMetadata,
    NodeClaimTemplateSpec,
    NodeClassRef,
    NodePool,
    NodePoolSpec,
)
from nodewright.model.overlay import NodeOverlay, NodeOverlaySpec


def a_pool(
    name: str = "default",
    *,
    requirements: Sequence[Want] = (),
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Taint] = (),
    startup_taints: Sequence[Taint] = (),
    limits: Mapping[str, Amount] | None = None,
    weight: int | None = None,
    replicas: int | None = None,
    deleted: str | None = None,
) -> NodePool:
    """A NodePool that takes every type unless told."""
    return NodePool(
        metadata=ObjectMeta(name=name, uid=f"uid-{name}", deletion_timestamp=deleted),
        spec=NodePoolSpec(
            template=NodeClaimTemplate(
                metadata=NodeClaimTemplateMetadata(labels=dict(labels or {})),
                spec=NodeClaimTemplateSpec(
                    node_class_ref=NodeClassRef(
                        group="karpenter.k8s.aws", kind="EC2NodeClass", name="default"
                    ),
                    requirements=tuple(requirements),
                    taints=tuple(taints),
                    startup_taints=tuple(startup_taints),
                ),
            ),
            limits=dict(limits) if limits is not None else None,
            weight=weight,
            replicas=replicas,
        ),
    )


def a_node(
    name: str = "node",
    *,
    cpu: Amount = 4,
    memory: Amount = "16Gi",
    pods: int = 110,
    more: Mapping[str, Amount] | None = None,
    zone: str = ZONES[0],
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Taint] = (),
    pool: str = "",
    initialized: bool = True,
    deleted: str | None = None,
) -> Node:
    """A node; with a pool it carries the marks of a managed one."""
    marks = {NODEPOOL: pool, REGISTERED: "true"} if pool else {}
    if pool and initialized:
        marks[INITIALIZED] = "true"
    amounts = {"cpu": cpu, "memory": memory, "pods": pods, **(more or {})}
    return Node(
        metadata=ObjectMeta(
            name=name,
            uid=f"uid-{name}",
            labels={
                HOSTNAME: name,
                ZONE: zone,
                ARCH: "amd64",
                OS: "linux",
                **marks,
                **(labels or {}),
            },
            deletion_timestamp=deleted,
        ),
        spec=NodeSpec(provider_id=f"fake:///{name}", taints=tuple(taints)),
        status=NodeStatus(
            capacity=amounts,
            allocatable=amounts,
            conditions=(Condition(type="Ready", status="True"),),
        ),
    )


def a_node_claim(
    name: str = "claim",
    *,
    node: Node | None = None,
    pool: str = "default",
    cpu: Amount = 4,
    memory: Amount = "16Gi",
    pods: int = 110,
    zone: str = ZONES[0],
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Taint] = (),
    startup_taints: Sequence[Taint] = (),
    deleted: str | None = None,
) -> NodeClaim:
    """A NodeClaim: of a node where one is given, else launched and on its way."""
    amounts = {"cpu": cpu, "memory": memory, "pods": pods}
    return NodeClaim(
        metadata=ObjectMeta(
            name=name,
            uid=f"uid-{name}",
            labels={ZONE: zone, NODEPOOL: pool, ARCH: "amd64", OS: "linux", **(labels or {})},
            deletion_timestamp=deleted,
        ),
        spec=NodeClaimSpec(taints=tuple(taints), startup_taints=tuple(startup_taints)),
        status=NodeClaimStatus(
            node_name=node.metadata.name if node else "",
            provider_id=node.spec.provider_id if node else f"fake:///{name}",
            capacity=node.status.capacity if node else amounts,
            allocatable=node.status.allocatable if node else amounts,
            conditions=(Condition(type="Launched", status="True"),),
        ),
    )


def a_managed_node(
    name: str = "node", *, startup_taints: Sequence[Taint] = (), **traits: object
) -> tuple[Node, NodeClaim]:
    """A node of pool `default` (or `pool`) with its claim."""
    pool = str(traits.setdefault("pool", "default"))
    node = a_node(name, **traits)
    return node, a_node_claim(
        f"claim-of-{name}",
        node=node,
        pool=pool,
        labels=node.metadata.labels,
        startup_taints=startup_taints,
    )


def an_overlay(
    name: str = "overlay",
    *requirements: Want,
    price: str | None = None,
    adjust: str | None = None,
    capacity: Mapping[str, Amount] | None = None,
    weight: int | None = None,
) -> NodeOverlay:
    """A correction of the types that meet these requirements."""
    return NodeOverlay(
        metadata=ObjectMeta(name=name),
        spec=NodeOverlaySpec(
            requirements=requirements,
            price=price,
            price_adjustment=adjust,
            capacity=dict(capacity or {}),
            weight=weight,
        ),
    )
