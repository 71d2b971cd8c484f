"""The kubelet's command line, for families whose bootstrap script takes it as one text.

The order is fixed. Values that a shell would take apart stand in double quotes; names and amounts
that Kubernetes allows hold nothing that needs more than that.
"""

from collections.abc import Iterator, Mapping

from nodewright.aws.userdata.draft import Draft, print_taint

type Amounts = Mapping[str, str | int | float]


def kubelet_flags(draft: Draft) -> str:
    """Write everything that the draft asks of the kubelet."""
    return " ".join(_flags(draft))


def print_pairs(pairs: Amounts, separator: str = "=") -> str:
    """Write `a=1,b=2`, in order of key."""
    return ",".join(f"{key}{separator}{value}" for key, value in sorted(pairs.items()))


def _flags(draft: Draft) -> Iterator[str]:
    kubelet = draft.settings
    yield f'--node-labels="{print_pairs(draft.node_labels)}"'
    yield f'--register-with-taints="{",".join(map(print_taint, draft.node_taints))}"'
    yield f"--max-pods={draft.max_pods}"
    if kubelet.pods_per_core is not None:
        yield f"--pods-per-core={kubelet.pods_per_core}"
    for name, pairs, separator in (
        ("system-reserved", kubelet.system_reserved, "="),
        ("kube-reserved", kubelet.kube_reserved, "="),
        ("eviction-hard", kubelet.eviction_hard, "<"),
        ("eviction-soft", kubelet.eviction_soft, "<"),
        ("eviction-soft-grace-period", kubelet.eviction_soft_grace_period, "="),
    ):
        if pairs:
            yield f'--{name}="{print_pairs(pairs, separator)}"'
    for name, number in (
        ("eviction-max-pod-grace-period", kubelet.eviction_max_pod_grace_period),
        ("image-gc-high-threshold", kubelet.image_gc_high_threshold_percent),
        ("image-gc-low-threshold", kubelet.image_gc_low_threshold_percent),
    ):
        if number is not None:
            yield f"--{name}={number}"
    if kubelet.cpu_cfs_quota is not None:
        yield f"--cpu-cfs-quota={'true' if kubelet.cpu_cfs_quota else 'false'}"
