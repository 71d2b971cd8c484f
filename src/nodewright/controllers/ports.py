"""What every controller is given: the ports, and the memory that the controllers share."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from nodewright.controllers.notes import Notes
from nodewright.model.cloudview import CloudView, SeenMachine
from nodewright.model.disruption import Memory as Known
from nodewright.model.disruption import Running
from nodewright.model.ec2nodeclass import EC2NodeClassStatus
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_POOLS
from nodewright.model.world import Options
from nodewright.ports.clock import Clock
from nodewright.ports.cloud import Cloud, Ended, Machine
from nodewright.ports.kube import Kube
from nodewright.ports.witness import Witness
from nodewright.state.expectations import Expectations
from nodewright.state.mirror import Change, Mirror

CLAIM_TAG = "karpenter.sh/nodeclaim"


class Ports(Protocol):
    """The world outside, as a process is given it."""

    @property
    def kube(self) -> Kube:
        """The cluster, to act on."""
        ...

    @property
    def cloud(self) -> Cloud:
        """The provider of machines."""
        ...

    @property
    def clock(self) -> Clock:
        """The time."""
        ...

    @property
    def mirror(self) -> Mirror:
        """The cluster, to look at."""
        ...

    @property
    def listen(self) -> Callable[[Callable[[tuple[Change, ...]], None]], None]:
        """Be told of what changes in the mirror."""
        ...

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """Those who are told of decisions; most processes of tests have none."""
        ...


class Settings(msgspec.Struct, frozen=True):
    """What can be set about the controllers."""

    batch_idle_ms: int = 1_000
    batch_most_ms: int = 10_000
    options: Options = Options(pending_rule="live")
    nominates: bool = True


class Memory:
    """What one process knows beside the mirror; losing it costs time, never truth."""

    def __init__(self) -> None:
        self.expectations = Expectations()
        self.busy: set[str] = set()
        self.held_up: dict[str, list[Callable[[str], None]]] = {}
        self.launches: list[tuple[str, bool]] = []
        self.has_waiting = False
        self.is_planning = False
        self.plan_count = 0
        self.nominates = False
        self.nominated: dict[str, str] = {}
        self.disruption = Known()
        self.begun: dict[str, Running] = {}
        self.being_begun: set[str] = set()
        self.abandoned: set[str] = set()
        self.targets: dict[str, tuple[str, ...]] = {}
        self.class_statuses: dict[str, EC2NodeClassStatus] = {}
        self.notes = Notes()
        self._ended: dict[str, Ended] = {}

    def launched(self, claim: NodeClaim, *, registered: bool) -> None:
        """Remember for the pool that owns a claim whether its launch became a node."""
        self.launches += [
            (owner.uid, registered)
            for owner in claim.metadata.owner_references
            if owner.kind == NODE_POOLS.kind
        ]

    def ended(self, provider_id: str, answer: Ended) -> None:
        """Remember what the cloud said when a machine was given back."""
        if answer is not Ended.TRY_AGAIN:
            self._ended[provider_id] = answer

    def view(self, machines: tuple[Machine, ...] | None) -> CloudView:
        """Give what is known of the cloud."""
        seen = None
        if machines is not None:
            seen = tuple(
                SeenMachine(
                    provider_id=one.provider_id,
                    claim=one.tags.get(CLAIM_TAG, ""),
                    launched_ms=one.launched_ms,
                    is_alive=one.is_alive,
                    capacity_type=one.capacity_type,
                    subnet_id=one.subnet_id,
                    security_groups=one.security_groups,
                    placement_group=one.placement_group,
                )
                for one in machines
            )
        return CloudView(
            machines=seen,
            ending=self._those(Ended.ACCEPTED),
            gone=self._those(Ended.GONE),
        )

    def _those(self, answer: Ended) -> frozenset[str]:
        return frozenset(one for one, said in self._ended.items() if said is answer)

    def forget(self, known: set[str]) -> None:
        """Forget the machines that nothing in the cluster speaks of any more."""
        self._ended = {one: said for one, said in self._ended.items() if one in known}
