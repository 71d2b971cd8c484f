"""Bottlerocket: the user data is TOML, and its settings are all that there is to say.

Settings that it does not know stop the boot, as does a value of another type than the setting's.
Where no name of a cluster is given there is nothing to join.
"""

import tomllib
from typing import Any, Final

from nodewright.model.metadata import Taint
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.flags import check_labels, read_count, read_taint

_FAILED: Final = "early-boot-config: Failed to apply user data"
_KNOWN_NAMES: Final = (
    "api-server authentication-mode bootstrap-token cloud-provider cluster-certificate "
    "cluster-dns-ip cluster-domain cluster-name container-log-max-files container-log-max-size "
    "cpu-cfs-quota-enforced cpu-manager-policy cpu-manager-policy-options "
    "cpu-manager-reconcile-period credential-providers device-ownership-from-security-context "
    "event-burst event-qps eviction-hard eviction-max-pod-grace-period eviction-soft "
    "eviction-soft-grace-period hostname-override hostname-override-source ids-per-pod "
    "image-gc-high-threshold-percent image-gc-low-threshold-percent kube-api-burst kube-api-qps "
    "kube-reserved log-level max-pods memory-manager-policy memory-manager-reserved-memory "
    "memory-swap-behavior node-ip node-labels node-taints nvidia pod-infra-container-image "
    "pod-pids-limit provider-id registry-burst registry-qps reserved-cpus seccomp-default "
    "server-certificate server-key server-tls-bootstrap shutdown-grace-period "
    "shutdown-grace-period-for-critical-pods single-process-oom-kill standalone-mode static-pods "
    "system-reserved topology-manager-policy topology-manager-policy-options "
    "topology-manager-scope"
)
_KNOWN: Final = frozenset(_KNOWN_NAMES.split())
_DISKS: Final = "ephemeral-storage"


def read_bottlerocket(text: str) -> Boot:
    """Give what the settings make of the machine."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BootError(f"{_FAILED}: TOML parse error: {error}") from error
    stray = sorted(set(document) - {"settings"})
    if stray:
        raise BootError(f"{_FAILED}: unknown field `{stray[0]}`, expected `settings`")
    settings = _table(document, "settings")
    kubernetes = _table(settings, "kubernetes")
    unknown = sorted(set(kubernetes) - _KNOWN)
    if unknown:
        raise BootError(f"{_FAILED}: settings.kubernetes: unknown field `{unknown[0]}`")
    boot = _boot(kubernetes, joins_disks=_joins_disks(settings))
    if not boot.cluster_name:
        raise BootError(
            "pluto: settings.kubernetes.cluster-name is not set; kubelet.service was not started"
        )
    check_labels(boot.labels)
    return boot


def _boot(found: dict[str, Any], *, joins_disks: bool) -> Boot:
    return Boot(
        cluster_name=_text(found, "cluster-name"),
        endpoint=_text(found, "api-server"),
        authority=_text(found, "cluster-certificate"),
        cluster_dns=_texts(found.get("cluster-dns-ip", [])),
        labels=_texts_by_key(found, "node-labels"),
        taints=_taints(_table(found, "node-taints")),
        max_pods=read_count(found["max-pods"], "max-pods") if "max-pods" in found else None,
        kube_reserved=_texts_by_key(found, "kube-reserved"),
        system_reserved=_texts_by_key(found, "system-reserved"),
        eviction_hard=_texts_by_key(found, "eviction-hard"),
        joins_disks=joins_disks,
    )


def _joins_disks(settings: dict[str, Any]) -> bool:
    """Tell whether a boot command binds the pods' storage to the disks of the machine."""
    commands = settings.get("bootstrap-commands", {})
    return _DISKS in str(commands) and "bind" in str(commands)


def _taints(written: dict[str, Any]) -> tuple[Taint, ...]:
    return tuple(
        read_taint(f"{key}={value}") for key, values in written.items() for value in _texts(values)
    )


def _table(found: dict[str, Any], name: str) -> dict[str, Any]:
    table = found.get(name, {})
    if not isinstance(table, dict):
        raise BootError(f"{_FAILED}: invalid type for `{name}`: expected a table")
    return table


def _text(found: dict[str, Any], name: str) -> str:
    value = found.get(name, "")
    if not isinstance(value, str):
        raise BootError(f"{_FAILED}: settings.kubernetes.{name}: expected a string")
    return value


def _texts_by_key(found: dict[str, Any], name: str) -> dict[str, str]:
    table = _table(found, name)
    wrong = sorted(key for key, value in table.items() if not isinstance(value, str))
    if wrong:
        raise BootError(f"{_FAILED}: settings.kubernetes.{name}.{wrong[0]}: expected a string")
    return table


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise BootError(f"{_FAILED}: {value!r}: expected a string or a list of strings")
