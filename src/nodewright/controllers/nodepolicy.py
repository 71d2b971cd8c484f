"""NodePolicies: what each holds for and whether it can be read is written on it."""

from collections.abc import Iterable, Sequence
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.nodepolicy import judge_policies
from nodewright.model.decision import Decision, Keep
from nodewright.model.nodepool import NodePool
from nodewright.model.resource import NODE_POLICIES, NODE_POOLS
from nodewright.model.world import World
from nodewright.state.live import find_pools
from nodewright.state.mirror import Change

_LOOK_MS: Final = 600_000


class NodePolicies(Controller):
    """Writes the status of policies."""

    name = "nodepolicy"
    wakes_on = (NODE_POLICIES, NODE_POOLS)
    pace = Pace(at_most_every_ms=1_000, at_least_every_ms=_LOOK_MS)
    sees_pods = False
    _next_ms = _LOOK_MS

    def hears(self, change: Change) -> bool:
        """Wake for policies, and for pools that come, go or get other labels."""
        old, new = change.old, change.new
        if isinstance(old, NodePool) and isinstance(new, NodePool):
            return old.metadata.labels != new.metadata.labels
        return True

    async def gather(self) -> bool:
        """Tell whether there are any."""
        return bool(self.ports.mirror.all(NODE_POLICIES))

    def look(self) -> World:
        """Look at policies and pools only."""
        mirror = self.ports.mirror
        return World(
            self.ports.clock.now_ms(),
            node_pools=find_pools(mirror),
            node_policies=mirror.all(NODE_POLICIES),
        )

    def decide(self, world: World) -> Iterable[Decision]:
        """Give what is not written down yet."""
        return judge_policies(world)

    def note(self, decisions: Sequence[Decision]) -> None:
        """Look again when the next pause ends."""
        waits = [one.look_again_ms for one in decisions if isinstance(one, Keep)]
        self._next_ms = max(1, min([_LOOK_MS, *waits]))

    def next_look_ms(self) -> int:
        """Look when a pause ends."""
        return self._next_ms
