"""Instance profiles: the name under which EC2 hands a role to a machine.

One that a class names is taken as it is. For a role we make our own, whose name follows from the class
and the role: another role has another profile, so machines that have the old one keep it. All of a class
lie under one path, by which they are found when it goes. One that no class has asked for within an hour
and that no machine has is nobody's, and is deleted. Without the way to IAM nothing is deleted.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from nodewright.aws.calls import (
    ADD_ROLE,
    CREATE_PROFILE,
    DELETE_PROFILE,
    DESCRIBE_INSTANCES,
    GET_PROFILE,
    LIST_PROFILES,
    REMOVE_ROLE,
)
from nodewright.aws.cluster import Cluster
from nodewright.aws.gateway import PAGES_MAX, Fault, Gateway
from nodewright.aws.keeping import Kept
from nodewright.aws.tags import CLUSTER_NAME, OURS, owned_key, print_tags, read_tags
from nodewright.aws.terms import a_filter
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.labels import EC2NODECLASS, REGION
from nodewright.ports.clock import Clock

NAME_LENGTH_MAX: Final = 128
READ_MS: Final = 15 * 60_000
COLLECT_MS: Final = 30 * 60_000
UNUSED_MS: Final = 3_600_000
_DIGEST_BYTES: Final = 10
_FNV_BASIS: Final = 0xCBF29CE484222325
_FNV_PRIME: Final = 0x100000001B3
_THERE: Final = ("pending", "running", "stopping", "stopped", "shutting-down")


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


def older_profile_name(cluster: Cluster, node_class: str) -> str:
    """Name the profile that Karpenter made for a class before profiles had a path.

    The number is the FNV-1 hash of the region and the class's name.
    """
    number = _FNV_BASIS
    for byte in f"{cluster.region}{node_class}".encode():
        number = (number * _FNV_PRIME % 2**64) ^ byte
    return f"{cluster.name}_{number}"


class Profiles:
    """The profiles of a cluster's classes."""

    def __init__(
        self, gateway: Gateway, clock: Clock, cluster: Cluster, *, is_isolated: bool = False
    ) -> None:
        self._gateway = gateway
        self._clock = clock
        self._cluster = cluster
        self._is_isolated = is_isolated
        self._read: Kept[str, str] = Kept(clock)
        self._needed_ms: dict[str, int] = {}
        self._collected_ms = clock.now_ms()

    async def ensure(self, node_class: EC2NodeClass) -> str | Fault:
        """Give the profile of a class's machines, made where need be; kept for a quarter of an hour."""
        spec = node_class.spec
        if spec.instance_profile is not None:
            return spec.instance_profile
        name = profile_name(self._cluster, node_class)
        self._needed_ms[name] = self._clock.now_ms()
        known = self._read.get(name, READ_MS)
        if known is not None:
            return known
        made = await self._make(node_class, name, role_name(spec.role or ""))
        if not isinstance(made, Fault):
            self._read.put(name, made)
        return made

    async def _make(self, node_class: EC2NodeClass, name: str, role: str) -> str | Fault:
        gateway = self._gateway
        known = await gateway.ask(GET_PROFILE, {"InstanceProfileName": name})
        if isinstance(known, Fault):
            if not known.is_gone:
                return known
            known = await gateway.ask(CREATE_PROFILE, _creation(self._cluster, node_class, name))
            if isinstance(known, Fault):
                return known
        roles = _roles(known["InstanceProfile"])
        if role in roles:
            return name
        removed = await self._remove_roles(name, roles)
        if removed is not None:
            return removed
        added = await gateway.ask(ADD_ROLE, {"InstanceProfileName": name, "RoleName": role})
        return added if isinstance(added, Fault) else name

    async def release(self, node_class: EC2NodeClass) -> Fault | None:
        """Delete every profile that was made for a class; those that it was given stay."""
        if self._is_isolated:
            return None
        found = await self._list(node_class.metadata.uid)
        if isinstance(found, Fault):
            return found
        older = await self._find_older(node_class)
        if isinstance(older, Fault):
            return older
        for one in (*found, *older):
            trouble = await self._delete(one)
            if trouble is not None:
                return trouble
        return None

    async def _find_older(self, node_class: EC2NodeClass) -> list[Mapping[str, Any]] | Fault:
        """Give the profile that earlier versions of Karpenter made for a class, if it is the cluster's."""
        name = older_profile_name(self._cluster, node_class.metadata.name)
        answer = await self._gateway.ask(GET_PROFILE, {"InstanceProfileName": name})
        if isinstance(answer, Fault):
            return [] if answer.is_gone else answer
        found: Mapping[str, Any] = answer["InstanceProfile"]
        tags = read_tags(found.get("Tags"))
        return [found] if tags.get(owned_key(self._cluster.name)) == "owned" else []

    async def collect(self) -> int | Fault:
        """Delete, now and then, profiles that nobody needs any more; give how many."""
        now_ms = self._clock.now_ms()
        if self._is_isolated or now_ms - self._collected_ms < COLLECT_MS:
            return 0
        self._collected_ms = now_ms
        found = await self._list()
        if isinstance(found, Fault):
            return found
        names = {str(one["InstanceProfileName"]) for one in found}
        # One that is seen for the first time may be another's of this moment.
        self._needed_ms = {name: self._needed_ms.get(name, now_ms) for name in sorted(names)}
        deleted = 0
        for one in found:
            if now_ms - self._needed_ms[str(one["InstanceProfileName"])] < UNUSED_MS:
                continue
            is_used = await self._is_used(str(one["Arn"]))
            trouble = is_used if isinstance(is_used, Fault) else None
            if is_used is False:
                trouble = await self._delete(one)
                deleted += trouble is None
            if trouble is not None:
                return trouble
        return deleted

    async def _list(self, uid: str = "") -> list[Mapping[str, Any]] | Fault:
        params: dict[str, Any] = {"PathPrefix": _path(self._cluster, uid)}
        found: list[Mapping[str, Any]] = []
        for _ in range(PAGES_MAX):
            answer = await self._gateway.ask(LIST_PROFILES, params)
            if isinstance(answer, Fault):
                return answer
            found.extend(answer["InstanceProfiles"])
            if not answer.get("IsTruncated"):
                return found
            params["Marker"] = answer["Marker"]
        return Fault("TooManyPages", f"{LIST_PROFILES.name} had more than {PAGES_MAX} pages")

    async def _is_used(self, arn: str) -> bool | Fault:
        filters = [
            a_filter("iam-instance-profile.arn", arn),
            a_filter("instance-state-name", *_THERE),
        ]
        found = await self._gateway.ask_all(
            DESCRIBE_INSTANCES, {"Filters": filters}, "Reservations"
        )
        return found if isinstance(found, Fault) else bool(found)

    async def _delete(self, profile: Mapping[str, Any]) -> Fault | None:
        name = str(profile["InstanceProfileName"])
        self._read.drop(name)
        trouble = await self._remove_roles(name, _roles(profile))
        if trouble is not None:
            return trouble
        gone = await self._gateway.ask(DELETE_PROFILE, {"InstanceProfileName": name})
        return gone if isinstance(gone, Fault) and not gone.is_gone else None

    async def _remove_roles(self, name: str, roles: tuple[str, ...]) -> Fault | None:
        for role in roles:
            params = {"InstanceProfileName": name, "RoleName": role}
            removed = await self._gateway.ask(REMOVE_ROLE, params)
            if isinstance(removed, Fault) and not removed.is_gone:
                return removed
        return None


def _path(cluster: Cluster, uid: str = "") -> str:
    root = f"/karpenter/{cluster.region}/{cluster.name}/"
    return f"{root}{uid}/" if uid else root


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
        "Path": _path(cluster, node_class.metadata.uid),
        "Tags": print_tags(tags),
    }


def _roles(profile: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(one["RoleName"]) for one in profile.get("Roles") or ())
