"""Karpenter's `v1beta1` resources: the names of today with some fields in other places."""

from typing import Annotated

import msgspec

from nodewright.model.ec2nodeclass import EC2NodeClassStatus
from nodewright.model.ec2nodeclass_devices import BlockDeviceMapping
from nodewright.model.ec2nodeclass_terms import SecurityGroupSelectorTerm, SubnetSelectorTerm
from nodewright.model.legacy import LegacyMetadataOptions
from nodewright.model.metadata import NodeSelectorRequirement, ObjectMeta, Struct, Taint
from nodewright.model.nodeclaim import NodeClaimResources, NodeClaimStatus
from nodewright.model.nodepool import Budget, NodeClaimTemplateMetadata, NodePoolStatus
from nodewright.model.pod import Amounts
from nodewright.model.schema import about


class BetaNodeClassRef(Struct, frozen=True):
    """The class, by API version instead of group."""

    api_version: Annotated[str, about("The class's API version.")] = ""
    kind: Annotated[str, about("The class's kind.")] = ""
    name: Annotated[str, about("The class's name.")] = ""


class BetaNodeClaimSpec(Struct, frozen=True):
    """What a node is made with; templates leave `resources` out."""

    node_class_ref: BetaNodeClassRef = BetaNodeClassRef()
    requirements: tuple[NodeSelectorRequirement, ...] = ()
    resources: NodeClaimResources = NodeClaimResources()
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    kubelet: dict[str, object] = {}


class BetaNodeClaimTemplate(Struct, frozen=True):
    """The claim that the pool makes."""

    metadata: NodeClaimTemplateMetadata = NodeClaimTemplateMetadata()
    spec: BetaNodeClaimSpec = BetaNodeClaimSpec()


class BetaDisruption(Struct, frozen=True):
    """How nodes may be taken away."""

    consolidate_after: str | None = None
    consolidation_policy: str = "WhenUnderutilized"
    expire_after: str = "720h"
    budgets: tuple[Budget, ...] = (Budget(),)


class BetaNodePoolSpec(Struct, frozen=True):
    """The wishes of a pool's owner."""

    template: BetaNodeClaimTemplate = BetaNodeClaimTemplate()
    disruption: BetaDisruption = BetaDisruption()
    limits: Amounts | None = None
    weight: int | None = None


class BetaNodePool(Struct, frozen=True):
    """`karpenter.sh/v1beta1` NodePool."""

    metadata: ObjectMeta
    spec: BetaNodePoolSpec = BetaNodePoolSpec()
    status: NodePoolStatus = NodePoolStatus()


class BetaNodeClaim(Struct, frozen=True):
    """`karpenter.sh/v1beta1` NodeClaim."""

    metadata: ObjectMeta
    spec: BetaNodeClaimSpec = BetaNodeClaimSpec()
    status: NodeClaimStatus = NodeClaimStatus()


class BetaAMISelectorTerm(Struct, frozen=True):
    """One way to find images; there were no aliases yet."""

    tags: dict[str, str] = {}
    id: str | None = None
    name: str | None = None
    owner: str | None = None


class BetaEC2NodeClassSpec(Struct, frozen=True):
    """How instances are started."""

    subnet_selector_terms: tuple[SubnetSelectorTerm, ...] = ()
    security_group_selector_terms: tuple[SecurityGroupSelectorTerm, ...] = ()
    ami_selector_terms: tuple[BetaAMISelectorTerm, ...] = ()
    ami_family: str | None = None
    user_data: str | None = None
    role: str | None = None
    instance_profile: str | None = None
    tags: dict[str, str] = {}
    block_device_mappings: tuple[BlockDeviceMapping, ...] = ()
    instance_store_policy: str | None = None
    detailed_monitoring: bool | None = None
    associate_public_ip_address: bool | None = msgspec.field(
        default=None, name="associatePublicIPAddress"
    )
    metadata_options: LegacyMetadataOptions | None = None
    context: str | None = None


class BetaEC2NodeClass(Struct, frozen=True):
    """`karpenter.k8s.aws/v1beta1` EC2NodeClass."""

    metadata: ObjectMeta
    spec: BetaEC2NodeClassSpec = BetaEC2NodeClassSpec()
    status: EC2NodeClassStatus = EC2NodeClassStatus()
