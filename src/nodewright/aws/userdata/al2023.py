"""Amazon Linux 2023: NodeConfig documents in a MIME document, merged by nodeadm in their order.

Ours comes last, so that it wins where both speak of the same setting.
"""

from typing import Any, Final

import yaml

from nodewright.aws.userdata.draft import BadUserData, Draft
from nodewright.aws.userdata.flags import print_pairs
from nodewright.aws.userdata.mime import (
    NODE_CONFIG,
    SHELL,
    Entry,
    entry,
    is_mime,
    read_mime,
    write_mime,
)

_TEXT_MAPS: Final = ("systemReserved", "kubeReserved", "evictionHard", "evictionSoft")


def write_al2023(draft: Draft) -> str:
    """Write the user's parts, then our NodeConfig."""
    config = yaml.safe_dump(node_config(draft), sort_keys=False, width=4096)
    return write_mime([*_own(draft.written), entry(NODE_CONFIG, config)])


def node_config(draft: Draft) -> dict[str, Any]:
    """Give the document that nodeadm reads; it does not start without the services' range."""
    cluster = draft.cluster
    if not cluster.service_range:
        raise BadUserData(
            "the range of service addresses is not known, without which nodes do not start",
            advice="let the controller read the cluster with eks:DescribeCluster",
        )
    spec: dict[str, Any] = {
        "cluster": {
            "name": cluster.name,
            "apiServerEndpoint": cluster.endpoint,
            "certificateAuthority": cluster.authority,
            "cidr": cluster.service_range,
        },
        "kubelet": {
            "config": _kubelet_config(draft),
            "flags": [f"--node-labels={print_pairs(draft.node_labels)}"],
        },
    }
    if draft.joins_disks:
        spec["instance"] = {"localStorage": {"strategy": "RAID0"}}
    return {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}


def _kubelet_config(draft: Draft) -> dict[str, Any]:
    config: dict[str, Any] = dict(draft.kubelet)
    for name in _TEXT_MAPS:
        amounts = config.get(name)
        if isinstance(amounts, dict):
            # The kubelet's file takes these as text only.
            config[name] = {key: str(value) for key, value in amounts.items()}
    config["maxPods"] = draft.max_pods
    if draft.dns:
        config["clusterDNS"] = list(draft.dns)
    config["registerWithTaints"] = [
        {"key": one.key, **({"value": one.value} if one.value else {}), "effect": one.effect}
        for one in draft.node_taints
    ]
    return dict(sorted(config.items()))


def _own(written: str) -> tuple[Entry, ...]:
    if not written.strip():
        return ()
    if is_mime(written):
        return read_mime(written)
    return (entry(NODE_CONFIG if _is_document(written) else SHELL, written),)


def _is_document(written: str) -> bool:
    if written.lstrip().startswith("#!"):
        return False
    try:
        return isinstance(yaml.safe_load(written), dict)
    except yaml.YAMLError:
        return False
