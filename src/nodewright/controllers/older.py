"""Older objects: Provisioners and AWSNodeTemplates are acted on, and told what they are today."""

from collections.abc import Iterable

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.older import judge_older
from nodewright.model.beside import Beside
from nodewright.model.decision import Decision
from nodewright.model.resource import NODE_CLAIMS, NODES, OLDER
from nodewright.model.world import World
from nodewright.state.mirror import Change
from nodewright.state.older import read_older


class OlderObjects(Controller):
    """Writes conditions on objects of Karpenter's older kinds."""

    name = "older"
    wakes_on = (*OLDER, NODE_CLAIMS, NODES)
    pace = Pace(at_most_every_ms=1_000, at_least_every_ms=60_000)

    def hears(self, change: Change) -> bool:
        """Wake for older objects, and for claims and nodes where there are any."""
        return change.resource in OLDER or bool(read_older(self.ports.mirror).objects)

    async def gather(self) -> bool:
        """Tell whether there are any."""
        return bool(read_older(self.ports.mirror).objects)

    def beside(self, world: World) -> Beside:
        """Give the objects as they are."""
        del world
        return Beside(older=read_older(self.ports.mirror).objects)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give what is to be written and told."""
        return judge_older(world)
