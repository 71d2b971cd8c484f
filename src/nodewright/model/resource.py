"""Resources: how the Kubernetes API spells the kinds that we read and write.

A `Resource` joins a kind's path on the API server with the narrow struct it is read into. The ones
below are all that a controller watches; `optional` ones may be missing on a cluster, and then count
as empty. `older` ones are converted to today's kinds by those who read them; where the cluster serves
today's version of a kind too, both show the same objects under the same uid. A `Ref` names one
object.
"""

from typing import Any, Final, Protocol

import msgspec

from nodewright.model.capacitybuffer import CapacityBuffer
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kwoknodeclass import KWOKNodeClass
from nodewright.model.legacy import AWSNodeTemplate, Machine, Provisioner
from nodewright.model.legacy_beta import BetaEC2NodeClass, BetaNodeClaim, BetaNodePool
from nodewright.model.metadata import ObjectMeta
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepolicy import NodePolicy
from nodewright.model.nodepool import NodePool
from nodewright.model.overlay import NodeOverlay
from nodewright.model.pdb import PodDisruptionBudget
from nodewright.model.pod import DaemonSet, Namespace, Pod, PodTemplateObject, Workload
from nodewright.model.volume import (
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)


class Object(Protocol):
    """Anything with a name on a cluster."""

    @property
    def metadata(self) -> ObjectMeta:
        """Its name, version and owners."""
        ...


class Resource[T: Object](msgspec.Struct, frozen=True):
    """One kind: its place in the API, and the struct that holds what we read of it."""

    group: str
    version: str
    kind: str
    plural: str
    struct: type[T]
    namespaced: bool = False
    optional: bool = False
    older: bool = False
    name: str = ""
    """The name as kubectl takes it: `pods`, `nodeclaims.karpenter.sh`; it follows from the rest.

    An older kind says its version, since today's may have the same name:
    `nodeclaims.v1beta1.karpenter.sh`.
    """

    @property
    def api_version(self) -> str:
        """The version as manifests write it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def __post_init__(self) -> None:
        """Work out the name once: it is asked for with every change of every object."""
        version = f".{self.version}" if self.older else ""
        name = f"{self.plural}{version}.{self.group}" if self.group else self.plural
        msgspec.structs.force_setattr(self, "name", name)

    def path(self, name: str = "", namespace: str = "") -> str:
        """Give the address of one object, of all in a namespace, or of all there are."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        middle = f"/namespaces/{namespace}" if namespace else ""
        tail = f"/{name}" if name else ""
        return f"{root}{middle}/{self.plural}{tail}"


class Ref(msgspec.Struct, frozen=True):
    """One object by name; with a uid it is that very object and no later one of its name."""

    resource: Resource[Any]
    name: str
    namespace: str = ""
    uid: str = ""

    @property
    def path(self) -> str:
        """Its address in the API."""
        return self.resource.path(self.name, self.namespace)

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.resource.name}/{place}{self.name}"


def refer[T: Object](resource: Resource[T], thing: T) -> Ref:
    """Name one object, with the identity that it has now."""
    meta = thing.metadata
    return Ref(resource, meta.name, meta.namespace if resource.namespaced else "", meta.uid)


def key_of(meta: ObjectMeta) -> str:
    """Give the name of an object within its kind: `namespace/name`, or the name alone."""
    return f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name


_KARPENTER: Final = "karpenter.sh"
_AWS: Final = "karpenter.k8s.aws"
_STORAGE: Final = "storage.k8s.io"

PODS: Final = Resource("", "v1", "Pod", "pods", Pod, namespaced=True)
NODES: Final = Resource("", "v1", "Node", "nodes", Node)
NAMESPACES: Final = Resource("", "v1", "Namespace", "namespaces", Namespace)
VOLUME_CLAIMS: Final = Resource(
    "",
    "v1",
    "PersistentVolumeClaim",
    "persistentvolumeclaims",
    PersistentVolumeClaim,
    namespaced=True,
)
VOLUMES: Final = Resource("", "v1", "PersistentVolume", "persistentvolumes", PersistentVolume)
NODE_CLAIMS: Final = Resource(_KARPENTER, "v1", "NodeClaim", "nodeclaims", NodeClaim)
NODE_POOLS: Final = Resource(_KARPENTER, "v1", "NodePool", "nodepools", NodePool)
NODE_OVERLAYS: Final = Resource(
    _KARPENTER, "v1alpha1", "NodeOverlay", "nodeoverlays", NodeOverlay, optional=True
)
NODE_CLASSES: Final = Resource(
    _AWS, "v1", "EC2NodeClass", "ec2nodeclasses", EC2NodeClass, optional=True
)
KWOK_NODE_CLASSES: Final = Resource(
    "karpenter.kwok.sh", "v1alpha1", "KWOKNodeClass", "kwoknodeclasses", KWOKNodeClass,
    optional=True,
)  # fmt: skip
NODE_POLICIES: Final = Resource(
    "nodewright.dev", "v1alpha1", "NodePolicy", "nodepolicies", NodePolicy, optional=True
)
CAPACITY_BUFFERS: Final = Resource(
    "autoscaling.x-k8s.io",
    "v1beta1",
    "CapacityBuffer",
    "capacitybuffers",
    CapacityBuffer,
    namespaced=True,
    optional=True,
)
POD_TEMPLATES: Final = Resource(
    "", "v1", "PodTemplate", "podtemplates", PodTemplateObject, namespaced=True
)
DAEMON_SETS: Final = Resource("apps", "v1", "DaemonSet", "daemonsets", DaemonSet, namespaced=True)
REPLICA_SETS: Final = Resource("apps", "v1", "ReplicaSet", "replicasets", Workload, namespaced=True)
DEPLOYMENTS: Final = Resource("apps", "v1", "Deployment", "deployments", Workload, namespaced=True)
STATEFUL_SETS: Final = Resource(
    "apps", "v1", "StatefulSet", "statefulsets", Workload, namespaced=True
)
JOBS: Final = Resource("batch", "v1", "Job", "jobs", Workload, namespaced=True)
DISRUPTION_BUDGETS: Final = Resource(
    "policy",
    "v1",
    "PodDisruptionBudget",
    "poddisruptionbudgets",
    PodDisruptionBudget,
    namespaced=True,
)
STORAGE_CLASSES: Final = Resource(_STORAGE, "v1", "StorageClass", "storageclasses", StorageClass)
CSI_NODES: Final = Resource(_STORAGE, "v1", "CSINode", "csinodes", CSINode)
VOLUME_ATTACHMENTS: Final = Resource(
    _STORAGE, "v1", "VolumeAttachment", "volumeattachments", VolumeAttachment
)


def _older[T: Object](
    group: str, version: str, kind: str, plural: str, struct: type[T]
) -> Resource[T]:
    return Resource(group, version, kind, plural, struct, optional=True, older=True)


PROVISIONERS: Final = _older(_KARPENTER, "v1alpha5", "Provisioner", "provisioners", Provisioner)
MACHINES: Final = _older(_KARPENTER, "v1alpha5", "Machine", "machines", Machine)
AWS_NODE_TEMPLATES: Final = _older(
    _AWS, "v1alpha1", "AWSNodeTemplate", "awsnodetemplates", AWSNodeTemplate
)
BETA_NODE_POOLS: Final = _older(_KARPENTER, "v1beta1", "NodePool", "nodepools", BetaNodePool)
BETA_NODE_CLAIMS: Final = _older(_KARPENTER, "v1beta1", "NodeClaim", "nodeclaims", BetaNodeClaim)
BETA_NODE_CLASSES: Final = _older(
    _AWS, "v1beta1", "EC2NodeClass", "ec2nodeclasses", BetaEC2NodeClass
)

OLDER: Final[tuple[Resource[Any], ...]] = (
    PROVISIONERS, MACHINES, AWS_NODE_TEMPLATES, BETA_NODE_POOLS, BETA_NODE_CLAIMS,
    BETA_NODE_CLASSES,
)  # fmt: skip
WATCHED: Final[tuple[Resource[Any], ...]] = (
    PODS, NODES, NODE_CLAIMS, NODE_POOLS, NODE_OVERLAYS, NODE_CLASSES, KWOK_NODE_CLASSES,
    NODE_POLICIES, CAPACITY_BUFFERS, POD_TEMPLATES, DAEMON_SETS, NAMESPACES, VOLUME_CLAIMS, VOLUMES,
    STORAGE_CLASSES, CSI_NODES, VOLUME_ATTACHMENTS, DISRUPTION_BUDGETS, REPLICA_SETS, DEPLOYMENTS,
    STATEFUL_SETS, JOBS, *OLDER,
)  # fmt: skip
