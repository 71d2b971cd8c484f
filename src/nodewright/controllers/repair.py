"""Node repair: nodes that stay broken are ended, where the gate NodeRepair is open."""

from collections.abc import Iterable, Sequence
from typing import Final

from nodewright.controllers.loop import Controller, Pace, is_heartbeat
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.disruption.forceful import GATE
from nodewright.core.repair import LOOK_MS, repair
from nodewright.model.beside import Beside
from nodewright.model.decision import Decision, Keep
from nodewright.model.node import Node
from nodewright.model.resource import NODE_CLAIMS, NODES
from nodewright.model.world import World
from nodewright.state.mirror import Change

_SOON_MS: Final = 10_000


class Repair(Controller):
    """Ends nodes whose conditions the provider takes for broken."""

    name = "repair"
    wakes_on = (NODES, NODE_CLAIMS)
    pace = Pace(at_most_every_ms=1_000, at_least_every_ms=_SOON_MS)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._next_ms = LOOK_MS

    def hears(self, change: Change) -> bool:
        """Wake for nodes whose conditions changed, and for claims that we have just hurried."""
        if not self._is_open():
            return False
        if not isinstance(change.new, Node) or not isinstance(change.old, Node):
            return change.resource is NODE_CLAIMS
        return not is_heartbeat(change) and change.old.status != change.new.status

    async def gather(self) -> bool:
        """Tell whether the gate is open."""
        return self._is_open()

    def _is_open(self) -> bool:
        return self.settings.options.feature_gates.get(GATE, False)

    def beside(self, world: World) -> Beside:
        """Give what the provider takes for broken."""
        del world
        return Beside(repair_rules=self.ports.cloud.repair_rules())

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the broken nodes that go."""
        return repair(world)

    def note(self, decisions: Sequence[Decision]) -> None:
        """Look again when the next node is due."""
        waits = [one.look_again_ms for one in decisions if isinstance(one, Keep)]
        acts = any(not isinstance(one, Keep) for one in decisions)
        self._next_ms = _SOON_MS if acts else max(1, min([LOOK_MS, *waits]))

    def next_look_ms(self) -> int:
        """Look when the next node is due."""
        return self._next_ms
