"""What AWS has for an EC2NodeClass: every selector of it answered, one by one, then a rehearsal.

An answer that AWS does not give now is a trouble that passes; one that it refuses stays until somebody
changes a policy. User data is written once for a machine that never will be, and where everything was
found a launch is tried that starts nothing, so that a mistake is found before a machine is needed.
"""

import logging
from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.aws.cluster import Cluster
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.images import ImageFinder
from nodewright.aws.machines import instance_of
from nodewright.aws.network import find_groups, find_subnets
from nodewright.aws.placements import PlacementGroups
from nodewright.aws.profiles import Profiles
from nodewright.aws.rehearsal import Rehearsals
from nodewright.aws.reservations import find_reservations
from nodewright.aws.tagging import Tagger
from nodewright.aws.templates import delete_templates_of
from nodewright.aws.userdata.draft import Draft
from nodewright.aws.userdata.render import TooLong, write_user_data
from nodewright.catalog.settings import AL2023, RAID0
from nodewright.model.classfacts import ClassFacts, Trouble
from nodewright.model.ec2nodeclass import (
    CapacityReservationStatus,
    EC2NodeClass,
    EC2NodeClassStatus,
    SubnetStatus,
)
from nodewright.model.ec2nodeclass_terms import alias_of
from nodewright.model.errors import UserError
from nodewright.model.hashing import hash_ec2nodeclass
from nodewright.model.validation import ERROR
from nodewright.model.validation_ec2nodeclass import validate_ec2nodeclass
from nodewright.ports.classes import Classes
from nodewright.ports.clock import Clock

_PODS: Final = 110
_log: Final = logging.getLogger("nodewright.aws")


class ClassOptions(msgspec.Struct, frozen=True):
    """What the controller is told about classes."""

    rehearses: bool = True
    uses_reservations: bool = True
    is_isolated: bool = False


class ClassFinder:
    """Answers the selectors of classes."""

    def __init__(
        self, gateway: Gateway, clock: Clock, cluster: Cluster, options: ClassOptions
    ) -> None:
        self._gateway = gateway
        self._clock = clock
        self._cluster = cluster
        self._options = options
        self._images = ImageFinder(gateway, clock)
        self._profiles = Profiles(gateway, clock, cluster, is_isolated=options.is_isolated)
        self._placements = PlacementGroups(gateway, clock)
        self._rehearsals = Rehearsals(gateway, clock, cluster)
        self._tagger = Tagger(gateway, clock, cluster.name)

    async def find(self, node_class: EC2NodeClass) -> ClassFacts:
        """Give what was found for a class."""
        spec, cluster = node_class.spec, self._cluster
        images = await self._images.find(spec, cluster.version)
        reserved = await self._reservations(node_class)
        placement = await self._placement(node_class)
        subnets = await find_subnets(self._gateway, spec.subnet_selector_terms)
        groups = await find_groups(self._gateway, spec.security_group_selector_terms)
        profile = await self._profiles.ensure(node_class)
        facts = ClassFacts(
            name=node_class.metadata.name,
            generation=node_class.metadata.generation,
            subnets=_trouble(subnets)
            if isinstance(subnets, Fault)
            else tuple(
                SubnetStatus(id=one.id, zone=one.zone, zone_id=one.zone_id) for one in subnets
            ),
            security_groups=_trouble(groups) if isinstance(groups, Fault) else groups,
            amis=_trouble(images) if isinstance(images, Fault) else images,
            instance_profile=_trouble(profile) if isinstance(profile, Fault) else profile,
            capacity_reservations=reserved,
            placement_group=placement,
            user_data=self._user_data(node_class),
            kubernetes_minor=_minor(cluster.version),
            fingerprint=hash_ec2nodeclass(spec, cluster.authority),
        )
        collected = await self._profiles.collect()
        if isinstance(collected, Fault):
            _log.warning("instance profiles are not collected: %s", collected)
        return msgspec.structs.replace(facts, rehearsal=await self._rehearse(node_class, facts))

    async def release(self, node_class: EC2NodeClass) -> Trouble | None:
        """Delete the profiles and templates that were made for a class; what it was given stays."""
        trouble = await self._profiles.release(node_class)
        if trouble is None:
            name = node_class.metadata.name
            trouble = await delete_templates_of(self._gateway, self._cluster.name, name)
        return None if trouble is None else _trouble(trouble)

    async def tag(self, provider_id: str, tags: Mapping[str, str]) -> Trouble | None:
        """Put tags on a machine; those that it has stay as they are."""
        trouble = await self._tagger.tag(instance_of(provider_id), tags)
        return None if trouble is None else _trouble(trouble)

    async def _reservations(
        self, node_class: EC2NodeClass
    ) -> tuple[CapacityReservationStatus, ...] | Trouble:
        if not self._options.uses_reservations:
            return ()
        terms = node_class.spec.capacity_reservation_selector_terms
        found = await find_reservations(self._gateway, terms, self._clock.now_ms())
        return _trouble(found) if isinstance(found, Fault) else tuple(one.status for one in found)

    async def _placement(self, node_class: EC2NodeClass) -> str | Trouble:
        selector = node_class.spec.placement_group_selector
        if selector is None:
            return ""
        found = await self._placements.find(selector)
        if isinstance(found, Fault):
            told = _trouble(found)
            return msgspec.structs.replace(told, reason="PlacementGroupResolutionFailed")
        if found is None:
            words = f"there is no placement group {selector.id or selector.name}"
            return Trouble("PlacementGroupNotFound", words)
        return found.group_id

    async def _rehearse(self, node_class: EC2NodeClass, facts: ClassFacts) -> Trouble | None:
        """Try a class for which everything was found and in which nothing is wrong."""
        if not self._options.rehearses or facts.user_data is not None:
            return None
        problems = validate_ec2nodeclass(node_class, kubernetes_minor=facts.kubernetes_minor)
        if any(one.severity == ERROR for one in problems):
            return None
        subnets, groups, amis = facts.subnets, facts.security_groups, facts.amis
        if isinstance(subnets, Trouble) or isinstance(groups, Trouble) or isinstance(amis, Trouble):
            return None
        profile = facts.instance_profile
        if isinstance(profile, Trouble) or not (subnets and groups and amis and profile):
            return None
        status = EC2NodeClassStatus(
            subnets=subnets, security_groups=groups, amis=amis, instance_profile=profile
        )
        selector = node_class.spec.placement_group_selector
        group = await self._placements.find(selector) if selector is not None else None
        if isinstance(group, Fault) or isinstance(facts.placement_group, Trouble):
            return None
        resolved = msgspec.structs.replace(node_class, status=status)
        return await self._rehearsals.rehearse(resolved, group)

    def _user_data(self, node_class: EC2NodeClass) -> Trouble | None:
        spec = node_class.spec
        if spec.resolved_family == AL2023 and not self._cluster.service_range:
            words = "the range of service addresses is not known, without which nodes do not start"
            return Trouble("ClusterCIDRResolutionFailed", words)
        alias = alias_of(spec.ami_selector_terms)
        draft = Draft(
            cluster=self._cluster,
            max_pods=_PODS,
            kubelet=spec.kubelet,
            joins_disks=spec.instance_store_policy == RAID0,
            written=spec.user_data or "",
            image_version=alias[1] if alias else "",
        )
        try:
            write_user_data(spec.resolved_family, draft)
        except TooLong as error:
            return Trouble("UserDataSizeLimitExceeded", str(error))
        except UserError as error:
            return Trouble("InvalidUserData", str(error))
        return None


def open_classes(
    gateway: Gateway, clock: Clock, cluster: Cluster, options: ClassOptions | None = None
) -> Classes:
    """Give who answers the selectors of a cluster's classes."""
    return ClassFinder(gateway, clock, cluster, options or ClassOptions())


def _trouble(fault: Fault) -> Trouble:
    reason = "Unauthorized" if fault.is_unauthorized else fault.code
    return Trouble(reason, str(fault), is_passing=fault.is_passing)


def _minor(version: str) -> int | None:
    minor = version.partition(".")[2]
    return int(minor) if minor.isdecimal() else None
