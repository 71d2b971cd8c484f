"""What AWS has for an EC2NodeClass: every selector of it answered, one by one, then a rehearsal.

An answer that AWS does not give now is a trouble that passes; one that it refuses stays until somebody
changes a policy. User data is written once for a machine that never will be, and where everything was
found a launch is tried that starts nothing, so that a mistake is found before a machine is needed.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import msgspec

from nodewright.aws.cluster import Cluster
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.images import ImageFinder
from nodewright.aws.keeping import Kept
from nodewright.aws.machines import instance_of
from nodewright.aws.market import bundled_market
from nodewright.aws.network import find_groups, find_subnets
from nodewright.aws.placements import PlacementGroups
from nodewright.aws.profiles import Profiles
from nodewright.aws.rehearsal import Rehearsals
from nodewright.aws.reservations import find_reservations
from nodewright.aws.subnets import Subnet
from nodewright.aws.tagging import Tagger
from nodewright.aws.templates import delete_templates_of
from nodewright.aws.userdata.draft import Draft
from nodewright.aws.userdata.render import BYTES_MANY, BYTES_MAX, TooLong, write_user_data
from nodewright.catalog.formulas import check_formulas
from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.settings import AL2023, DEFAULT, RAID0, NodeSettings
from nodewright.catalog.table import Shape
from nodewright.model.classfacts import ClassFacts, Trouble
from nodewright.model.ec2nodeclass import (
    AMIStatus,
    CapacityReservationStatus,
    EC2NodeClass,
    EC2NodeClassStatus,
    SecurityGroupStatus,
    SubnetStatus,
)
from nodewright.model.ec2nodeclass_terms import alias_of
from nodewright.model.errors import UserError
from nodewright.model.hashing import hash_ec2nodeclass
from nodewright.model.validation import ERROR
from nodewright.model.validation_ec2nodeclass import validate_ec2nodeclass
from nodewright.model.validation_kubelet import EXPRESSION_FAILED
from nodewright.ports.classes import Classes
from nodewright.ports.clock import Clock

GROUPS_MS: Final = 300_000
_EARLY_MS: Final = 5_000
_PODS: Final = 110
_log: Final = logging.getLogger("nodewright.aws")


type Key = tuple[str, int]


def _nothing(node_class: EC2NodeClass) -> str:
    del node_class
    return ""


async def _never(provider_id: str) -> bool:
    del provider_id
    return False


class ClassOptions(msgspec.Struct, frozen=True):
    """What the controller is told about classes, and who knows the types that there are."""

    rehearses: bool = True
    uses_reservations: bool = True
    is_isolated: bool = False
    allows_expressions: bool = False
    images_ms: int = 60_000
    subnets_ms: int = 60_000
    base: NodeSettings = DEFAULT
    shapes: Callable[[], Mapping[str, Shape]] = dict
    note_memory: Callable[[EC2NodeClass], str] = _nothing
    is_left_alone: Callable[[str], Awaitable[bool]] = _never


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
        self._told_sizes: dict[str, int] = {}
        self._found_images: Kept[Key, tuple[AMIStatus, ...]] = Kept(clock)
        self._found_subnets: Kept[Key, tuple[Subnet, ...]] = Kept(clock)
        self._found_groups: Kept[Key, tuple[SecurityGroupStatus, ...]] = Kept(clock)

    async def find(self, node_class: EC2NodeClass) -> ClassFacts:
        """Give what was found for a class."""
        spec, cluster = node_class.spec, self._cluster
        images = await self._find_images(node_class)
        reserved = await self._reservations(node_class)
        placement = await self._placement(node_class)
        subnets = await self._find_subnets(node_class)
        groups = await self._find_groups(node_class)
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
            user_data=self._kubelet(node_class) or self._user_data(node_class),
            allows_expressions=self._options.allows_expressions,
            seen_memory=self._options.note_memory(node_class),
            kubernetes_minor=_minor(cluster.version),
            fingerprint=hash_ec2nodeclass(spec, cluster.authority),
        )
        collected = await self._profiles.collect()
        if isinstance(collected, Fault):
            _log.warning("instance profiles are not collected: %s", collected)
        return msgspec.structs.replace(facts, rehearsal=await self._rehearse(node_class, facts))

    async def _find_images(self, node_class: EC2NodeClass) -> tuple[AMIStatus, ...] | Fault:
        version = self._cluster.version
        return await _kept_or(
            self._found_images,
            _key(node_class),
            self._options.images_ms,
            lambda: self._images.find(node_class.spec, version),
        )

    async def _find_subnets(self, node_class: EC2NodeClass) -> tuple[Subnet, ...] | Fault:
        terms = node_class.spec.subnet_selector_terms
        return await _kept_or(
            self._found_subnets,
            _key(node_class),
            self._options.subnets_ms,
            lambda: find_subnets(self._gateway, terms),
        )

    async def _find_groups(
        self, node_class: EC2NodeClass
    ) -> tuple[SecurityGroupStatus, ...] | Fault:
        terms = node_class.spec.security_group_selector_terms
        return await _kept_or(
            self._found_groups,
            _key(node_class),
            GROUPS_MS,
            lambda: find_groups(self._gateway, terms),
        )

    async def release(self, node_class: EC2NodeClass) -> Trouble | None:
        """Delete the profiles and templates that were made for a class; what it was given stays."""
        trouble = await self._profiles.release(node_class)
        if trouble is None:
            name = node_class.metadata.name
            trouble = await delete_templates_of(self._gateway, self._cluster.name, name)
        return None if trouble is None else _trouble(trouble)

    async def tag(self, provider_id: str, tags: Mapping[str, str]) -> Trouble | None:
        """Put tags on a machine; those that it has stay as they are."""
        if await self._options.is_left_alone(provider_id):
            words = "the cluster is moved away from the machine's zone"
            return Trouble("ZonalShift", words, is_passing=True)
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
        problems = validate_ec2nodeclass(
            node_class,
            kubernetes_minor=facts.kubernetes_minor,
            expressions=facts.allows_expressions,
        )
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

    def _kubelet(self, node_class: EC2NodeClass) -> Trouble | None:
        """Work expressions out for every type that is known, before one of them is launched."""
        if not self._options.allows_expressions:
            return None
        try:
            settings = settings_of(node_class, self._options.base)
        except UserError:
            return None  # What is wrong with the class is told by its validation.
        bundled = bundled_market(self._cluster.region).shapes
        shapes = {**bundled, **self._options.shapes()}
        error = check_formulas(settings, shapes.values())
        return None if error is None else Trouble(EXPRESSION_FAILED, error.message)

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
            size = len(write_user_data(spec.resolved_family, draft).encode())
        except TooLong as error:
            return Trouble("UserDataSizeLimitExceeded", str(error))
        except UserError as error:
            return Trouble("InvalidUserData", str(error))
        if size > BYTES_MANY and self._told_sizes.get(node_class.metadata.name) != size:
            self._told_sizes[node_class.metadata.name] = size
            words = "%s: user data has %d bytes, and EC2 takes %d"
            _log.warning(words, node_class.metadata.name, size, BYTES_MAX)
        return None


async def _kept_or[T](
    kept: Kept[Key, tuple[T, ...]],
    key: Key,
    age_ms: int,
    ask: Callable[[], Awaitable[tuple[T, ...] | Fault]],
) -> tuple[T, ...] | Fault:
    """Give what was found not long ago, else what is found now; nothing and faults are not kept."""
    # Rounds are as far apart as the shortest interval: one that is a little early must not skip it.
    known = kept.get(key, age_ms - _EARLY_MS)
    if known is not None:
        return known
    found = await ask()
    if found and not isinstance(found, Fault):
        kept.put(key, found)
    return found


def _key(node_class: EC2NodeClass) -> Key:
    meta = node_class.metadata
    return meta.uid or meta.name, meta.generation


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
