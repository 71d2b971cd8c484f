"""The user data with which EKS and Karpenter start machines of Amazon Linux 2023."""

from collections.abc import Mapping
from typing import Final

import yaml

from nodewright.model.metadata import Taint
from nodewright.sandbox.accounts.clusters import Made

_BOUNDARY: Final = "//"


def render(cluster: Made, labels: Mapping[str, str], taints: tuple[Taint, ...] = ()) -> str:
    """Write user data as plain text."""
    config = {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {
            "cluster": {
                "name": cluster.name,
                "apiServerEndpoint": cluster.endpoint,
                "certificateAuthority": cluster.authority,
                "cidr": cluster.service_range,
            },
            "kubelet": {
                "config": {
                    "registerWithTaints": [
                        {"key": one.key, "value": one.value, "effect": one.effect} for one in taints
                    ]
                },
                "flags": [
                    "--node-labels=" + ",".join(f"{key}={labels[key]}" for key in sorted(labels))
                ],
            },
        },
    }
    return (
        f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n'
        f"--{_BOUNDARY}\nContent-Type: application/node.eks.aws\n\n"
        f"{yaml.safe_dump(config)}\n--{_BOUNDARY}--\n"
    )
