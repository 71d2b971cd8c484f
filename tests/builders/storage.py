"""Storage classes, volumes and claims on them, all of one test driver."""

from collections.abc import Sequence

from builders.labels import want
from nodewright.model.labels import (
    ZONE,
)
from nodewright.model.metadata import (
    NodeSelectorTerm,
    ObjectMeta,
)
from nodewright.model.volume import (
    CSIAllocatable,
    CSINode,
    CSINodeDriver,
    CSINodeSpec,
    CSISource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus,
    PersistentVolumeSpec,
    StorageClass,
    TopologySelectorLabelRequirement,
    TopologySelectorTerm,
    VolumeNodeAffinity,
    VolumeNodeSelector,
)

DRIVER = "disk.csi.example.com"


def a_storage_class(
    name: str = "disk", *, zones: Sequence[str] = (), binding: str = "WaitForFirstConsumer"
) -> StorageClass:
    """A storage class of the test driver, in all zones unless told."""
    topology = TopologySelectorTerm(
        match_label_expressions=(TopologySelectorLabelRequirement(key=ZONE, values=tuple(zones)),)
    )
    return StorageClass(
        metadata=ObjectMeta(name=name),
        provisioner=DRIVER,
        volume_binding_mode=binding,
        allowed_topologies=(topology,) if zones else (),
    )


def a_volume_claim(
    name: str = "data",
    *,
    volume: str = "",
    storage_class: str | None = "disk",
    modes: Sequence[str] = ("ReadWriteOnce",),
    namespace: str = "default",
) -> PersistentVolumeClaim:
    """A claim on storage: bound where a volume is named, else waiting for its pod."""
    return PersistentVolumeClaim(
        metadata=ObjectMeta(
            name=name,
            namespace=namespace,
            annotations={"pv.kubernetes.io/bind-completed": "yes"} if volume else {},
        ),
        spec=PersistentVolumeClaimSpec(
            volume_name=volume, storage_class_name=storage_class, access_modes=tuple(modes)
        ),
        status=PersistentVolumeClaimStatus(phase="Bound" if volume else "Pending"),
    )


def a_volume(name: str = "volume", *, zones: Sequence[str] = ()) -> PersistentVolume:
    """A volume of the test driver that can be reached from these zones (each one a term)."""
    terms = tuple(NodeSelectorTerm(match_expressions=(want(ZONE, "In", zone),)) for zone in zones)
    affinity = VolumeNodeAffinity(required=VolumeNodeSelector(node_selector_terms=terms))
    return PersistentVolume(
        metadata=ObjectMeta(name=name),
        spec=PersistentVolumeSpec(
            node_affinity=affinity if zones else None,
            csi=CSISource(driver=DRIVER, volume_handle=name),
        ),
    )


def a_csi_node(node: str, count: int) -> CSINode:
    """How many volumes of the test driver a node can hold."""
    driver = CSINodeDriver(name=DRIVER, allocatable=CSIAllocatable(count=count))
    return CSINode(metadata=ObjectMeta(name=node), spec=CSINodeSpec(drivers=(driver,)))
