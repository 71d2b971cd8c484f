"""Pods and daemon sets: the fields that decide where a pod may run."""

from typing import Literal

import msgspec

from nodewright.model.metadata import (
    Condition,
    LabelSelector,
    NodeSelectorTerm,
    ObjectMeta,
    Struct,
    Toleration,
)

type Amounts = dict[str, str | int | float]
"""A resource list as written: quantities are read later, so one bad pod spoils only itself."""


class ResourceRequirements(Struct, frozen=True):
    """What a container or a pod asks for."""

    requests: Amounts = {}
    limits: Amounts = {}
    claims: tuple[dict[str, str], ...] = ()


class ContainerPort(Struct, frozen=True):
    """A port that a container opens, on the host too where `host_port` is set."""

    container_port: int = 0
    host_port: int = 0
    host_ip: str = msgspec.field(default="", name="hostIP")
    protocol: str = "TCP"


class Container(Struct, frozen=True):
    """One container: what it asks for, its ports, and whether an init container stays on."""

    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restart_policy: str = ""


class NodeSelector(Struct, frozen=True):
    """Terms of which one must hold."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class PreferredSchedulingTerm(Struct, frozen=True):
    """A wish about the node, with its weight."""

    weight: int
    preference: NodeSelectorTerm = NodeSelectorTerm()


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class NodeAffinity(Struct, frozen=True):
    """Where a pod must or would like to run, by node labels."""

    required: NodeSelector | None = msgspec.field(default=None, name=_REQUIRED)
    preferred: tuple[PreferredSchedulingTerm, ...] = msgspec.field(default=(), name=_PREFERRED)


class PodAffinityTerm(Struct, frozen=True):
    """Pods to be near to or far from, within one domain of a topology key."""

    topology_key: str
    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


class WeightedPodAffinityTerm(Struct, frozen=True):
    """A wish about neighbours, with its weight."""

    weight: int
    pod_affinity_term: PodAffinityTerm


class PodAffinity(Struct, frozen=True):
    """Affinity or anti-affinity to other pods."""

    required: tuple[PodAffinityTerm, ...] = msgspec.field(default=(), name=_REQUIRED)
    preferred: tuple[WeightedPodAffinityTerm, ...] = msgspec.field(default=(), name=_PREFERRED)


class Affinity(Struct, frozen=True):
    """All affinities of a pod."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class TopologySpreadConstraint(Struct, frozen=True):
    """How evenly pods of a kind are to lie over the domains of a topology key."""

    max_skew: int
    topology_key: str
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"] = "DoNotSchedule"
    label_selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: tuple[str, ...] = ()


class PersistentVolumeClaimRef(Struct, frozen=True):
    """A volume that is a claim by name."""

    claim_name: str
    read_only: bool = False


class ClaimTemplateSpec(Struct, frozen=True):
    """The claim that an ephemeral volume will make."""

    storage_class_name: str | None = None
    access_modes: tuple[str, ...] = ()
    volume_name: str = ""


class ClaimTemplate(Struct, frozen=True):
    """A claim to be made with the pod."""

    spec: ClaimTemplateSpec = ClaimTemplateSpec()


class EphemeralVolume(Struct, frozen=True):
    """A volume that lives as long as its pod."""

    volume_claim_template: ClaimTemplate | None = None


class PodVolume(Struct, frozen=True):
    """A volume of a pod; only claims and ephemeral ones matter to placement."""

    name: str = ""
    persistent_volume_claim: PersistentVolumeClaimRef | None = None
    ephemeral: EphemeralVolume | None = None


class SchedulingGate(Struct, frozen=True):
    """Something that holds a pod back from scheduling."""

    name: str = ""


class PodResourceClaim(Struct, frozen=True):
    """A device claim (dynamic resource allocation)."""

    name: str = ""


class PodSpec(Struct, frozen=True):
    """The wishes of a pod."""

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_name: str = ""
    node_selector: dict[str, str] = {}
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    volumes: tuple[PodVolume, ...] = ()
    overhead: Amounts = {}
    resources: ResourceRequirements | None = None
    resource_claims: tuple[PodResourceClaim, ...] = ()
    scheduling_gates: tuple[SchedulingGate, ...] = ()
    priority: int | None = None
    priority_class_name: str = ""
    scheduler_name: str = ""
    restart_policy: str = ""
    termination_grace_period_seconds: int | None = None
    host_network: bool = False


class ContainerStatus(Struct, frozen=True):
    """What the kubelet has set aside for a container (in-place resize)."""

    name: str = ""
    allocated_resources: Amounts = {}
    resources: ResourceRequirements | None = None


class PodStatus(Struct, frozen=True):
    """What has become of a pod."""

    phase: str = ""
    conditions: tuple[Condition, ...] = ()
    nominated_node_name: str = ""
    start_time: str | None = None
    container_statuses: tuple[ContainerStatus, ...] = ()


class Pod(Struct, frozen=True):
    """A pod."""

    metadata: ObjectMeta
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def key(self) -> str:
        """The pod's name with its namespace, as everything outside calls it."""
        return f"{self.metadata.namespace or 'default'}/{self.metadata.name}"


class PodTemplate(Struct, frozen=True):
    """A pod to be made by a workload."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()


class PodTemplateObject(Struct, frozen=True):
    """A PodTemplate that stands alone, for others to refer to."""

    metadata: ObjectMeta
    template: PodTemplate = PodTemplate()


class WorkloadSpec(Struct, frozen=True):
    """What workload controllers have in common."""

    template: PodTemplate = PodTemplate()
    selector: LabelSelector | None = None
    replicas: int | None = None


class DaemonSet(Struct, frozen=True):
    """A pod for each node."""

    metadata: ObjectMeta
    spec: WorkloadSpec = WorkloadSpec()


class Workload(Struct, frozen=True):
    """A Deployment, ReplicaSet, StatefulSet or Job: an owner of pods."""

    metadata: ObjectMeta
    spec: WorkloadSpec = WorkloadSpec()


class Namespace(Struct, frozen=True):
    """A namespace with the labels that selectors look at."""

    metadata: ObjectMeta


class ServiceSpec(Struct, frozen=True):
    """Which pods a service stands for."""

    selector: dict[str, str] = {}


class Service(Struct, frozen=True):
    """A service, as far as it groups pods."""

    metadata: ObjectMeta
    spec: ServiceSpec = ServiceSpec()
