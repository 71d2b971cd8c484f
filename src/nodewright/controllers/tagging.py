"""Tagging: machines that have become nodes carry the node's name."""

from collections.abc import Iterable

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.tagging import TAGGING, needs_tags, tag_machines, tags_of
from nodewright.model.decision import Decision
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS
from nodewright.model.world import World
from nodewright.ports.classes import Classes
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.live import served_claims
from nodewright.state.mirror import Change


class Tagging(Controller):
    """Puts tags on machines once they are nodes, and notes it on their claims."""

    name = "tagging"
    wakes_on = (NODE_CLAIMS,)
    pace = Pace(at_most_every_ms=1_000, at_least_every_ms=60_000)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings, classes: Classes) -> None:
        super().__init__(ports, memory, settings)
        self._classes = classes

    def hears(self, change: Change) -> bool:
        """Wake for claims that have become nodes."""
        return isinstance(change.new, NodeClaim) and needs_tags(change.new)

    async def gather(self) -> bool:
        """Tell whether any machine lacks its tags."""
        return any(map(needs_tags, served_claims(self.ports.mirror)))

    def look(self) -> World:
        """Look at claims only."""
        mirror = self.ports.mirror
        return World(self.ports.clock.now_ms(), node_claims=served_claims(mirror))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the claims whose machines are to be tagged."""
        return tag_machines(world)

    async def act(self, decision: Decision) -> Answer:
        """Tag the machine, then note it."""
        claim = self.ports.mirror.get(NODE_CLAIMS, decision.subject.name)
        if claim is None or decision.reason != TAGGING:
            return Answer(Outcome.NOT_FOUND)
        trouble = await self._classes.tag(claim.status.provider_id, tags_of(claim))
        if trouble is not None:
            return Answer(Outcome.BUSY, trouble.message or trouble.reason)
        return await super().act(decision)
