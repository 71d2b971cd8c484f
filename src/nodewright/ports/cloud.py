"""The cloud as controllers see it: machines are asked for, looked at, and given back.

Expected failures are values. A launch carries a token: asking again with the same one gives the same
machine, however often and from whichever process. A machine is known by its provider id, and its
tags say for which claim it was made, so that one who lost the answer can find it again.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Protocol

import msgspec

from nodewright.model.disruption import RepairRule
from nodewright.model.instance import InstanceType
from nodewright.model.metadata import Taint
from nodewright.model.nodeclass import NodeClass
from nodewright.model.quantity import Resources
from nodewright.model.requirements import Requirements


class LaunchRequest(msgspec.Struct, frozen=True):
    """A machine that is wanted: what it may be, for which claim, and under which token.

    `overlaid` are the types that NodeOverlays have corrected; `is_relaxed` tells of a claim that has
    fewer different values than its pool wants.
    """

    token: str
    claim: str
    claim_uid: str
    node_pool: str
    node_class: NodeClass | None
    requirements: Requirements
    instance_types: tuple[str, ...]
    requests: Resources = {}
    tags: Mapping[str, str] = {}
    labels: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()
    overlaid: tuple[InstanceType, ...] = ()
    is_relaxed: bool = False


class Machine(msgspec.Struct, frozen=True):
    """A machine as the cloud describes it; `labels` are those that its kind alone does not tell."""

    provider_id: str
    state: str
    instance_type: str
    zone: str
    capacity_type: str
    launched_ms: int
    tags: Mapping[str, str] = {}
    image_id: str = ""
    subnet_id: str = ""
    security_groups: tuple[str, ...] = ()
    placement_group: str = ""
    labels: Mapping[str, str] = {}

    ended_because: str = ""

    @property
    def is_alive(self) -> bool:
        """Whether it runs or is about to."""
        return self.state in ("pending", "running")

    @property
    def has_ended(self) -> bool:
        """Whether it is gone, or about to be."""
        return self.state in ("shutting-down", "terminated")


class Refusal(msgspec.Struct, frozen=True):
    """One way to have a machine that a launch tried in vain, with the cloud's code for why."""

    zone: str
    capacity_type: str
    reason: str


class Launched(msgspec.Struct, frozen=True):
    """The answer to a launch that succeeded, with what the claim is to carry from now on.

    `refused` is what could not be had before something else could.
    """

    machine: Machine
    labels: Mapping[str, str] = {}
    capacity: Resources = {}
    allocatable: Resources = {}
    annotations: Mapping[str, str] = {}
    refused: tuple[Refusal, ...] = ()


class LaunchFault(Enum):
    """Why a launch failed, by what to do about it.

    The last means that the cloud knows the token with other words than today's: it starts nothing
    any more, and what it has started is found by its tag.
    """

    NO_CAPACITY = "NoCapacity"
    CLASS_NOT_READY = "ClassNotReady"
    REFUSED = "Refused"
    TRANSIENT = "Transient"
    SPENT = "Spent"


class LaunchFailed(msgspec.Struct, frozen=True):
    """The answer to a launch that failed: the class of failure, the cloud's code and words."""

    fault: LaunchFault
    reason: str
    message: str = ""
    refused: tuple[Refusal, ...] = ()


class Ended(Enum):
    """What came of giving a machine back."""

    ACCEPTED = "accepted"
    GONE = "gone"
    TRY_AGAIN = "tryAgain"


class Unavailable(msgspec.Struct, frozen=True):
    """The cloud did not answer a question, or not now."""

    reason: str
    retry_after_ms: int = 0


class Notice(msgspec.Struct, frozen=True):
    """A message about machines: an interruption, a hint, a change of state.

    Machines are named as messages name them, by the last part of their provider ids; `claims` are the
    NodeClaims for which those were made that this process has started itself.
    """

    receipt: str
    kind: str
    machines: tuple[str, ...]
    sent_ms: int
    detail: Mapping[str, str] = {}
    claims: tuple[str, ...] = ()


class QueueFault(Enum):
    """Why no messages can be had; the first is no trouble: nobody asked for any."""

    UNSET = "unset"
    MISSING = "missing"
    FORBIDDEN = "forbidden"
    UNREACHABLE = "unreachable"


class Deaf(msgspec.Struct, frozen=True):
    """The answer of a queue that cannot be heard."""

    fault: QueueFault
    message: str = ""
    retry_after_ms: int = 0


class MachineStatus(msgspec.Struct, frozen=True):
    """What the cloud says of a machine when it is asked, and may have sent a message about.

    `state` is that of one that does not run, `impaired_check` the check that fails, and
    `is_taken_back` tells of a spot machine that has had its warning.
    """

    machine: str
    impaired_since_ms: int | None = None
    impaired_check: str = ""
    planned_event: str = ""
    state: str = ""
    is_taken_back: bool = False


class Cloud(Protocol):
    """A provider of machines."""

    async def instance_types(
        self, node_class: NodeClass | None
    ) -> tuple[InstanceType, ...] | Unavailable:
        """Give every type that can be had with a class, with today's prices and availability."""
        ...

    async def launch(self, request: LaunchRequest) -> Launched | LaunchFailed:
        """Start a machine; the same token never starts a second one."""
        ...

    async def describe(self, provider_id: str) -> Machine | Unavailable | None:
        """Give one machine, or nothing where the cloud does not know it.

        One that has ended may be given as long as the cloud remembers it, with why it has.
        """
        ...

    async def list_machines(self) -> tuple[Machine, ...] | Unavailable:
        """Give every machine of this cluster that is not gone."""
        ...

    async def terminate(self, provider_id: str) -> Ended:
        """Give a machine back."""
        ...

    async def receive_notices(self) -> tuple[Notice, ...] | Deaf:
        """Wait for messages about machines; each comes again until it is acknowledged."""
        ...

    async def acknowledge(self, receipts: tuple[str, ...]) -> int:
        """Say that messages were dealt with, and give how many will not come again."""
        ...

    def mark_unavailable(self, labels: Mapping[str, str]) -> None:
        """Take note that what a machine with these labels was had from is not on sale for a while."""
        ...

    def repair_rules(self) -> tuple[RepairRule, ...]:
        """Give the node conditions that mean a broken machine, and how long each is tolerated."""
        ...

    async def statuses(self) -> tuple[MachineStatus, ...] | Unavailable:
        """Give the machines that are unwell, do not run, are taken back or have an event planned."""
        ...
