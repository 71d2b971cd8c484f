"""Which API version and kind is read as which struct, for the resources that are ours to read."""

from typing import Final

import msgspec

from nodewright.model.capacitybuffer import CapacityBuffer
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kwoknodeclass import KWOKNodeClass
from nodewright.model.legacy import AWSNodeTemplate, ConfigMap, Machine, Provisioner
from nodewright.model.legacy_beta import BetaEC2NodeClass, BetaNodeClaim, BetaNodePool
from nodewright.model.metadata import Struct
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepolicy import NodePolicy
from nodewright.model.nodepool import NodePool
from nodewright.model.overlay import NodeOverlay

CORE_V1: Final = "karpenter.sh/v1"
AWS_V1: Final = "karpenter.k8s.aws/v1"


class ResourceKind(msgspec.Struct, frozen=True):
    """One kind of resource and how it is read."""

    api_version: str
    kind: str
    struct: type[Struct]


CURRENT: Final = (
    ResourceKind(CORE_V1, "NodePool", NodePool),
    ResourceKind(CORE_V1, "NodeClaim", NodeClaim),
    ResourceKind("karpenter.sh/v1alpha1", "NodeOverlay", NodeOverlay),
    ResourceKind(AWS_V1, "EC2NodeClass", EC2NodeClass),
    ResourceKind("autoscaling.x-k8s.io/v1beta1", "CapacityBuffer", CapacityBuffer),
    ResourceKind("nodewright.dev/v1alpha1", "NodePolicy", NodePolicy),
)
LEGACY: Final = (
    ResourceKind("karpenter.sh/v1alpha5", "Provisioner", Provisioner),
    ResourceKind("karpenter.sh/v1alpha5", "Machine", Machine),
    ResourceKind("karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate", AWSNodeTemplate),
    ResourceKind("karpenter.sh/v1beta1", "NodePool", BetaNodePool),
    ResourceKind("karpenter.sh/v1beta1", "NodeClaim", BetaNodeClaim),
    ResourceKind("karpenter.k8s.aws/v1beta1", "EC2NodeClass", BetaEC2NodeClass),
)
KWOK: Final = (ResourceKind("karpenter.kwok.sh/v1alpha1", "KWOKNodeClass", KWOKNodeClass),)
BY_NAME: Final = {(kind.api_version, kind.kind): kind for kind in (*CURRENT, *LEGACY, *KWOK)}
BY_STRUCT: Final = {kind.struct: kind for kind in (*CURRENT, *LEGACY, *KWOK)}
SETTINGS: Final = ResourceKind("v1", "ConfigMap", ConfigMap)
