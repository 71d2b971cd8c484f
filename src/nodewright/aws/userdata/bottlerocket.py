"""Bottlerocket: settings in TOML. Ours replace the user's under `settings.kubernetes`.

Labels are merged, ours win; taints are replaced as a whole; every other table stays as it is. Local
disks are joined by a command that runs before the kubelet.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from nodewright.aws.userdata.draft import BadUserData, Draft
from nodewright.aws.userdata.toml import write_toml

_MOUNT: Final = "000-mount-instance-storage"
_DIRECTORIES: Final = ("/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods")
_BINDS_BY_ITSELF: Final = (1, 46)
_VERSION: Final = re.compile(r"v?(\d+)\.(\d+)")


def write_bottlerocket(draft: Draft) -> str:
    """Write the user's settings with ours in them."""
    document = _read(draft.written)
    settings = _table(document, "settings")
    kubernetes = _table(settings, "kubernetes")
    labels = {**_table(kubernetes, "node-labels"), **draft.node_labels}
    kubernetes.update(_kubernetes(draft))
    kubernetes["node-labels"] = dict(sorted(labels.items()))
    kubernetes["node-taints"] = _taints(draft)
    if draft.joins_disks:
        _table(settings, "bootstrap-commands")[_MOUNT] = {
            "commands": [
                ["apiclient", "ephemeral-storage", "init"],
                ["apiclient", "ephemeral-storage", "bind", *_directories(draft.image_version)],
            ],
            "mode": "always",
            "essential": True,
        }
    return write_toml(document)


def _read(written: str) -> dict[str, Any]:
    try:
        return tomllib.loads(written)
    except tomllib.TOMLDecodeError as error:
        raise BadUserData(f"this is not TOML, which Bottlerocket reads: {error}") from error


def _table(parent: dict[str, Any], name: str) -> dict[str, Any]:
    table = parent.setdefault(name, {})
    if not isinstance(table, dict):
        raise BadUserData(f"{name} is not a table", advice=f"write [{name}] or remove it")
    return table


def _kubernetes(draft: Draft) -> dict[str, Any]:
    kubelet, cluster = draft.settings, draft.cluster
    found: dict[str, Any] = {
        "cluster-name": cluster.name,
        "api-server": cluster.endpoint,
        "cluster-certificate": cluster.authority,
        "cluster-dns-ip": draft.dns[0] if draft.dns else "",
        "max-pods": draft.max_pods,
        "system-reserved": _texts(kubelet.system_reserved),
        "kube-reserved": _texts(kubelet.kube_reserved),
        "eviction-hard": _texts(kubelet.eviction_hard),
        "eviction-soft": _texts(kubelet.eviction_soft),
        "eviction-soft-grace-period": _texts(kubelet.eviction_soft_grace_period),
        "eviction-max-pod-grace-period": kubelet.eviction_max_pod_grace_period,
        "image-gc-high-threshold-percent": _text(kubelet.image_gc_high_threshold_percent),
        "image-gc-low-threshold-percent": _text(kubelet.image_gc_low_threshold_percent),
        "cpu-cfs-quota-enforced": kubelet.cpu_cfs_quota,
    }
    return {name: value for name, value in found.items() if value not in ("", None, {})}


def _taints(draft: Draft) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in draft.node_taints:
        found.setdefault(one.key, []).append(f"{one.value}:{one.effect}")
    return found


def _directories(version: str) -> list[str]:
    """Name what is bound to the disks, for versions that may not know it by themselves."""
    found = _VERSION.match(version)
    if version == "latest" or (found and (int(found[1]), int(found[2])) >= _BINDS_BY_ITSELF):
        return []
    return ["--dirs", *_DIRECTORIES]


def _texts(amounts: Mapping[str, object]) -> dict[str, str]:
    return {key: str(value) for key, value in sorted(amounts.items())}


def _text(number: int | None) -> str:
    return "" if number is None else str(number)
