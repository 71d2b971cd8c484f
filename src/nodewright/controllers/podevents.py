"""Pod events: the time of the last one is kept on each claim."""

from collections.abc import Iterable

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.lifecycle_podevents import node_of_event, write_events
from nodewright.model.beside import Beside
from nodewright.model.decision import Decision
from nodewright.model.pod import Pod
from nodewright.model.resource import PODS
from nodewright.model.world import World
from nodewright.state.live import served_claims
from nodewright.state.mirror import Change


class PodEvents(Controller):
    """Writes down when pods last came to a node or left it."""

    name = "podevents"
    wakes_on = (PODS,)
    pace = Pace(at_most_every_ms=2_000, at_least_every_ms=60_000)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._latest_ms: dict[str, int] = {}

    def hears(self, change: Change) -> bool:
        """Note the time of a pod event."""
        old = change.old if isinstance(change.old, Pod) else None
        new = change.new if isinstance(change.new, Pod) else None
        node = node_of_event(old, new)
        if node:
            self._latest_ms[node] = self.ports.clock.now_ms()
        return bool(node)

    def look(self) -> World:
        """Look at claims only."""
        claims = served_claims(self.ports.mirror)
        known = {claim.status.node_name for claim in claims}
        self._latest_ms = {name: at for name, at in self._latest_ms.items() if name in known}
        return World(self.ports.clock.now_ms(), node_claims=claims)

    def beside(self, world: World) -> Beside:
        """Give the latest events."""
        del world
        return Beside(pod_events_ms=dict(self._latest_ms))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the claims whose last pod event is not written down yet."""
        return write_events(world, world.beside.pod_events_ms)
