"""Instance profiles: the name under which EC2 hands a role to a machine.

One that a class names is taken as it is. For a role we make our own, whose name follows from the class
and the role: another role has another profile, so machines that have the old one keep it.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from nodewright.aws.calls import (
    ADD_ROLE,
    CREATE_PROFILE,
    DELETE_PROFILE,
    GET_PROFILE,
    REMOVE_ROLE,
)
from nodewright.aws.cluster import Cluster
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.tags import CLUSTER_NAME, OURS, owned_key, print_tags
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.labels import EC2NODECLASS, REGION

NAME_LENGTH_MAX: Final = 128
_DIGEST_BYTES: Final = 10


def role_name(role: str) -> str:
    """Give a role's name without its path."""
    return role.rpartition("/")[2]


def profile_name(cluster: Cluster, node_class: EC2NodeClass) -> str:
    """Name the profile of a class's role."""
    parts = (
        cluster.region,
        node_class.metadata.name,
        node_class.metadata.uid,
        role_name(node_class.spec.role or ""),
    )
    digest = hashlib.blake2b("\n".join(parts).encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{cluster.name[: NAME_LENGTH_MAX - len(digest) - 1]}_{digest}"


async def ensure_profile(
    gateway: Gateway, cluster: Cluster, node_class: EC2NodeClass
) -> str | Fault:
    """Give the profile of a class's machines, made where need be."""
    spec = node_class.spec
    if spec.instance_profile is not None:
        return spec.instance_profile
    name, role = profile_name(cluster, node_class), role_name(spec.role or "")
    known = await gateway.ask(GET_PROFILE, {"InstanceProfileName": name})
    if isinstance(known, Fault):
        if not known.is_gone:
            return known
        known = await gateway.ask(CREATE_PROFILE, _creation(cluster, node_class, name))
        if isinstance(known, Fault):
            return known
    roles = _roles(known)
    if role in roles:
        return name
    for other in roles:
        removed = await gateway.ask(REMOVE_ROLE, {"InstanceProfileName": name, "RoleName": other})
        if isinstance(removed, Fault) and not removed.is_gone:
            return removed
    added = await gateway.ask(ADD_ROLE, {"InstanceProfileName": name, "RoleName": role})
    return added if isinstance(added, Fault) else name


async def delete_profile(gateway: Gateway, name: str) -> Fault | None:
    """Delete a profile that we made; one that is gone is fine."""
    known = await gateway.ask(GET_PROFILE, {"InstanceProfileName": name})
    if isinstance(known, Fault):
        return None if known.is_gone else known
    for role in _roles(known):
        removed = await gateway.ask(REMOVE_ROLE, {"InstanceProfileName": name, "RoleName": role})
        if isinstance(removed, Fault) and not removed.is_gone:
            return removed
    gone = await gateway.ask(DELETE_PROFILE, {"InstanceProfileName": name})
    return gone if isinstance(gone, Fault) and not gone.is_gone else None


def _creation(cluster: Cluster, node_class: EC2NodeClass, name: str) -> dict[str, Any]:
    tags = {
        **node_class.spec.tags,
        owned_key(cluster.name): "owned",
        CLUSTER_NAME: cluster.name,
        OURS: cluster.name,
        EC2NODECLASS: node_class.metadata.name,
        REGION: cluster.region,
    }
    return {
        "InstanceProfileName": name,
        "Path": f"/karpenter/{cluster.region}/{cluster.name}/{node_class.metadata.uid}/",
        "Tags": print_tags(tags),
    }


def _roles(answer: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(one["RoleName"]) for one in answer["InstanceProfile"].get("Roles") or ())
