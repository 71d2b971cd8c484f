"""How each kind presents itself on a cluster: names, scope, columns of `kubectl get`, subresources."""

from typing import Final

import msgspec

from nodewright.model.kinds import BY_NAME, ResourceKind

_READY: Final = '.status.conditions[?(@.type=="Ready")].status'
_DRIFTED: Final = '.status.conditions[?(@.type=="Drifted")].status'


class Column(msgspec.Struct, frozen=True):
    """One column of `kubectl get`; wide ones need `-o wide`."""

    name: str
    path: str
    type: str = "string"
    wide: bool = False


class Scale(msgspec.Struct, frozen=True):
    """Where `kubectl scale` reads and writes."""

    spec: str
    status: str


class Definition(msgspec.Struct, frozen=True):
    """One kind on a cluster."""

    kind: ResourceKind
    plural: str
    columns: tuple[Column, ...]
    short_names: tuple[str, ...] = ()
    namespaced: bool = False
    scale: Scale | None = None

    @property
    def group(self) -> str:
        """The API group."""
        return self.kind.api_version.partition("/")[0]

    @property
    def version(self) -> str:
        """The version within the group."""
        return self.kind.api_version.partition("/")[2]

    @property
    def name(self) -> str:
        """The definition's own name."""
        return f"{self.plural}.{self.group}"


_AGE: Final = Column("Age", ".metadata.creationTimestamp", "date")


def _label(name: str, key: str, *, wide: bool = False) -> Column:
    escaped = key.replace(".", r"\.")
    return Column(name, f".metadata.labels.{escaped}", wide=wide)


NODEPOOLS: Final = Definition(
    kind=BY_NAME["karpenter.sh/v1", "NodePool"],
    plural="nodepools",
    columns=(
        Column("NodeClass", ".spec.template.spec.nodeClassRef.name"),
        Column("Nodes", ".status.nodes", "integer"),
        Column("Ready", _READY),
        _AGE,
        Column("Weight", ".spec.weight", "integer", wide=True),
        Column("CPU", ".status.resources.cpu", wide=True),
        Column("Memory", ".status.resources.memory", wide=True),
    ),
    scale=Scale(".spec.replicas", ".status.nodes"),
)
NODECLAIMS: Final = Definition(
    kind=BY_NAME["karpenter.sh/v1", "NodeClaim"],
    plural="nodeclaims",
    columns=(
        _label("Type", "node.kubernetes.io/instance-type"),
        _label("Capacity", "karpenter.sh/capacity-type"),
        _label("Zone", "topology.kubernetes.io/zone"),
        Column("Node", ".status.nodeName"),
        Column("Ready", _READY),
        _AGE,
        Column("ImageID", ".status.imageID", wide=True),
        Column("ID", ".status.providerID", wide=True),
        _label("NodePool", "karpenter.sh/nodepool", wide=True),
        Column("NodeClass", ".spec.nodeClassRef.name", wide=True),
        Column("Drifted", _DRIFTED, wide=True),
    ),
)
NODEOVERLAYS: Final = Definition(
    kind=BY_NAME["karpenter.sh/v1alpha1", "NodeOverlay"],
    plural="nodeoverlays",
    short_names=("overlays",),
    columns=(
        Column("Ready", _READY),
        _AGE,
        Column("Weight", ".spec.weight", "integer", wide=True),
    ),
)
EC2NODECLASSES: Final = Definition(
    kind=BY_NAME["karpenter.k8s.aws/v1", "EC2NodeClass"],
    plural="ec2nodeclasses",
    short_names=("ec2nc", "ec2ncs"),
    columns=(Column("Ready", _READY), _AGE, Column("Role", ".spec.role", wide=True)),
)
CAPACITYBUFFERS: Final = Definition(
    kind=BY_NAME["autoscaling.x-k8s.io/v1beta1", "CapacityBuffer"],
    plural="capacitybuffers",
    short_names=("cb",),
    namespaced=True,
    columns=(
        Column("Strategy", ".spec.provisioningStrategy"),
        Column("Replicas", ".status.replicas", "integer"),
        Column("Ready", '.status.conditions[?(@.type=="ReadyForProvisioning")].status'),
        _AGE,
    ),
)
NODEPOLICIES: Final = Definition(
    kind=BY_NAME["nodewright.dev/v1alpha1", "NodePolicy"],
    plural="nodepolicies",
    columns=(
        Column("NodePools", ".status.nodePools", "integer"),
        Column("Ready", _READY),
        Column("Paused", ".spec.pause.until"),
        _AGE,
    ),
)
PROVISIONERS: Final = Definition(
    kind=BY_NAME["karpenter.sh/v1alpha5", "Provisioner"],
    plural="provisioners",
    columns=(
        Column("Template", ".spec.providerRef.name"),
        _AGE,
        Column("Weight", ".spec.weight", "integer", wide=True),
    ),
)
AWSNODETEMPLATES: Final = Definition(
    kind=BY_NAME["karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate"],
    plural="awsnodetemplates",
    columns=(_AGE,),
)
KWOKNODECLASSES: Final = Definition(
    kind=BY_NAME["karpenter.kwok.sh/v1alpha1", "KWOKNodeClass"],
    plural="kwoknodeclasses",
    short_names=("kwoknc", "kwokncs"),
    columns=(Column("Ready", _READY), _AGE),
)

CURRENT: Final = (
    NODEPOOLS,
    NODECLAIMS,
    NODEOVERLAYS,
    EC2NODECLASSES,
    CAPACITYBUFFERS,
    NODEPOLICIES,
)
LEGACY: Final = (PROVISIONERS, AWSNODETEMPLATES)
KWOK: Final = (KWOKNODECLASSES,)
