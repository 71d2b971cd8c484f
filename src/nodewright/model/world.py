"""World: everything that a decision may know, and the instant at which it was true."""

from collections.abc import Mapping

import msgspec

from nodewright.model.beside import Beside
from nodewright.model.capacitybuffer import CapacityBuffer
from nodewright.model.instance import InstanceType
from nodewright.model.labels import RESERVATION_ID, WELL_KNOWN
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import NodeClass
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
    TopologySpreadConstraint,
    Workload,
)
from nodewright.model.volume import (
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)


class Options(msgspec.Struct, frozen=True):
    """Settings that change what is decided."""

    preference_policy: str = "Respect"
    min_values_policy: str = "Strict"
    feature_gates: Mapping[str, bool] = {}
    well_known_labels: frozenset[str] = WELL_KNOWN
    reservation_id_label: str = RESERVATION_ID
    reserved_offering_mode: str = "Strict"
    consolidation_simulation: bool = False
    pending_rule: str = "byHand"
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()


class BadPod(msgspec.Struct, frozen=True):
    """A pod that could not be read: it is answered with what is wrong, and nothing else stops."""

    key: str
    problem: str


class World(msgspec.Struct, frozen=True):
    """One instant of a cluster, with all that can be bought for it."""

    now_ms: int
    pods: tuple[Pod, ...] = ()
    bad_pods: tuple[BadPod, ...] = ()
    nodes: tuple[Node, ...] = ()
    node_claims: tuple[NodeClaim, ...] = ()
    node_pools: tuple[NodePool, ...] = ()
    node_classes: tuple[NodeClass, ...] = ()
    node_overlays: tuple[NodeOverlay, ...] = ()
    node_policies: tuple[NodePolicy, ...] = ()
    capacity_buffers: tuple[CapacityBuffer, ...] = ()
    pod_templates: tuple[PodTemplateObject, ...] = ()
    daemon_sets: tuple[DaemonSet, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    volume_claims: tuple[PersistentVolumeClaim, ...] = ()
    volumes: tuple[PersistentVolume, ...] = ()
    storage_classes: tuple[StorageClass, ...] = ()
    csi_nodes: tuple[CSINode, ...] = ()
    volume_attachments: tuple[VolumeAttachment, ...] = ()
    disruption_budgets: tuple[PodDisruptionBudget, ...] = ()
    replica_sets: tuple[Workload, ...] = ()
    deployments: tuple[Workload, ...] = ()
    stateful_sets: tuple[Workload, ...] = ()
    jobs: tuple[Workload, ...] = ()
    services: tuple[Service, ...] = ()
    instance_types: Mapping[str, tuple[InstanceType, ...]] = {}
    options: Options = Options()
    beside: Beside = Beside()
