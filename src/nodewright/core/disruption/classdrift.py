"""Drift of EC2 machines from their class: what they were made from is not what would be taken today.

In order: what the class says, the image, the security groups, the subnet, the capacity reservation, the
placement group. Some of it only the machine itself can tell; where nobody has asked it, or the class does
not know what its selectors find, that part is not settled, and what was found before goes on to hold.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.catalog.images import image_for
from nodewright.model import labels as names
from nodewright.model.cloudview import SeenMachine
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.hashing import (
    EC2NODECLASS_HASH,
    EC2NODECLASS_HASH_VERSION,
    HASH_VERSION,
    is_same_class,
    stamp_class,
)
from nodewright.model.instance import InstanceType
from nodewright.model.nodeclaim import NodeClaim

CLASS_DRIFT: Final = "NodeClassDrift"
IMAGE_DRIFT: Final = "AMIDrift"
GROUP_DRIFT: Final = "SecurityGroupDrift"
SUBNET_DRIFT: Final = "SubnetDrift"
RESERVATION_DRIFT: Final = "CapacityReservationDrift"
PLACEMENT_DRIFT: Final = "PlacementGroupDrift"
_REASONS: Final = (
    CLASS_DRIFT, IMAGE_DRIFT, GROUP_DRIFT, SUBNET_DRIFT, RESERVATION_DRIFT, PLACEMENT_DRIFT,
)  # fmt: skip
"""In the order in which they are asked."""

_RESERVATIONS_READY: Final = "CapacityReservationsReady"


class Judged(msgspec.Struct, frozen=True):
    """Why a machine has drifted from its class, or nothing; and for what it was looked through."""

    reason: str = ""
    answers: tuple[bool | None, ...] = ()

    @property
    def settled(self) -> frozenset[str]:
        """The reasons about which there is an answer."""
        pairs = zip(_REASONS, self.answers, strict=False)
        return frozenset(reason for reason, one in pairs if one is not None)


class ClassJudge:
    """Judges machines against classes; the image of each type is found once."""

    def __init__(self, machines: tuple[SeenMachine, ...] | None) -> None:
        self._machines = {one.provider_id: one for one in machines or ()}
        self._images: dict[tuple[str, str], str | None] = {}
        self._stamps: dict[str, str] = {}

    def judge(
        self, claim: NodeClaim, node_class: EC2NodeClass, kind: InstanceType | None
    ) -> Judged:
        """Tell whether a claim's machine has drifted from its class; the first reason counts."""
        machine = self._machines.get(claim.status.provider_id)
        answers = (
            self._is_changed(claim, node_class),
            self._has_other_image(claim, node_class, kind),
            _has_other_groups(node_class, machine),
            _has_other_subnet(node_class, machine),
            _has_lost_reservation(claim, node_class),
            _is_misplaced(claim, node_class, machine),
        )
        return Judged(_REASONS[answers.index(True)] if True in answers else "", answers)

    def _is_changed(self, claim: NodeClaim, node_class: EC2NodeClass) -> bool | None:
        own, version = _stamp(claim.metadata.annotations)
        wanted, wanted_version = _stamp(node_class.metadata.annotations)
        if version == HASH_VERSION:
            # Ours is known without being written on the class: an edit counts at once.
            name = node_class.metadata.name
            if name not in self._stamps:
                stamped = wanted if wanted_version == HASH_VERSION else ""
                self._stamps[name] = stamp_class(node_class.spec, stamped)
            wanted, wanted_version = self._stamps[name], HASH_VERSION
        if not (own and wanted and version) or version != wanted_version:
            return None
        return not is_same_class(own, wanted)

    def _has_other_image(
        self, claim: NodeClaim, node_class: EC2NodeClass, kind: InstanceType | None
    ) -> bool | None:
        if kind is None or not claim.status.image_id or not node_class.status.amis:
            return None
        key = (node_class.metadata.name, kind.name)
        if key not in self._images:
            found = image_for(kind, node_class.status.amis)
            self._images[key] = found.id if found is not None else None
        return claim.status.image_id != self._images[key]


def _has_other_groups(node_class: EC2NodeClass, machine: SeenMachine | None) -> bool | None:
    if machine is None or not machine.security_groups:
        return None
    wanted = {one.id for one in node_class.status.security_groups}
    if not wanted:
        return None
    return set(machine.security_groups) != wanted


def _has_other_subnet(node_class: EC2NodeClass, machine: SeenMachine | None) -> bool | None:
    if machine is None or not machine.subnet_id:
        return None
    wanted = {one.id for one in node_class.status.subnets}
    if not wanted:
        return None
    return machine.subnet_id not in wanted


def _has_lost_reservation(claim: NodeClaim, node_class: EC2NodeClass) -> bool | None:
    have = claim.metadata.labels
    reservation = have.get(names.RESERVATION_ID)
    if not reservation or have.get(names.CAPACITY_TYPE) != names.RESERVED:
        return False
    known = (one for one in node_class.status.conditions if one.type == _RESERVATIONS_READY)
    if not any(one.status == "True" for one in known):
        return None
    return reservation not in {one.id for one in node_class.status.capacity_reservations}


def _is_misplaced(
    claim: NodeClaim, node_class: EC2NodeClass, machine: SeenMachine | None
) -> bool | None:
    selector = node_class.spec.placement_group_selector
    group = claim.metadata.labels.get(names.PLACEMENT_GROUP_ID, "")
    if selector is None:
        return bool(group)
    if selector.id:
        return group != selector.id
    # By name only the machine can be compared: what a class finds by it is not in its status.
    if machine is None or not machine.subnet_id:
        return None
    return machine.placement_group != selector.name


def _stamp(annotations: Mapping[str, str]) -> tuple[str, str]:
    return annotations.get(EC2NODECLASS_HASH, ""), annotations.get(EC2NODECLASS_HASH_VERSION, "")
