"""Names that Karpenter and Kubernetes put on nodes, claims and pods, and which keys mean the same.

The well-known keys are those that an instance type or the provider fills in, so a pod may ask for
them although no NodePool defines them. Restricted keys belong to the autoscaler.
"""

from collections.abc import Mapping
from typing import Final

NODEPOOL: Final = "karpenter.sh/nodepool"
CAPACITY_TYPE: Final = "karpenter.sh/capacity-type"
REGISTERED: Final = "karpenter.sh/registered"
INITIALIZED: Final = "karpenter.sh/initialized"
DO_NOT_SYNC_TAINTS: Final = "karpenter.sh/do-not-sync-taints"
DO_NOT_DISRUPT: Final = "karpenter.sh/do-not-disrupt"
ZONE: Final = "topology.kubernetes.io/zone"
REGION: Final = "topology.kubernetes.io/region"
ZONE_ID: Final = "topology.k8s.aws/zone-id"
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
ARCH: Final = "kubernetes.io/arch"
OS: Final = "kubernetes.io/os"
HOSTNAME: Final = "kubernetes.io/hostname"
WINDOWS_BUILD: Final = "node.kubernetes.io/windows-build"
AWS_GROUP: Final = "karpenter.k8s.aws"
EC2NODECLASS: Final = "karpenter.k8s.aws/ec2nodeclass"
RESERVATION_ID: Final = "karpenter.k8s.aws/capacity-reservation-id"
RESERVATION_TYPE: Final = "karpenter.k8s.aws/capacity-reservation-type"
RESERVATION_INTERRUPTIBLE: Final = "karpenter.k8s.aws/capacity-reservation-interruptible"
PLACEMENT_GROUP_ID: Final = "karpenter.k8s.aws/placement-group-id"
PLACEMENT_GROUP_PARTITION: Final = "karpenter.k8s.aws/placement-group-partition"

UNREGISTERED_TAINT: Final = "karpenter.sh/unregistered"
DISRUPTED_TAINT: Final = "karpenter.sh/disrupted"
TERMINATION_FINALIZER: Final = "karpenter.sh/termination"
READINESS_TAINT_PREFIX: Final = "readiness.k8s.io/"

ON_DEMAND: Final = "on-demand"
SPOT: Final = "spot"
RESERVED: Final = "reserved"

_AWS_INSTANCE_LABELS: Final = (
    "accelerator-count",
    "accelerator-manufacturer",
    "accelerator-name",
    "capability-flex",
    "category",
    "cpu",
    "cpu-manufacturer",
    "cpu-sustained-clock-speed-mhz",
    "ebs-bandwidth",
    "encryption-in-transit-supported",
    "family",
    "generation",
    "gpu-count",
    "gpu-manufacturer",
    "gpu-memory",
    "gpu-name",
    "hypervisor",
    "local-nvme",
    "memory",
    "network-bandwidth",
    "size",
    "tenancy",
)

WELL_KNOWN_CORE: Final = frozenset(
    {NODEPOOL, ZONE, REGION, INSTANCE_TYPE, ARCH, OS, CAPACITY_TYPE, WINDOWS_BUILD}
)
WELL_KNOWN: Final = WELL_KNOWN_CORE | {
    ZONE_ID,
    RESERVATION_ID,
    RESERVATION_TYPE,
    RESERVATION_INTERRUPTIBLE,
    f"{AWS_GROUP}/nitro-sandbox",
    PLACEMENT_GROUP_ID,
    PLACEMENT_GROUP_PARTITION,
    *(f"{AWS_GROUP}/instance-{name}" for name in _AWS_INSTANCE_LABELS),
}

RESTRICTED_DOMAINS: Final = ("karpenter.sh", AWS_GROUP)

_ALIASES: Final = {
    "failure-domain.beta.kubernetes.io/zone": ZONE,
    "failure-domain.beta.kubernetes.io/region": REGION,
    "beta.kubernetes.io/arch": ARCH,
    "beta.kubernetes.io/os": OS,
    "beta.kubernetes.io/instance-type": INSTANCE_TYPE,
    "topology.ebs.csi.aws.com/zone": ZONE,
}


def add_aliases(labels: Mapping[str, str]) -> dict[str, str]:
    """Give labels with the older names of their keys beside them, as nodes of a cloud have them."""
    older = {old: labels[key] for old, key in _ALIASES.items() if key in labels}
    return {**older, **labels}


def normalize_key(key: str) -> str:
    """Give today's name of a label key."""
    return _ALIASES.get(key, key)


def is_restricted(key: str, well_known: frozenset[str] = WELL_KNOWN) -> bool:
    """Tell whether a key belongs to the autoscaler, so that users may not ask for or set it."""
    if key in well_known:
        return False
    if key == HOSTNAME:
        return True
    domain = key.split("/", 1)[0] if "/" in key else ""
    return any(domain == own or domain.endswith(f".{own}") for own in RESTRICTED_DOMAINS)
