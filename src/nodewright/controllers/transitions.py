"""Transitions: whoever describes a claim, pool or class finds its conditions' history among the Events."""

from collections.abc import Iterable
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.transitions import find_transitions, tell_transitions
from nodewright.model.beside import Beside, Transition
from nodewright.model.decision import Decision
from nodewright.model.nodeclass import CLASS_KINDS
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS
from nodewright.model.world import World
from nodewright.state.mirror import Change

_PENDING_MAX: Final = 5_000
_TOLD_MAX: Final = 100


class Transitions(Controller):
    """Publishes an Event for each condition that changes; when there are too many, the oldest go."""

    name = "transitions"
    wakes_on = (NODE_CLAIMS, NODE_POOLS, *CLASS_KINDS)
    pace = Pace(at_most_every_ms=1_000, at_least_every_ms=600_000)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._pending: list[Transition] = []

    def hears(self, change: Change) -> bool:
        """Take note of what has changed."""
        found = list(find_transitions(change.resource, change.old, change.new))
        self._pending = [*self._pending, *found][-_PENDING_MAX:]
        return bool(found)

    async def gather(self) -> bool:
        """Tell whether there is anything to tell."""
        return bool(self._pending)

    def look(self) -> World:
        """Look at nothing else."""
        return World(self.ports.clock.now_ms())

    def beside(self, world: World) -> Beside:
        """Give what has changed since the last look, as much of it as others leave room for."""
        del world
        pending, self._pending = self._pending[:_TOLD_MAX], self._pending[_TOLD_MAX:]
        return Beside(transitions=tuple(pending))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the Events."""
        return tell_transitions(world)

    def next_look_ms(self) -> int:
        """Look again soon while something is left to tell."""
        return self.pace.at_most_every_ms if self._pending else self.pace.at_least_every_ms
