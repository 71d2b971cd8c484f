"""Worlds: any objects, in any order."""

from collections.abc import Mapping, Sequence

from builders.nodes import a_pool
from nodewright.model.capacitybuffer import CapacityBuffer
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.instance import InstanceType
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepolicy import NodePolicy
from nodewright.model.nodepool import (
    NodePool,
)
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
from nodewright.model.world import BadPod, Options, World

NOW_MS = 1_790_000_000_000

_FIELDS: Mapping[type, str] = {
    Pod: "pods",
    BadPod: "bad_pods",
    Node: "nodes",
    NodeClaim: "node_claims",
    NodePool: "node_pools",
    NodePolicy: "node_policies",
    NodeOverlay: "node_overlays",
    EC2NodeClass: "node_classes",
    DaemonSet: "daemon_sets",
    Namespace: "namespaces",
    PersistentVolumeClaim: "volume_claims",
    PersistentVolume: "volumes",
    StorageClass: "storage_classes",
    CSINode: "csi_nodes",
    VolumeAttachment: "volume_attachments",
    PodDisruptionBudget: "disruption_budgets",
    Workload: "replica_sets",
    CapacityBuffer: "capacity_buffers",
    PodTemplateObject: "pod_templates",
    Service: "services",
}


def a_world(
    *things: object,
    types: Mapping[str, Sequence[InstanceType]] | None = None,
    now_ms: int = NOW_MS,
    **options: object,
) -> World:
    """A World of these objects (tuples of them too).

    Instance types among them are on sale in every pool; `types` gives pools their own. Without any
    NodePool there is one, named default. What is left are `Options` by name.
    """
    found: dict[str, list[object]] = {field: [] for field in _FIELDS.values()}
    on_sale: list[InstanceType] = []
    rest = list(things)
    while rest:
        thing = rest.pop(0)
        if isinstance(thing, tuple | list):
            rest[:0] = thing
        elif isinstance(thing, InstanceType):
            on_sale.append(thing)
        else:
            found[_FIELDS[type(thing)]].append(thing)
    if not found["node_pools"]:
        found["node_pools"].append(a_pool())
    names = [pool.metadata.name for pool in found["node_pools"] if isinstance(pool, NodePool)]
    return World(
        now_ms=now_ms,
        instance_types={name: tuple((types or {}).get(name, on_sale)) for name in names},
        options=Options(**options),
        **{field: tuple(ones) for field, ones in found.items()},
    )
