"""Expiration: nodes that have lived as long as they may go."""

from collections.abc import Iterable

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.expiration import expire
from nodewright.model.decision import Decision
from nodewright.model.resource import NODE_CLAIMS
from nodewright.model.world import World


class Expiration(Controller):
    """Deletes claims that are older than they may get."""

    name = "expiration"
    wakes_on = (NODE_CLAIMS,)
    pace = Pace(at_most_every_ms=5_000, at_least_every_ms=10_000)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the claims whose time is over."""
        return expire(world)
