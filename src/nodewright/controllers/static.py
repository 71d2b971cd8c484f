"""Static pools: they are kept at their number of nodes."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.static import keep_replicas
from nodewright.model.decision import Decision, Delete, Keep, Launch
from nodewright.model.instant import print_instant
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS
from nodewright.model.world import World
from nodewright.ports.kube import Answer
from nodewright.state.live import take_snapshot
from nodewright.state.mirror import Change

_LOOK_MS: Final = 60_000
_IDLE_MS: Final = 600_000


class StaticPools(Controller):
    """Makes and deletes claims of pools that want a fixed number of nodes."""

    name = "static"
    wakes_on = (NODE_POOLS, NODE_CLAIMS)
    pace = Pace(at_most_every_ms=1_000, at_least_every_ms=_LOOK_MS)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._deleted: dict[str, str] = {}
        self._next_ms = _LOOK_MS

    def hears(self, change: Change) -> bool:
        """Wake for pools, and for claims that come or go where a pool is static."""
        if change.resource is NODE_POOLS:
            return True
        if not self._has_static():
            return False
        if change.old is None or change.new is None:
            return True
        old, new = change.old.metadata, change.new.metadata
        return (old.deletion_timestamp is None) != (new.deletion_timestamp is None)

    async def gather(self) -> bool:
        """Tell whether there is any static pool."""
        is_any = self._has_static()
        if not is_any:
            self._next_ms = _IDLE_MS
        return is_any

    def _has_static(self) -> bool:
        return any(pool.spec.replicas is not None for pool in self.ports.mirror.all(NODE_POOLS))

    def look(self) -> World:
        """Give the World with the claims that were just made, and without those just deleted."""
        now_ms = self.ports.clock.now_ms()
        world = take_snapshot(self.ports.mirror, now_ms, options=self.settings.options)
        names = [claim.metadata.name for claim in world.node_claims]
        unseen = self.memory.expectations.unseen(names, now_ms)
        here = {claim.metadata.uid for claim in world.node_claims}
        self._deleted = {uid: at for uid, at in self._deleted.items() if uid in here}
        claims = (*map(self._as_it_will_be, world.node_claims), *unseen)
        return msgspec.structs.replace(world, node_claims=claims)

    def _as_it_will_be(self, claim: NodeClaim) -> NodeClaim:
        at = self._deleted.get(claim.metadata.uid)
        if at is None or claim.metadata.deletion_timestamp is not None:
            return claim
        metadata = msgspec.structs.replace(claim.metadata, deletion_timestamp=at)
        return msgspec.structs.replace(claim, metadata=metadata)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the claims to be made and deleted."""
        return keep_replicas(world)

    def note(self, decisions: Sequence[Decision]) -> None:
        """Count what is about to be made as there."""
        now_ms = self.ports.clock.now_ms()
        waits = [one.look_again_ms for one in decisions if isinstance(one, Keep)]
        self._next_ms = min(waits, default=_LOOK_MS)
        for one in decisions:
            if isinstance(one, Launch):
                self.memory.expectations.create(one.claim, (), now_ms)

    async def act(self, decision: Decision) -> Answer:
        """Act; a claim that is being deleted counts as going before anybody sees it."""
        if isinstance(decision, Delete):
            self._deleted[decision.subject.uid] = print_instant(self.ports.clock.now_ms())
        answer = await super().act(decision)
        if isinstance(decision, Delete) and not answer.is_done:
            self._deleted.pop(decision.subject.uid, None)
        return answer

    def next_look_ms(self) -> int:
        """Look sooner where a limit holds a pool back."""
        return self._next_ms
