"""What AWS has for an EC2NodeClass: every selector of it answered, one by one.

An answer that AWS does not give now is a trouble that passes; one that it refuses stays until somebody
changes a policy. User data is written once for a machine that never will be, so that a mistake in it
is found before a launch.
"""

from typing import Final

from nodewright.aws.cluster import Cluster
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.images import ImageFinder
from nodewright.aws.network import find_groups, find_subnets
from nodewright.aws.profiles import delete_profile, ensure_profile, profile_name
from nodewright.aws.reservations import find_reservations
from nodewright.aws.userdata.draft import Draft
from nodewright.aws.userdata.render import TooLong, write_user_data
from nodewright.catalog.settings import RAID0
from nodewright.model.classfacts import ClassFacts, Trouble
from nodewright.model.ec2nodeclass import EC2NodeClass, SubnetStatus
from nodewright.model.ec2nodeclass_terms import alias_of
from nodewright.model.errors import UserError
from nodewright.model.hashing import hash_ec2nodeclass
from nodewright.ports.classes import Classes
from nodewright.ports.clock import Clock

_PODS: Final = 110


class ClassFinder:
    """Answers the selectors of classes."""

    def __init__(self, gateway: Gateway, clock: Clock, cluster: Cluster) -> None:
        self._gateway = gateway
        self._clock = clock
        self._cluster = cluster
        self._images = ImageFinder(gateway, clock)

    async def find(self, node_class: EC2NodeClass) -> ClassFacts:
        """Give what was found for a class."""
        spec, cluster = node_class.spec, self._cluster
        subnets = await find_subnets(self._gateway, spec.subnet_selector_terms)
        groups = await find_groups(self._gateway, spec.security_group_selector_terms)
        images = await self._images.find(spec, cluster.version)
        reserved = await find_reservations(
            self._gateway, spec.capacity_reservation_selector_terms, self._clock.now_ms()
        )
        profile = await ensure_profile(self._gateway, cluster, node_class)
        return ClassFacts(
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
            capacity_reservations=_trouble(reserved)
            if isinstance(reserved, Fault)
            else tuple(one.status for one in reserved),
            user_data=self._user_data(node_class),
            kubernetes_minor=_minor(cluster.version),
            fingerprint=hash_ec2nodeclass(spec, cluster.authority),
        )

    async def release(self, node_class: EC2NodeClass) -> Trouble | None:
        """Delete the profile that was made for a class; one that it was given stays."""
        if node_class.spec.role is None:
            return None
        trouble = await delete_profile(self._gateway, profile_name(self._cluster, node_class))
        return None if trouble is None else _trouble(trouble)

    def _user_data(self, node_class: EC2NodeClass) -> Trouble | None:
        spec = node_class.spec
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


def open_classes(gateway: Gateway, clock: Clock, cluster: Cluster) -> Classes:
    """Give who answers the selectors of a cluster's classes."""
    return ClassFinder(gateway, clock, cluster)


def _trouble(fault: Fault) -> Trouble:
    reason = "Unauthorized" if fault.is_unauthorized else fault.code
    return Trouble(reason, str(fault), is_passing=fault.is_passing)


def _minor(version: str) -> int | None:
    minor = version.partition(".")[2]
    return int(minor) if minor.isdecimal() else None
