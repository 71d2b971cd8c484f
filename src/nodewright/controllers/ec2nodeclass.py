"""EC2NodeClasses: what their selectors find is asked of AWS, and written into their status."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.ec2nodeclass import decide_ec2_classes, is_nowhere, status_after
from nodewright.model.beside import Beside
from nodewright.model.classfacts import ClassFacts
from nodewright.model.decision import Decision, Release
from nodewright.model.ec2nodeclass import (
    SEEN_MEMORY,
    TERMINATION_FINALIZER,
    EC2NodeClass,
    EC2NodeClassStatus,
)
from nodewright.model.hashing import EC2NODECLASS_HASH, EC2NODECLASS_HASH_VERSION
from nodewright.model.resource import (
    AWS_NODE_TEMPLATES,
    NODE_CLAIMS,
    NODE_CLASSES,
    PROVISIONERS,
)
from nodewright.model.world import World
from nodewright.ports.classes import Classes
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.live import find_classes

FRESH_MS: Final = 60_000
_OWN_NOTES: Final = frozenset({EC2NODECLASS_HASH, EC2NODECLASS_HASH_VERSION, SEEN_MEMORY})


class Asked(NamedTuple):
    """What was found for a class, when, and which annotations it had then."""

    at_ms: int
    notes: Mapping[str, str]
    facts: ClassFacts


class EC2NodeClasses(Controller):
    """Takes classes from their creation to where machines can be made, and to their end."""

    name = "ec2nodeclass"
    wakes_on = (NODE_CLASSES, NODE_CLAIMS, AWS_NODE_TEMPLATES, PROVISIONERS)
    pace = Pace(at_most_every_ms=500, at_least_every_ms=60_000)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings, classes: Classes) -> None:
        super().__init__(ports, memory, settings)
        self._classes = classes
        self._known: dict[str, Asked] = {}

    async def gather(self) -> bool:
        """Ask about classes that are new, have changed, or were asked about some time ago."""
        known: dict[str, Asked] = {}
        statuses: dict[str, EC2NodeClassStatus] = {}
        for one in find_classes(self.ports.mirror):
            meta = one.metadata
            if not isinstance(one, EC2NodeClass) or meta.deletion_timestamp is not None:
                continue
            now_ms = self.ports.clock.now_ms()
            key = meta.uid or meta.name
            asked = self._known.get(key)
            notes = _notes(one)
            if (
                asked is None
                or asked.facts.generation != meta.generation
                or asked.notes != notes
                or now_ms - asked.at_ms >= FRESH_MS
            ):
                asked = Asked(now_ms, notes, await self._classes.find(one))
            known[key] = asked
            if is_nowhere(one):
                statuses[meta.name] = status_after(one, asked.facts, now_ms)
        self._known = known
        self.memory.class_statuses = statuses
        return True

    def beside(self, world: World) -> Beside:
        """Give what was found."""
        del world
        found = (one.facts for one in self._known.values())
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


def _notes(node_class: EC2NodeClass) -> dict[str, str]:
    """Give the annotations that are not of our making: an edit of them asks for another look."""
    written = node_class.metadata.annotations
    return {name: value for name, value in written.items() if name not in _OWN_NOTES}
