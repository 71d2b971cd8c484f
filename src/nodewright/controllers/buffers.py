"""CapacityBuffers: room is kept for pods to come, behind everybody who is there already."""

from collections.abc import Iterable, Sequence
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.onsale import OnSale, ask_for_types
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.buffers import keep_room
from nodewright.model.decision import Decision, Launch
from nodewright.model.resource import CAPACITY_BUFFERS, POD_TEMPLATES
from nodewright.model.world import World
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.live import find_pools, look_ahead, take_snapshot, with_machines
from nodewright.state.mirror import Change

_LOOK_MS: Final = 30_000
_IDLE_MS: Final = 600_000
_SOON_MS: Final = 1_000


class Buffers(Controller):
    """Makes claims for buffers, and writes on them whether their room is there.

    Pods that wait come first: while they are gathered or planned for, buffers wait, and what was
    planned for a buffer meanwhile is dropped, since it did not know what they took.
    """

    name = "buffers"
    wakes_on = (CAPACITY_BUFFERS, POD_TEMPLATES)
    pace = Pace(at_most_every_ms=1_000, at_least_every_ms=_LOOK_MS)
    is_heavy = True

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._types: OnSale = {}
        self._plan_count = 0
        self._is_late = False

    def hears(self, change: Change) -> bool:
        """Wake when a buffer's wishes change; its status is our own doing."""
        old, new = change.old, change.new
        if old is None or new is None or change.resource is POD_TEMPLATES:
            return True
        return old.metadata.generation != new.metadata.generation

    async def gather(self) -> bool:
        """Ask what is on sale, unless there are no buffers or pods wait."""
        mirror = self.ports.mirror
        self._is_late = False
        if not mirror.all(CAPACITY_BUFFERS):
            return False
        types = await ask_for_types(self.ports, find_pools(mirror))
        self._is_late = types is None or self.memory.is_planning or self.memory.has_waiting
        self._types = types or {}
        return not self._is_late

    def look(self) -> World:
        """Give the World with everything that is on its way."""
        now_ms = self.ports.clock.now_ms()
        self._plan_count = self.memory.plan_count
        world = take_snapshot(self.ports.mirror, now_ms, self._types, self.settings.options)
        return look_ahead(with_machines(world, self.ports.mirror), self.memory.expectations)

    def decide(self, world: World) -> Iterable[Decision]:
        """Plan."""
        return keep_room(world)

    def note(self, decisions: Sequence[Decision]) -> None:
        """Count what is about to be made as there, unless pods were planned for meanwhile."""
        self._is_late = self.memory.is_planning or self._plan_count != self.memory.plan_count
        if not self._is_late:
            now_ms = self.ports.clock.now_ms()
            for one in decisions:
                if isinstance(one, Launch):
                    self.memory.expectations.create(one.claim, (), now_ms)

    async def act(self, decision: Decision) -> Answer:
        """Act, on claims only where nobody came before."""
        if isinstance(decision, Launch) and not self.memory.expectations.has_made(
            decision.claim.metadata.name
        ):
            return Answer(Outcome.NOTHING_TO_DO)
        return await super().act(decision)

    def next_look_ms(self) -> int:
        """Look again soon where others came first, and seldom where there is no buffer."""
        if not self.ports.mirror.count(CAPACITY_BUFFERS):
            return _IDLE_MS
        return _SOON_MS if self._is_late else _LOOK_MS
