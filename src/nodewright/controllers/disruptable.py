"""Disruptable: claims say whether they are quiet enough to be consolidated, and whether they have drifted."""

from collections.abc import Iterable, Sequence
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.onsale import OnSale, ask_for_types
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.disruptable import judge_claims
from nodewright.model.beside import Beside
from nodewright.model.decision import Decision, Keep
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.resource import NODE_CLAIMS, NODE_CLASSES, NODE_POOLS
from nodewright.model.world import World
from nodewright.ports.cloud import Machine
from nodewright.state.live import find_classes, find_pools, served_claims
from nodewright.state.mirror import Change

_LOOK_MS: Final = 300_000
_MACHINES_MS: Final = 60_000
_RETRY_MS: Final = 1_000


class Disruptable(Controller):
    """Writes the conditions Consolidatable and Drifted."""

    name = "disruptable"
    wakes_on = (NODE_CLAIMS, NODE_POOLS, NODE_CLASSES)
    pace = Pace(at_most_every_ms=10_000, at_least_every_ms=_LOOK_MS)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._types: OnSale = {}
        self._machines: tuple[Machine, ...] | None = None
        self._listed_ms = 0
        self._next_ms = _LOOK_MS

    def hears(self, change: Change) -> bool:
        """Wake for edits of pools and classes, and for claims that changed in what counts here."""
        old, new = change.old, change.new
        if isinstance(old, EC2NodeClass) and isinstance(new, EC2NodeClass):
            return old.spec != new.spec or old.status != new.status
        if isinstance(old, NodePool) and isinstance(new, NodePool):
            return old.spec != new.spec
        if isinstance(old, NodeClaim) and isinstance(new, NodeClaim):
            return (
                old.status.conditions != new.status.conditions
                or old.status.last_pod_event_time != new.status.last_pod_event_time
                or old.metadata.annotations != new.metadata.annotations
                or old.metadata.labels != new.metadata.labels
            )
        return new is not None

    async def gather(self) -> bool:
        """Ask what is on sale and how machines stand, where there are claims."""
        mirror = self.ports.mirror
        if not served_claims(mirror):
            return False
        types = await ask_for_types(self.ports, find_pools(mirror))
        self._next_ms = _RETRY_MS
        self._types = types or {}
        if types is not None:
            await self._list_machines()
        return types is not None

    async def _list_machines(self) -> None:
        """Ask how machines stand, now and then: only those of EC2 can drift in that."""
        if not any(isinstance(one, EC2NodeClass) for one in find_classes(self.ports.mirror)):
            return
        now_ms = self.ports.clock.now_ms()
        if self._machines is not None and now_ms - self._listed_ms < _MACHINES_MS:
            return
        listed = await self.ports.cloud.list_machines()
        self._machines = listed if isinstance(listed, tuple) else None
        self._listed_ms = now_ms

    def look(self) -> World:
        """Look at claims, pools and classes only."""
        mirror = self.ports.mirror
        return World(
            self.ports.clock.now_ms(),
            node_claims=served_claims(mirror),
            node_pools=find_pools(mirror),
            node_classes=find_classes(mirror),
            instance_types=self._types,
            options=self.settings.options,
        )

    def beside(self, world: World) -> Beside:
        """Give how the machines of claims stand."""
        if self._machines is None:
            return Beside()
        known = {one.status.provider_id for one in world.node_claims}
        machines = tuple(one for one in self._machines if one.provider_id in known)
        return Beside(cloud=self.memory.view(machines))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the conditions that are to be written."""
        return judge_claims(world)

    def note(self, decisions: Sequence[Decision]) -> None:
        """Look again when the next claim has been quiet for long enough."""
        waits = [one.look_again_ms for one in decisions if isinstance(one, Keep)]
        self._next_ms = max(1, min([_LOOK_MS, *waits]))

    def next_look_ms(self) -> int:
        """Look when a claim's time comes."""
        return self._next_ms
