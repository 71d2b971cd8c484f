"""Interruption: nodes whose machines the cloud takes away are drained while there is time."""

from collections.abc import Iterable

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.interruption import heed, is_settled
from nodewright.model.beside import Beside
from nodewright.model.cloudview import CloudNotice
from nodewright.model.decision import Decision
from nodewright.model.world import World


class Interruption(Controller):
    """Listens to the cloud, and acknowledges a notice once nothing is left to do about it."""

    name = "interruption"
    pace = Pace(at_most_every_ms=100, at_least_every_ms=1_000)
    is_urgent = True
    _notices: tuple[CloudNotice, ...] = ()

    async def gather(self) -> bool:
        """Acknowledge what is settled, then wait for more."""
        if self._notices:
            world = self.look()
            for notice in self._notices:
                if is_settled(world, notice):
                    await self.ports.cloud.acknowledge(notice.receipt)
        received = await self.ports.cloud.receive_notices()
        said = received if isinstance(received, tuple) else ()
        self._notices = tuple(
            CloudNotice(one.receipt, one.kind, one.provider_ids, one.detail) for one in said
        )
        return bool(self._notices)

    def beside(self, world: World) -> Beside:
        """Give what the cloud said."""
        del world
        return Beside(notices=self._notices)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give what is to be done about what was said."""
        return heed(world, world.beside.notices)

    def next_look_ms(self) -> int:
        """Listen again at once; what was just acted on shows in a moment."""
        return self.pace.at_least_every_ms
