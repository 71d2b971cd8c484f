"""Storage as far as it says where a pod may run."""

import msgspec

from nodewright.model.metadata import NodeSelectorTerm, ObjectMeta, Struct


class PersistentVolumeClaimSpec(Struct, frozen=True):
    """What a claim asks for."""

    volume_name: str = ""
    storage_class_name: str | None = None
    access_modes: tuple[str, ...] = ()


class PersistentVolumeClaimStatus(Struct, frozen=True):
    """Whether a claim is bound."""

    phase: str = ""


class PersistentVolumeClaim(Struct, frozen=True):
    """A claim on storage."""

    metadata: ObjectMeta
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()


class VolumeNodeSelector(Struct, frozen=True):
    """Terms of which one must hold."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class VolumeNodeAffinity(Struct, frozen=True):
    """From where a volume can be reached."""

    required: VolumeNodeSelector | None = None


class CSISource(Struct, frozen=True):
    """A volume of a CSI driver."""

    driver: str = ""
    volume_handle: str = ""


class PersistentVolumeSpec(Struct, frozen=True):
    """A volume: its driver and where it lies."""

    node_affinity: VolumeNodeAffinity | None = None
    storage_class_name: str = ""
    csi: CSISource | None = None
    local: dict[str, object] | None = None
    host_path: dict[str, object] | None = None
    aws_elastic_block_store: dict[str, object] | None = None
    gce_persistent_disk: dict[str, object] | None = msgspec.field(
        default=None, name="gcePersistentDisk"
    )
    azure_disk: dict[str, object] | None = None


class PersistentVolume(Struct, frozen=True):
    """A volume."""

    metadata: ObjectMeta
    spec: PersistentVolumeSpec = PersistentVolumeSpec()


class TopologySelectorLabelRequirement(Struct, frozen=True):
    """Values of one label where a class may make volumes."""

    key: str
    values: tuple[str, ...] = ()


class TopologySelectorTerm(Struct, frozen=True):
    """Labels that must all hold."""

    match_label_expressions: tuple[TopologySelectorLabelRequirement, ...] = ()


class StorageClass(Struct, frozen=True):
    """How volumes are made, and where."""

    metadata: ObjectMeta
    provisioner: str = ""
    volume_binding_mode: str = "Immediate"
    allowed_topologies: tuple[TopologySelectorTerm, ...] = ()


class CSIAllocatable(Struct, frozen=True):
    """How many volumes a driver attaches to a node."""

    count: int | None = None


class CSINodeDriver(Struct, frozen=True):
    """A driver on a node."""

    name: str
    allocatable: CSIAllocatable | None = None


class CSINodeSpec(Struct, frozen=True):
    """The drivers of a node."""

    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(Struct, frozen=True):
    """What the storage drivers of a node can do."""

    metadata: ObjectMeta
    spec: CSINodeSpec = CSINodeSpec()


class VolumeAttachmentSource(Struct, frozen=True):
    """What is attached."""

    persistent_volume_name: str | None = None


class VolumeAttachmentSpec(Struct, frozen=True):
    """What is attached where, by whom."""

    attacher: str = ""
    node_name: str = ""
    source: VolumeAttachmentSource = VolumeAttachmentSource()


class VolumeAttachment(Struct, frozen=True):
    """A volume held by a node."""

    metadata: ObjectMeta
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
