"""NodePool (`karpenter.sh/v1`): what nodes may be made, and how they may be taken away."""

from nodewright.model.metadata import (
    Condition,
    NodeSelectorRequirement,
    ObjectMeta,
    Struct,
    Taint,
)
from nodewright.model.pod import Amounts


class NodeClassRef(Struct, frozen=True):
    """The provider's class that a pool or claim is made with."""

    group: str = ""
    kind: str = ""
    name: str = ""


class NodeClaimTemplateMetadata(Struct, frozen=True):
    """Labels and annotations that every node of the pool gets."""

    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class NodeClaimTemplateSpec(Struct, frozen=True):
    """What every claim of the pool is made with."""

    node_class_ref: NodeClassRef = NodeClassRef()
    requirements: tuple[NodeSelectorRequirement, ...] = ()
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    expire_after: str = "720h"
    termination_grace_period: str | None = None


class NodeClaimTemplate(Struct, frozen=True):
    """The claim that the pool makes."""

    metadata: NodeClaimTemplateMetadata = NodeClaimTemplateMetadata()
    spec: NodeClaimTemplateSpec = NodeClaimTemplateSpec()


class Budget(Struct, frozen=True):
    """How many nodes may be disrupted at once, when, and for which reasons."""

    nodes: str = "10%"
    reasons: tuple[str, ...] | None = None
    schedule: str | None = None
    duration: str | None = None


class Disruption(Struct, frozen=True):
    """How nodes of the pool may be taken away."""

    consolidate_after: str = "0s"
    consolidation_policy: str = "WhenEmptyOrUnderutilized"
    budgets: tuple[Budget, ...] = (Budget(),)


class NodePoolSpec(Struct, frozen=True):
    """The wishes of a pool's owner."""

    template: NodeClaimTemplate = NodeClaimTemplate()
    disruption: Disruption = Disruption()
    limits: Amounts | None = None
    weight: int | None = None
    replicas: int | None = None


class NodePoolStatus(Struct, frozen=True):
    """What the controllers say of the pool."""

    resources: Amounts = {}
    nodes: int = 0
    node_class_observed_generation: int | None = None
    conditions: tuple[Condition, ...] = ()


class NodePool(Struct, frozen=True):
    """A pool of nodes that can be made on demand."""

    metadata: ObjectMeta
    spec: NodePoolSpec = NodePoolSpec()
    status: NodePoolStatus = NodePoolStatus()
