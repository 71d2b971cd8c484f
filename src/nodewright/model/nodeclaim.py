"""NodeClaim (`karpenter.sh/v1`): one node that was asked for."""

from functools import cached_property
from typing import Annotated, Final

import msgspec

from nodewright.model.duration import DURATION_OR_NEVER_PATTERN, DURATION_PATTERN
from nodewright.model.metadata import ObjectMeta, Struct
from nodewright.model.nodepool import EXPIRE_AFTER_DEFAULT, NodeClassRef
from nodewright.model.pod import Amounts
from nodewright.model.quantity import Resources, parse_resources
from nodewright.model.schema import ChangeRule, about
from nodewright.model.schema_requirements import (
    REQUIREMENTS_MAX,
    ClaimRequirement,
    ResourceTaint,
    StatusCondition,
)


class NodeClaimResources(Struct, frozen=True):
    """What the planned pods and the daemon pods need."""

    requests: Annotated[Amounts, about("What is needed, by resource.")] = {}


class NodeClaimSpec(Struct, frozen=True):
    """What was asked for; it never changes."""

    node_class_ref: Annotated[
        NodeClassRef, about("The provider's class that the node is made with.", required=True)
    ] = NodeClassRef()
    requirements: Annotated[
        tuple[ClaimRequirement, ...],
        about("What the node must be; all must hold.", required=True, maxItems=REQUIREMENTS_MAX),
    ] = ()
    resources: Annotated[
        NodeClaimResources, about("What the planned pods and the daemon pods need.")
    ] = NodeClaimResources()
    taints: Annotated[
        tuple[ResourceTaint, ...], about("Taints that keep pods away that do not tolerate them.")
    ] = ()
    startup_taints: Annotated[
        tuple[ResourceTaint, ...],
        about("Taints that something else removes once the node is ready for pods."),
    ] = ()
    expire_after: Annotated[
        str,
        about(
            "How long the node may live; Never for no end.",
            pattern=DURATION_OR_NEVER_PATTERN,
            default=EXPIRE_AFTER_DEFAULT,
        ),
    ] = EXPIRE_AFTER_DEFAULT
    termination_grace_period: Annotated[
        str | None,
        about(
            "How long the node may drain before its remaining pods are ended by force.",
            pattern=DURATION_PATTERN,
        ),
    ] = None


class NodeClaimStatus(Struct, frozen=True, dict=True):
    """What became of it; amounts are read once."""

    node_name: Annotated[str, about("The name of the node.")] = ""
    provider_id: Annotated[str, about("The provider's name of the machine.")] = msgspec.field(
        default="", name="providerID"
    )
    image_id: Annotated[str, about("The image that the machine was started from.")] = msgspec.field(
        default="", name="imageID"
    )
    capacity: Annotated[Amounts, about("What the machine has, by resource.")] = {}
    allocatable: Annotated[Amounts, about("What pods can use of it, by resource.")] = {}
    conditions: Annotated[tuple[StatusCondition, ...], about("What the controllers found.")] = ()
    last_pod_event_time: Annotated[
        str | None, about("When a pod last came or went.", format="date-time")
    ] = None

    @cached_property
    def capacity_read(self) -> Resources:
        """All that the machine has."""
        return parse_resources(self.capacity)

    @cached_property
    def allocatable_read(self) -> Resources:
        """What pods can use of it."""
        return parse_resources(self.allocatable)


_IMMUTABLE: Final = ChangeRule(
    "self == oldSelf",
    "the spec of a NodeClaim cannot be changed: delete the claim, and a new one is made",
    lambda new, old: new == old,
)


class NodeClaim(Struct, frozen=True):
    """A node that was asked for."""

    metadata: ObjectMeta
    spec: Annotated[
        NodeClaimSpec, about("What was asked for; it never changes.", _IMMUTABLE, required=True)
    ] = NodeClaimSpec()
    status: Annotated[NodeClaimStatus, about("What became of it.")] = NodeClaimStatus()
