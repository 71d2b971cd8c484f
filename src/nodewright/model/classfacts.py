"""What a cloud found for an EC2NodeClass: one answer for each of its selectors, or why there is none."""

import msgspec

from nodewright.model.ec2nodeclass import (
    AMIStatus,
    CapacityReservationStatus,
    SecurityGroupStatus,
    SubnetStatus,
)


class Trouble(msgspec.Struct, frozen=True):
    """Why a question has no answer; one that passes leaves what was known before."""

    reason: str
    message: str = ""
    is_passing: bool = False


class ClassFacts(msgspec.Struct, frozen=True):
    """The answers about one class, of the generation that was asked about.

    `user_data` is what is wrong with the user data of its machines, `kubernetes_minor` the minor version
    of the cluster for which its images are. `placement_group` is the id of the group that it names, if
    any, `rehearsal` what came of trying a launch that starts nothing, and `fingerprint` is what its machines
    are stamped with. `allows_expressions` is whether kubelet settings may be expressions, and `seen_memory`
    what is to be noted of the memory that its nodes have shown.
    """

    name: str
    generation: int
    subnets: tuple[SubnetStatus, ...] | Trouble
    security_groups: tuple[SecurityGroupStatus, ...] | Trouble
    amis: tuple[AMIStatus, ...] | Trouble
    instance_profile: str | Trouble
    capacity_reservations: tuple[CapacityReservationStatus, ...] | Trouble = ()
    placement_group: str | Trouble = ""
    user_data: Trouble | None = None
    rehearsal: Trouble | None = None
    kubernetes_minor: int | None = None
    fingerprint: str = ""
    allows_expressions: bool = False
    seen_memory: str = ""
