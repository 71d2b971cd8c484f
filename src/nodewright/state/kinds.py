"""The kinds of objects that a snapshot may hold, and where each goes in a World.

A field of a World may hold more than one kind: node classes are those of every provider.
"""

from typing import Final

import msgspec

from nodewright.model.capacitybuffer import CapacityBuffer
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kwoknodeclass import KWOKNodeClass
from nodewright.model.metadata import Struct
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepolicy import NodePolicy
from nodewright.model.nodepool import NodePool
from nodewright.model.overlay import NodeOverlay
from nodewright.model.pdb import PodDisruptionBudget
from nodewright.model.pod import (
    DaemonSet,
    Namespace,
    Pod,
    PodTemplateObject,
    Service,
    Workload,
)
from nodewright.model.volume import (
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)


class Kind(msgspec.Struct, frozen=True):
    """One kind: how it is written, how it is read, and the field of a World that holds it."""

    api_version: str
    kind: str
    struct: type[Struct]
    field: str
    namespaced: bool = False


_ALL: Final = (
    Kind("v1", "Pod", Pod, "pods", True),
    Kind("v1", "Node", Node, "nodes"),
    Kind("karpenter.sh/v1", "NodeClaim", NodeClaim, "node_claims"),
    Kind("karpenter.sh/v1", "NodePool", NodePool, "node_pools"),
    Kind("karpenter.k8s.aws/v1", "EC2NodeClass", EC2NodeClass, "node_classes"),
    Kind("karpenter.kwok.sh/v1alpha1", "KWOKNodeClass", KWOKNodeClass, "node_classes"),
    Kind("karpenter.sh/v1alpha1", "NodeOverlay", NodeOverlay, "node_overlays"),
    Kind("nodewright.dev/v1alpha1", "NodePolicy", NodePolicy, "node_policies"),
    Kind(
        "autoscaling.x-k8s.io/v1beta1", "CapacityBuffer", CapacityBuffer, "capacity_buffers", True
    ),
    Kind("v1", "PodTemplate", PodTemplateObject, "pod_templates", True),
    Kind("apps/v1", "DaemonSet", DaemonSet, "daemon_sets", True),
    Kind("v1", "Namespace", Namespace, "namespaces"),
    Kind("v1", "PersistentVolumeClaim", PersistentVolumeClaim, "volume_claims", True),
    Kind("v1", "PersistentVolume", PersistentVolume, "volumes"),
    Kind("storage.k8s.io/v1", "StorageClass", StorageClass, "storage_classes"),
    Kind("storage.k8s.io/v1", "CSINode", CSINode, "csi_nodes"),
    Kind("storage.k8s.io/v1", "VolumeAttachment", VolumeAttachment, "volume_attachments"),
    Kind("policy/v1", "PodDisruptionBudget", PodDisruptionBudget, "disruption_budgets", True),
    Kind("apps/v1", "ReplicaSet", Workload, "replica_sets", True),
    Kind("apps/v1", "Deployment", Workload, "deployments", True),
    Kind("apps/v1", "StatefulSet", Workload, "stateful_sets", True),
    Kind("batch/v1", "Job", Workload, "jobs", True),
    Kind("v1", "Service", Service, "services", True),
)

KINDS: Final = {(kind.api_version, kind.kind): kind for kind in _ALL}
FIELDS: Final = {one.field: one for one in (*_ALL, *reversed(_ALL))}
"""The fields of a World that hold objects, with the first kind that goes there."""


def kind_of(field: str, one: Struct) -> Kind:
    """Give the kind of an object by the field that holds it."""
    first = FIELDS[field]
    if isinstance(one, first.struct):
        return first
    return next(kind for kind in _ALL if kind.field == field and isinstance(one, kind.struct))
