"""The kubelet settings of an EC2NodeClass that the autoscaler itself understands.

`spec.kubelet` is an open object: whatever the kubelet's own file may hold passes through on AL2023.
This struct holds the fields that change how many pods fit on a node, or that other families can
express. Where a value may also be an expression it is kept as text.
"""

import re
from typing import Final

import msgspec

from nodewright.model.expression import VARIABLES
from nodewright.model.metadata import Struct
from nodewright.model.quantity import BadQuantity, parse_quantity

INTERPRETED: Final = frozenset(
    [
        "clusterDNS",
        "maxPods",
        "podsPerCore",
        "systemReserved",
        "kubeReserved",
        "evictionHard",
        "evictionSoft",
        "evictionSoftGracePeriod",
        "evictionMaxPodGracePeriod",
        "imageGCHighThresholdPercent",
        "imageGCLowThresholdPercent",
        "cpuCFSQuota",
    ]
)
"""Fields that are understood on every family of images that we write user data for."""

_BOOLEANS: Final = (
    "enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers "
    "enableContentionProfiling cgroupsPerQOS singleProcessOOMKill runOnce cpuCFSQuota "
    "serializeImagePulls mergeDefaultEvictionSettings enableControllerAttachDetach "
    "protectKernelDefaults makeIPTablesUtilChains failSwapOn kernelMemcgNotification "
    "enableSystemLogHandler enableSystemLogQuery enableProfilingHandler enableDebugFlagsHandler "
    "seccompDefault registerNode localStorageCapacityIsolation failCgroupV1"
)
_INTEGERS: Final = (
    "port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst healthzPort "
    "oomScoreAdj nodeLeaseDurationSeconds imageGCHighThresholdPercent imageGCLowThresholdPercent "
    "podPidsLimit nodeStatusMaxImages maxOpenFiles kubeAPIQPS kubeAPIBurst maxParallelImagePulls "
    "evictionMaxPodGracePeriod podsPerCore iptablesMasqueradeBit iptablesDropBit "
    "containerLogMaxFiles containerLogMaxWorkers"
)
_TEXTS: Final = (
    "staticPodPath podLogsDir syncFrequency fileCheckFrequency httpCheckFrequency staticPodURL "
    "address tlsCertFile tlsPrivateKeyFile tlsMinVersion imagePullCredentialsVerificationPolicy "
    "healthzBindAddress clusterDomain streamingConnectionIdleTimeout nodeStatusUpdateFrequency "
    "nodeStatusReportFrequency imageMinimumGCAge imageMaximumGCAge volumeStatsAggPeriod "
    "kubeletCgroups systemCgroups cgroupRoot cgroupDriver cpuManagerPolicy "
    "cpuManagerReconcilePeriod memoryManagerPolicy topologyManagerPolicy topologyManagerScope "
    "runtimeRequestTimeout hairpinMode podCIDR resolvConf cpuCFSQuotaPeriod contentType "
    "evictionPressureTransitionPeriod containerLogMaxSize containerLogMonitorInterval "
    "configMapAndSecretChangeDetectionStrategy reservedSystemCPUs showHiddenMetricsForVersion "
    "systemReservedCgroup kubeReservedCgroup volumePluginDir providerID shutdownGracePeriod "
    "shutdownGracePeriodCriticalPods containerRuntimeEndpoint imageServiceEndpoint"
)
_LISTS: Final = (
    "tlsCipherSuites preloadedImagesVerificationAllowlist clusterDNS enforceNodeAllocatable "
    "allowedUnsafeSysctls shutdownGracePeriodByPodPriority reservedMemory registerWithTaints"
)
_OBJECTS: Final = (
    "staticPodURLHeader authentication authorization cpuManagerPolicyOptions "
    "topologyManagerPolicyOptions qosReserved evictionHard evictionSoft evictionSoftGracePeriod "
    "evictionMinimumReclaim featureGates memorySwap systemReserved kubeReserved logging "
    "crashLoopBackOff tracing userNamespaces"
)

FIELDS: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(_BOOLEANS.split(), (bool,)),
    **dict.fromkeys(_INTEGERS.split(), (int,)),
    **dict.fromkeys(_TEXTS.split(), (str,)),
    **dict.fromkeys(_LISTS.split(), (list, tuple)),
    **dict.fromkeys(_OBJECTS.split(), (dict,)),
    "maxPods": (int, str),
    "memoryThrottlingFactor": (int, float),
}
"""Every field of the kubelet's configuration file and what it may be."""


class KubeletConfiguration(Struct, frozen=True):
    """The settings that are interpreted."""

    cluster_dns: tuple[str, ...] = msgspec.field(default=(), name="clusterDNS")
    max_pods: int | str | None = None
    pods_per_core: int | None = None
    system_reserved: dict[str, str | int | float] = {}
    kube_reserved: dict[str, str | int | float] = {}
    eviction_hard: dict[str, str | int | float] = {}
    eviction_soft: dict[str, str | int | float] = {}
    eviction_soft_grace_period: dict[str, str] = {}
    eviction_max_pod_grace_period: int | None = None
    image_gc_high_threshold_percent: int | None = msgspec.field(
        default=None, name="imageGCHighThresholdPercent"
    )
    image_gc_low_threshold_percent: int | None = msgspec.field(
        default=None, name="imageGCLowThresholdPercent"
    )
    cpu_cfs_quota: bool | None = msgspec.field(default=None, name="cpuCFSQuota")


_REMINDS: Final = re.compile(rf"[*/%()<>=!&|?]|\s[-+]|\b(?:{'|'.join(VARIABLES)})\b")


def is_expression(value: object) -> bool:
    """Tell whether an amount is to be worked out: no quantity, but something with signs or variables."""
    if not isinstance(value, str):
        return False
    try:
        parse_quantity(value)
    except BadQuantity:
        return _REMINDS.search(value) is not None
    return False


def read_kubelet(raw: dict[str, object]) -> KubeletConfiguration:
    """Read the interpreted settings; raises `msgspec.ValidationError` where a type is wrong."""
    return msgspec.convert(raw, KubeletConfiguration)
