"""What the cluster runs on every node, and what a node is without it.

Without the network plugin no node becomes ready, be it missing or kept off by a taint. A device is there
for pods only once its plugin has told the kubelet of it; branch interfaces only where the network
plugin hands them out.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.model.metadata import Taint, Toleration
from nodewright.model.quantity import Milli
from nodewright.sandbox.kubelet.fault import Fault, limited, unready

NETWORK_PLUGIN: Final = "aws-node"
PROXY: Final = "kube-proxy"
_SYSTEM: Final = "kube-system"
_PLUGINS: Final = {
    "nvidia.com/gpu": ("nvidia", "gpu-operator"),
    "amd.com/gpu": ("amdgpu", "amd-gpu"),
    "habana.ai/gaudi": ("habana",),
    "aws.amazon.com/neuron": ("neuron",),
    "aws.amazon.com/neuroncore": ("neuron",),
    "vpc.amazonaws.com/efa": ("efa",),
}
_BRANCHES: Final = "vpc.amazonaws.com/pod-eni"
# What the DaemonSet controller lets its pods put up with on every node.
_ALWAYS: Final = (
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/unschedulable",
    "node.kubernetes.io/network-unavailable",
)


class Daemon(msgspec.Struct, frozen=True):
    """A DaemonSet, as far as a node is concerned."""

    namespace: str
    name: str
    tolerations: tuple[Toleration, ...] = ()
    settings: dict[str, str] = {}


def read_daemon(told: Mapping[str, Any]) -> Daemon:
    """Read a DaemonSet."""
    pod = told["spec"]["template"]["spec"]
    variables = [one for each in pod.get("containers", ()) for one in each.get("env", ())]
    return Daemon(
        namespace=told["metadata"].get("namespace", ""),
        name=told["metadata"]["name"],
        tolerations=tuple(
            msgspec.convert(pod.get("tolerations", []), tuple[Toleration, ...], strict=False)
        ),
        settings={one["name"]: str(one.get("value", "")) for one in variables},
    )


def judge_daemons(daemons: Iterable[Daemon], taints: Iterable[Taint]) -> Iterator[Fault]:
    """Give what a node with these taints lacks of what every node needs."""
    system = {one.name: one for one in daemons if one.namespace == _SYSTEM}
    kept = tuple(taint for taint in taints if taint.key not in _ALWAYS)
    plugin = system.get(NETWORK_PLUGIN)
    if plugin is None:
        yield unready(f"there is no DaemonSet {_SYSTEM}/{NETWORK_PLUGIN}")
    elif taint := first_untolerated(kept, plugin.tolerations):
        yield unready(f"{_SYSTEM}/{NETWORK_PLUGIN} does not tolerate the taint {_show(taint)}")
    proxy = system.get(PROXY)
    if proxy is not None and (taint := first_untolerated(kept, proxy.tolerations)):
        yield limited(f"{_SYSTEM}/{PROXY} does not tolerate the taint {_show(taint)}")


def keep_offered(
    capacity: Mapping[str, Milli], daemons: Iterable[Daemon], *, brings_plugins: bool
) -> dict[str, Milli]:
    """Give what of a machine's resources the cluster gets to see."""
    known = tuple(daemons)
    names = [one.name for one in known]
    branches = any(
        one.name == NETWORK_PLUGIN and one.settings.get("ENABLE_POD_ENI") == "true" for one in known
    )
    return {
        name: amount
        for name, amount in capacity.items()
        if (name != _BRANCHES or branches)
        and (
            name not in _PLUGINS
            or brings_plugins
            or any(part in one for part in _PLUGINS[name] for one in names)
        )
    }


def _show(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"
