"""Garbage collection: machines without claims, and claims without machines."""

from collections.abc import Iterable
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.garbage import collect
from nodewright.model.beside import Beside
from nodewright.model.decision import Decision
from nodewright.model.world import World
from nodewright.ports.cloud import Machine
from nodewright.state.older import read_older

_OFTEN_MS: Final = 10_000
_OFTEN_COUNT: Final = 20
_SELDOM_MS: Final = 120_000


class Garbage(Controller):
    """Takes away what has lost its other half; often at first, when most is unknown."""

    name = "garbage"
    pace = Pace(at_most_every_ms=1_000, at_least_every_ms=_SELDOM_MS)
    sees_pods = False
    _machines: tuple[Machine, ...] = ()
    _count = 0
    _is_answered = True

    async def gather(self) -> bool:
        """List the cloud, before the cluster is looked at."""
        listed = await self.ports.cloud.list_machines()
        self._is_answered = isinstance(listed, tuple)
        if not isinstance(listed, tuple):
            return False
        self._machines = listed
        self._count += 1
        return True

    def beside(self, world: World) -> Beside:
        """Give what the cloud listed, but for what belongs to claims of older kinds."""
        del world
        older = {one.status.provider_id for one in read_older(self.ports.mirror).node_claims}
        machines = tuple(one for one in self._machines if one.provider_id not in older)
        return Beside(cloud=self.memory.view(machines))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give what is to be taken away."""
        return collect(world, world.beside.cloud)

    def next_look_ms(self) -> int:
        """Look often at first, and soon where the cloud did not answer."""
        if self._count < _OFTEN_COUNT or not self._is_answered:
            return _OFTEN_MS
        return _SELDOM_MS
