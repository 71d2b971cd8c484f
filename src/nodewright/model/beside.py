"""What the objects of a cluster do not tell, and a decision may know all the same.

It is part of the World that was decided on, so that every decision can be taken again from it.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.model.classfacts import ClassFacts
from nodewright.model.cloudview import CloudNotice, CloudView, EndedMachine, QueueView
from nodewright.model.disruption import Memory, RepairRule
from nodewright.model.older import OlderObject

OUTCOMES_MAX: Final = 4


class Outcomes(msgspec.Struct, frozen=True, rename="camel"):
    """The latest launches of one pool as it and its class were; true for those that registered."""

    uid: str
    generation: int
    latest: tuple[bool, ...] = ()
    class_generation: int = 0

    def add(self, *, registered: bool) -> "Outcomes":
        """Take note of one more launch."""
        latest = (*self.latest, registered)[-OUTCOMES_MAX:]
        return msgspec.structs.replace(self, latest=latest)


class TypeCount(msgspec.Struct, frozen=True, rename="camel"):
    """How many instance types the cloud sells for a class."""

    group: str
    kind: str
    name: str
    count: int


class Transition(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A condition of an object that has changed its status, or `Finalized`."""

    resource: str
    name: str
    uid: str
    condition: str
    before: str = ""
    after: str = ""
    reason: str = ""


class Beside(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What one process knows beside the objects, as far as a decision looks at it.

    `outcomes` are those of pools by uid, `pod_events_ms` the latest pod event by node; `expected` says
    where pods (by uid) should come to run, `idle_since_ms` since when they do not, and `waiting_count` how
    many pods wait for the scheduler; `older` are the objects of kinds that have other names today, `repair_rules` what the provider takes for broken,
    `class_facts` what it found for classes, `queue` how its messages come, and `ended` the machines that
    it says have ended.
    """

    cloud: CloudView = CloudView()
    notices: tuple[CloudNotice, ...] = ()
    queue: QueueView | None = None
    outcomes: Mapping[str, Outcomes] = {}
    pod_events_ms: Mapping[str, int] = {}
    expected: Mapping[str, str] = {}
    idle_since_ms: Mapping[str, int] = {}
    waiting_count: int = 0
    type_counts: tuple[TypeCount, ...] = ()
    older: tuple[OlderObject, ...] = ()
    transitions: tuple[Transition, ...] = ()
    disruption: Memory = Memory()
    repair_rules: tuple[RepairRule, ...] = ()
    class_facts: tuple[ClassFacts, ...] = ()
    ended: tuple[EndedMachine, ...] = ()
