"""Checkups: what doctor would find at no cost is written on pools and classes while the controller runs."""

from collections.abc import Iterable
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.checkup import check_up
from nodewright.model.decision import Decision
from nodewright.model.resource import DAEMON_SETS, NODE_CLASSES, NODE_POOLS
from nodewright.model.world import World
from nodewright.state.live import find_classes, find_pools

_LOOK_MS: Final = 600_000


class Checkups(Controller):
    """Writes what is wrong on pools and classes."""

    name = "checkup"
    wakes_on = (NODE_POOLS, NODE_CLASSES, DAEMON_SETS)
    pace = Pace(at_most_every_ms=5_000, at_least_every_ms=_LOOK_MS)
    sees_pods = False

    def look(self) -> World:
        """Look at pools, classes and daemon sets only."""
        mirror = self.ports.mirror
        return World(
            self.ports.clock.now_ms(),
            node_pools=find_pools(mirror),
            node_classes=find_classes(mirror),
            daemon_sets=mirror.all(DAEMON_SETS),
        )

    def decide(self, world: World) -> Iterable[Decision]:
        """Give what is not written down yet."""
        return check_up(world)
