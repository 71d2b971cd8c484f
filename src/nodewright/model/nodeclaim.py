"""NodeClaim (`karpenter.sh/v1`): one node that was asked for."""

import msgspec

from nodewright.model.metadata import Condition, NodeSelectorRequirement, ObjectMeta, Struct, Taint
from nodewright.model.nodepool import NodeClassRef
from nodewright.model.pod import Amounts


class NodeClaimResources(Struct, frozen=True):
    """What the planned pods and the daemon pods need."""

    requests: Amounts = {}


class NodeClaimSpec(Struct, frozen=True):
    """What was asked for; it never changes."""

    node_class_ref: NodeClassRef = NodeClassRef()
    requirements: tuple[NodeSelectorRequirement, ...] = ()
    resources: NodeClaimResources = NodeClaimResources()
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    expire_after: str = "720h"
    termination_grace_period: str | None = None


class NodeClaimStatus(Struct, frozen=True):
    """What became of it."""

    node_name: str = ""
    provider_id: str = msgspec.field(default="", name="providerID")
    image_id: str = msgspec.field(default="", name="imageID")
    capacity: Amounts = {}
    allocatable: Amounts = {}
    conditions: tuple[Condition, ...] = ()
    last_pod_event_time: str | None = None


class NodeClaim(Struct, frozen=True):
    """A node that was asked for."""

    metadata: ObjectMeta
    spec: NodeClaimSpec = NodeClaimSpec()
    status: NodeClaimStatus = NodeClaimStatus()
