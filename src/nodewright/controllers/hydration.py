"""Hydration: what an older controller left without the label of its class gets it."""

from collections.abc import Iterable

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.hydration import hydrate
from nodewright.model.decision import Decision
from nodewright.model.resource import NODE_CLAIMS
from nodewright.model.world import World
from nodewright.state.mirror import Change


class Hydration(Controller):
    """Labels claims and nodes."""

    name = "hydration"
    wakes_on = (NODE_CLAIMS,)
    pace = Pace(at_most_every_ms=5_000, at_least_every_ms=600_000)
    sees_pods = False

    def hears(self, change: Change) -> bool:
        """Wake for claims that are seen for the first time."""
        return change.old is None

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the labels that are missing."""
        return hydrate(world)
