"""EC2NodeClasses: what their selectors find is asked of AWS, and written into their status."""

from collections.abc import Iterable
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.ec2nodeclass import decide_ec2_classes
from nodewright.model.beside import Beside
from nodewright.model.classfacts import ClassFacts
from nodewright.model.decision import Decision, Release
from nodewright.model.ec2nodeclass import TERMINATION_FINALIZER
from nodewright.model.resource import NODE_CLAIMS, NODE_CLASSES
from nodewright.model.world import World
from nodewright.ports.classes import Classes
from nodewright.ports.kube import Answer, Outcome

FRESH_MS: Final = 60_000


class EC2NodeClasses(Controller):
    """Takes classes from their creation to where machines can be made, and to their end."""

    name = "ec2nodeclass"
    wakes_on = (NODE_CLASSES, NODE_CLAIMS)
    pace = Pace(at_most_every_ms=500, at_least_every_ms=FRESH_MS)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings, classes: Classes) -> None:
        super().__init__(ports, memory, settings)
        self._classes = classes
        self._known: dict[str, tuple[int, ClassFacts]] = {}

    async def gather(self) -> bool:
        """Ask about classes that are new, have changed, or were asked about a minute ago."""
        known: dict[str, tuple[int, ClassFacts]] = {}
        for one in self.ports.mirror.all(NODE_CLASSES):
            meta = one.metadata
            if meta.deletion_timestamp is not None:
                continue
            now_ms = self.ports.clock.now_ms()
            asked = self._known.get(meta.uid)
            if (
                asked is None
                or asked[1].generation != meta.generation
                or now_ms - asked[0] >= FRESH_MS
            ):
                asked = (now_ms, await self._classes.find(one))
            known[meta.uid] = asked
        self._known = known
        return True

    def beside(self, world: World) -> Beside:
        """Give what was found."""
        del world
        found = (facts for _, facts in self._known.values())
        return Beside(class_facts=tuple(sorted(found, key=lambda one: one.name)))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the next step of every class."""
        return decide_ec2_classes(world)

    async def act(self, decision: Decision) -> Answer:
        """Give back what was made for a class before it goes; everything else is one call."""
        if not isinstance(decision, Release):
            return await super().act(decision)
        trouble = await self._classes.release(decision.thing)
        if trouble is not None:
            return Answer(Outcome.BUSY, trouble.message or trouble.reason)
        return await self.ports.kube.remove_finalizer(
            decision.subject, decision.thing, TERMINATION_FINALIZER
        )
