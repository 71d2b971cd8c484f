"""The kubelet's command line, read as the kubelet reads it.

A flag it does not know, a value it cannot read and a label it may not give itself end the kubelet
at once. Labels of several `--node-labels` add up; of any other flag the last one counts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

import msgspec

from nodewright.model.kubelet import FIELDS
from nodewright.model.metadata import Taint, TaintEffect
from nodewright.sandbox.kubelet.boot import Boot, BootError

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_FLAGS_ONLY_NAMES: Final = (
    "bootstrap-kubeconfig cert-dir cloud-config cloud-provider config config-dir "
    "container-runtime exit-on-lock-contention experimental-mounter-path hostname-override "
    "image-credential-provider-bin-dir image-credential-provider-config image-gc-high-threshold "
    "image-gc-low-threshold kubeconfig lock-file log-flush-frequency logging-format "
    "max-housekeeping-interval network-plugin node-ip node-labels pod-infra-container-image "
    "pod-max-pids register-schedulable root-dir runtime-cgroups v version vmodule"
)
_FLAGS_ONLY: Final = frozenset(_FLAGS_ONLY_NAMES.split())
_OWN_LABELS_NAMES: Final = (
    "kubernetes.io/hostname kubernetes.io/os kubernetes.io/arch beta.kubernetes.io/os "
    "beta.kubernetes.io/arch beta.kubernetes.io/instance-type node.kubernetes.io/instance-type "
    "topology.kubernetes.io/zone topology.kubernetes.io/region "
    "failure-domain.beta.kubernetes.io/zone failure-domain.beta.kubernetes.io/region"
)
_OWN_LABELS: Final = frozenset(_OWN_LABELS_NAMES.split())
_OWN_DOMAINS: Final = ("node.kubernetes.io", "kubelet.kubernetes.io")
_CLUSTER_DOMAINS: Final = ("kubernetes.io", "k8s.io")


def _kebab(field: str) -> str:
    return _WORD.sub("-", field).lower()


_KNOWN: Final = _FLAGS_ONLY | {_kebab(field) for field in FIELDS}


def apply_flags(boot: Boot, arguments: Sequence[str]) -> Boot:
    """Give the boot with what the kubelet's arguments change about it."""
    for name, value in _pairs(arguments):
        if name not in _KNOWN:
            raise BootError(
                f'kubelet: "command failed" err="failed to parse kubelet flag: unknown flag: --{name}"'
            )
        boot = _apply(boot, name, value)
    return boot


def check_labels(labels: dict[str, str]) -> None:
    """Refuse labels that a kubelet may not give its own node."""
    refused = sorted(key for key in labels if not _is_own(key))
    if refused:
        raise BootError(
            'kubelet: "command failed" err="failed to validate kubelet flags: unknown '
            f"'kubernetes.io' or 'k8s.io' labels specified with --node-labels: {refused}\""
        )


def read_taint(text: str) -> Taint:
    """Read `key=value:Effect` or `key:Effect`."""
    spec, colon, effect = text.rpartition(":")
    key, _, value = spec.partition("=")
    if not colon or not key or effect not in _EFFECTS:
        raise BootError(f'kubelet: "command failed" err="invalid taint spec: {text}"')
    return Taint(key=key, value=value, effect=cast("TaintEffect", effect))


def read_count(text: object, name: str) -> int:
    """Read a whole number that a kubelet setting holds."""
    if isinstance(text, bool) or not re.fullmatch(r"\d{1,9}", str(text)):
        raise BootError(f'kubelet: "command failed" err="invalid value {text!r} for {name}"')
    return int(str(text))


def read_pairs(text: str, separator: str = "=") -> dict[str, str]:
    """Read `a=1,b=2`."""
    found = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        key, mark, value = pair.partition(separator)
        if not mark:
            raise BootError(
                f'kubelet: "command failed" err="malformed pair, expect string{separator}string: {pair}"'
            )
        found[key.strip()] = value.strip().strip('"')
    return found


def _pairs(arguments: Iterable[str]) -> Iterator[tuple[str, str]]:
    waiting = ""
    for word in arguments:
        if waiting and not word.startswith("--"):
            yield waiting, word
            waiting = ""
            continue
        if waiting:
            yield waiting, "true"
            waiting = ""
        if not word.startswith("-"):
            raise BootError(f'kubelet: "command failed" err="unknown command {word!r}"')
        name, mark, value = word.lstrip("-").partition("=")
        if mark:
            yield name, value
        else:
            waiting = name
    if waiting:
        yield waiting, "true"


def _apply(boot: Boot, name: str, value: str) -> Boot:
    change: dict[str, Any]
    match name:
        case "node-labels":
            change = {"labels": {**boot.labels, **read_pairs(value)}}
        case "register-with-taints":
            change = {"taints": tuple(read_taint(one) for one in value.split(",") if one)}
        case "max-pods":
            change = {"max_pods": read_count(value, "--max-pods")}
        case "pods-per-core":
            change = {"pods_per_core": read_count(value, "--pods-per-core")}
        case "kube-reserved":
            change = {"kube_reserved": read_pairs(value)}
        case "system-reserved":
            change = {"system_reserved": read_pairs(value)}
        case "eviction-hard":
            change = {"eviction_hard": read_pairs(value, "<")}
        case "cluster-dns":
            change = {"cluster_dns": tuple(value.split(","))}
        case _:
            return boot
    return msgspec.structs.replace(boot, **change)


def _is_own(key: str) -> bool:
    domain = key.rpartition("/")[0]
    if not any(domain == one or domain.endswith(f".{one}") for one in _CLUSTER_DOMAINS):
        return True
    return key in _OWN_LABELS or any(
        domain == one or domain.endswith(f".{one}") for one in _OWN_DOMAINS
    )
