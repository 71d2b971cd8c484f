"""Reserved: nodes on reserved capacity are looked after when their reservation ends."""

from collections.abc import Iterable
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.reserved import is_reserved, keep_reserved
from nodewright.model.beside import Beside
from nodewright.model.decision import Decision
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.resource import NODE_CLASSES
from nodewright.model.world import World
from nodewright.ports.cloud import Machine
from nodewright.state.live import served_claims
from nodewright.state.mirror import Change

_LOOK_MS: Final = 60_000


class Reserved(Controller):
    """Deletes claims of capacity blocks that end, and labels what runs on without its reservation."""

    name = "reserved"
    wakes_on = (NODE_CLASSES,)
    pace = Pace(at_most_every_ms=1_000, at_least_every_ms=_LOOK_MS)
    _machines: tuple[Machine, ...] | None = None
    _listed_ms = 0

    def hears(self, change: Change) -> bool:
        """Wake when what is known of a class's reservations changes."""
        old, new = change.old, change.new
        if not isinstance(old, EC2NodeClass) or not isinstance(new, EC2NodeClass):
            return False
        return old.status.capacity_reservations != new.status.capacity_reservations

    async def gather(self) -> bool:
        """List the cloud once a minute, where anything is reserved."""
        if not any(is_reserved(one) for one in served_claims(self.ports.mirror)):
            return False
        now_ms = self.ports.clock.now_ms()
        if self._machines is None or now_ms - self._listed_ms >= _LOOK_MS:
            listed = await self.ports.cloud.list_machines()
            self._machines = listed if isinstance(listed, tuple) else None
            self._listed_ms = now_ms
        return True

    def beside(self, world: World) -> Beside:
        """Give how the machines of claims were bought."""
        known = {one.status.provider_id for one in world.node_claims}
        machines = self._machines
        if machines is not None:
            machines = tuple(one for one in machines if one.provider_id in known)
        return Beside(cloud=self.memory.view(machines))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give what is to be done about reservations that end."""
        return keep_reserved(world)
