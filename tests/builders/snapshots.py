"""Snapshot documents as plain JSON values, for whoever reads them."""

import json

from nodewright.state.snapshot import Snapshot, read_snapshot

TAKEN_AT = "2026-11-15T09:00:00Z"


def an_object(kind: str, name: str = "one", api_version: str = "v1", **fields: object) -> dict:
    """An object with `metadata` filled in; what else it has is named."""
    metadata = {"name": name, **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def a_pod_value(name: str = "pod", cpu: object = "1", **spec: object) -> dict:
    """A pending pod."""
    containers = [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]
    return an_object("Pod", name, spec={"containers": containers, **spec})


def a_pool_value(name: str = "default", **spec: object) -> dict:
    """A NodePool of an EC2NodeClass that need not be there."""
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    template = {"spec": {"nodeClassRef": reference, "requirements": []}}
    return an_object("NodePool", name, "karpenter.sh/v1", spec={"template": template, **spec})


def a_type_value(name: str = "m", cpu: object = "4", **fields: object) -> dict:
    """An instance type of one zone."""
    zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-a"]}
    how = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
    return {
        "name": name,
        "requirements": [],
        "capacity": {"cpu": cpu, "memory": "16Gi", "pods": "110"},
        "offerings": [{"requirements": [zone, how], "price": 0.2}],
        **fields,
    }


def a_document(*objects: dict, **fields: object) -> dict:
    """A snapshot of these objects; every NodePool among them sells the type `m`."""
    pools = [one["metadata"]["name"] for one in objects if one.get("kind") == "NodePool"]
    return {
        "apiVersion": "nodewright.dev/v1",
        "kind": "Snapshot",
        "metadata": {"takenAt": TAKEN_AT},
        "objects": list(objects),
        "catalogs": {"all": [a_type_value()]},
        "instanceTypes": dict.fromkeys(pools, "all"),
        **fields,
    }


def read(document: object) -> Snapshot:
    """Read a document as a file named `test.json`."""
    return read_snapshot(json.dumps(document).encode(), "test.json")
