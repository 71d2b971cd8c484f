"""Tags on what is made for a cluster: whose it is, for which pool and class, and for which claim.

The policies let us touch only what carries them, so they are put on at creation. The claim's tag is
on the machine alone: everything else of a launch may be shared.
"""

from collections.abc import Mapping
from typing import Any, Final

from nodewright.model.labels import EC2NODECLASS, NODEPOOL

CLUSTER_NAME: Final = "eks:eks-cluster-name"
CLAIM: Final = "karpenter.sh/nodeclaim"
OURS: Final = "nodewright.dev/cluster"


def owned_key(cluster: str) -> str:
    """Name the tag that says that a cluster owns a thing."""
    return f"kubernetes.io/cluster/{cluster}"


def shared_tags(cluster: str, pool: str, node_class: str, own: Mapping[str, str]) -> dict[str, str]:
    """Give the tags of everything that a launch makes, in order of key."""
    ours = {
        owned_key(cluster): "owned",
        CLUSTER_NAME: cluster,
        OURS: cluster,
        NODEPOOL: pool,
        EC2NODECLASS: node_class,
    }
    return dict(sorted({**own, **ours}.items()))


def print_tags(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Give tags as AWS takes them."""
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]


def read_tags(tags: Any) -> dict[str, str]:
    """Read tags as AWS gives them."""
    return {str(one["Key"]): str(one["Value"]) for one in tags or ()}


def tag_specification(kind: str, tags: Mapping[str, str]) -> dict[str, Any]:
    """Give the tags of one kind of thing that a call makes."""
    return {"ResourceType": kind, "Tags": print_tags(tags)}
