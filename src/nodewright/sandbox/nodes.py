"""Fake nodes: objects that KWOK plays the kubelet of."""

import msgspec

from nodewright.sandbox.programs import MANAGED_NODES

_ZONES = ("sandbox-a", "sandbox-b", "sandbox-c")


class NodeShape(msgspec.Struct, frozen=True):
    """What a fake node has to offer."""

    cpu: str = "4"
    memory: str = "16Gi"
    pods: str = "110"


def name_nodes(count: int) -> tuple[str, ...]:
    """Give the names of the nodes that a sandbox starts with."""
    return tuple(f"node-{number}" for number in range(1, count + 1))


def render_nodes(names: tuple[str, ...], shape: NodeShape = NodeShape()) -> bytes:  # noqa: B008 - frozen.
    """Write the manifests of fake nodes, spread over three zones, as one list."""
    items = [_node(name, _ZONES[index % len(_ZONES)], shape) for index, name in enumerate(names)]
    return msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": items})


def _node(name: str, zone: str, shape: NodeShape) -> dict[str, object]:
    key, value = MANAGED_NODES.split("=")
    offer = {"cpu": shape.cpu, "memory": shape.memory, "pods": shape.pods}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": {key: value},
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/os": "linux",
                "topology.kubernetes.io/region": "sandbox",
                "topology.kubernetes.io/zone": zone,
            },
        },
        "status": {"capacity": offer, "allocatable": offer},
    }
