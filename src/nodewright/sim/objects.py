"""The kinds that a whole cluster has beside those that an autoscaler reads.

Where an autoscaler knows a kind too, the struct here is a wider one that can stand in for it:
workloads with their counters, budgets with their bookkeeping.
"""

from typing import Any, Final

from nodewright.model import resource as known
from nodewright.model.metadata import LabelSelector, ObjectMeta, Struct
from nodewright.model.pdb import PodDisruptionBudget, PodDisruptionBudgetStatus
from nodewright.model.pod import DaemonSet, Workload, WorkloadSpec
from nodewright.model.resource import Resource
from nodewright.model.volume import PersistentVolumeClaim, VolumeAttachment


class WorkloadStatus(Struct, frozen=True):
    """How many pods a workload has, and how many of them are well."""

    observed_generation: int = 0
    replicas: int = 0
    ready_replicas: int = 0
    updated_replicas: int = 0
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    completion_time: str | None = None
    last_schedule_time: str | None = None


class RollingUpdate(Struct, frozen=True):
    """How many pods a rollout may add or miss."""

    max_surge: int | str = "25%"
    max_unavailable: int | str = "25%"


class Strategy(Struct, frozen=True):
    """How a workload replaces its pods."""

    type: str = "RollingUpdate"
    rolling_update: RollingUpdate = RollingUpdate()


class DeploymentSpec(WorkloadSpec, frozen=True):
    """The wishes of a Deployment."""

    strategy: Strategy = Strategy()


class Deployment(Workload, frozen=True):
    """Replicas with rollouts."""

    spec: DeploymentSpec = DeploymentSpec()
    status: WorkloadStatus = WorkloadStatus()


class ReplicaSet(Workload, frozen=True):
    """So many pods of one template."""

    status: WorkloadStatus = WorkloadStatus()


class StatefulSetSpec(WorkloadSpec, frozen=True):
    """The wishes of a StatefulSet."""

    service_name: str = ""
    pod_management_policy: str = "OrderedReady"
    volume_claim_templates: tuple[PersistentVolumeClaim, ...] = ()


class StatefulSet(Workload, frozen=True):
    """Numbered pods with volumes of their own."""

    spec: StatefulSetSpec = StatefulSetSpec()
    status: WorkloadStatus = WorkloadStatus()


class SimDaemonSet(DaemonSet, frozen=True):
    """A pod for each node, with counters."""

    status: WorkloadStatus = WorkloadStatus()


class JobSpec(WorkloadSpec, frozen=True):
    """The wishes of a Job."""

    completions: int | None = None
    parallelism: int | None = None
    backoff_limit: int = 6
    ttl_seconds_after_finished: int | None = None


class Job(Workload, frozen=True):
    """Pods that run to an end."""

    spec: JobSpec = JobSpec()
    status: WorkloadStatus = WorkloadStatus()


class JobTemplate(Struct, frozen=True):
    """A job to be made."""

    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()


class CronJobSpec(Struct, frozen=True):
    """When to make jobs, and which."""

    schedule: str = ""
    job_template: JobTemplate = JobTemplate()
    concurrency_policy: str = "Allow"
    suspend: bool = False


class CronJob(Struct, frozen=True):
    """Jobs by the calendar."""

    metadata: ObjectMeta
    spec: CronJobSpec = CronJobSpec()
    status: WorkloadStatus = WorkloadStatus()


class BudgetStatus(PodDisruptionBudgetStatus, frozen=True):
    """What a budget allows now, and from which numbers."""

    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    observed_generation: int = 0


class Budget(PodDisruptionBudget, frozen=True):
    """A PodDisruptionBudget with its bookkeeping."""

    status: BudgetStatus = BudgetStatus()


class PriorityClass(Struct, frozen=True):
    """How important pods are."""

    metadata: ObjectMeta
    value: int = 0
    global_default: bool = False
    preemption_policy: str = "PreemptLowerPriority"


class LeaseSpec(Struct, frozen=True):
    """Who leads, and until when."""

    holder_identity: str = ""
    lease_duration_seconds: int = 15
    acquire_time: str | None = None
    renew_time: str | None = None
    lease_transitions: int = 0


class Lease(Struct, frozen=True):
    """A lock with a time limit."""

    metadata: ObjectMeta
    spec: LeaseSpec = LeaseSpec()


class Regarding(Struct, frozen=True):
    """What an Event is about."""

    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""


class Event(Struct, frozen=True):
    """Something that was said about an object."""

    metadata: ObjectMeta
    regarding: Regarding = Regarding()
    reason: str = ""
    note: str = ""
    type: str = "Normal"


class AttachmentStatus(Struct, frozen=True):
    """Whether a volume is there."""

    attached: bool = False


class Attachment(VolumeAttachment, frozen=True):
    """A VolumeAttachment with its state."""

    status: AttachmentStatus = AttachmentStatus()


DEPLOYMENTS: Final = Resource(
    "apps", "v1", "Deployment", "deployments", Deployment, namespaced=True
)
REPLICA_SETS: Final = Resource(
    "apps", "v1", "ReplicaSet", "replicasets", ReplicaSet, namespaced=True
)
STATEFUL_SETS: Final = Resource(
    "apps", "v1", "StatefulSet", "statefulsets", StatefulSet, namespaced=True
)
DAEMON_SETS: Final = Resource(
    "apps", "v1", "DaemonSet", "daemonsets", SimDaemonSet, namespaced=True
)
JOBS: Final = Resource("batch", "v1", "Job", "jobs", Job, namespaced=True)
CRON_JOBS: Final = Resource("batch", "v1", "CronJob", "cronjobs", CronJob, namespaced=True)
BUDGETS: Final = Resource(
    "policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", Budget, namespaced=True
)
PRIORITY_CLASSES: Final = Resource(
    "scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", PriorityClass
)
LEASES: Final = Resource("coordination.k8s.io", "v1", "Lease", "leases", Lease, namespaced=True)
EVENTS: Final = Resource("events.k8s.io", "v1", "Event", "events", Event, namespaced=True)
ATTACHMENTS: Final = Resource(
    "storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", Attachment
)

_WIDER: Final[tuple[Resource[Any], ...]] = (
    DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS, DAEMON_SETS, JOBS, CRON_JOBS, BUDGETS,
    PRIORITY_CLASSES, LEASES, EVENTS, ATTACHMENTS,
)  # fmt: skip
# A cluster without KWOK and without what is served as v1 today; the kinds of v1alpha5 are there.
_ABSENT: Final = (
    known.KWOK_NODE_CLASSES, known.BETA_NODE_POOLS, known.BETA_NODE_CLAIMS, known.BETA_NODE_CLASSES,
)  # fmt: skip
SERVED: Final = tuple(one for one in known.WATCHED if one not in _ABSENT)
RESOURCES: Final[dict[str, Resource[Any]]] = {
    **{one.kind: one for one in SERVED},
    **{one.kind: one for one in _WIDER},
}

PHASE_ENDED: Final = ("Succeeded", "Failed")


def match_all(**labels: str) -> LabelSelector:
    """Give a selector of exactly these labels."""
    return LabelSelector(match_labels=labels)
