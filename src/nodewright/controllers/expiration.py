"""Expiration: nodes that have lived as long as they may go."""

from collections.abc import Iterable
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.expiration import expire, next_end_ms
from nodewright.model.decision import Decision
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS
from nodewright.model.world import World
from nodewright.state.live import served_claims
from nodewright.state.mirror import Change

_IDLE_MS: Final = 600_000


class Expiration(Controller):
    """Deletes claims that are older than they may get."""

    name = "expiration"
    wakes_on = (NODE_CLAIMS,)
    pace = Pace(at_most_every_ms=5_000, at_least_every_ms=10_000)

    def hears(self, change: Change) -> bool:
        """Wake for claims that are new or may live shorter; ends are awaited."""
        old, new = change.old, change.new
        if not isinstance(new, NodeClaim):
            return False
        return not isinstance(old, NodeClaim) or old.spec.expire_after != new.spec.expire_after

    async def gather(self) -> bool:
        """Tell whether the time of any claim is over."""
        end_ms = self._end_ms()
        return end_ms is not None and end_ms <= self.ports.clock.now_ms()

    def _end_ms(self) -> int | None:
        mirror = self.ports.mirror
        found: int | None = mirror.derive(
            "next end", (NODE_CLAIMS,), lambda: next_end_ms(served_claims(mirror))
        )
        return found

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the claims whose time is over."""
        return expire(world)

    def next_look_ms(self) -> int:
        """Look when the next claim's time is over; often while one that is over is still there."""
        end_ms, soon_ms = self._end_ms(), self.pace.at_least_every_ms
        if end_ms is None:
            return _IDLE_MS
        return min(_IDLE_MS, max(soon_ms, end_ms - self.ports.clock.now_ms()))
