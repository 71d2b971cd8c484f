"""NodeClasses of clouds that resolve nothing else: ready when there are machines on sale."""

from collections.abc import Iterable

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.nodeclass import count_types, judge_classes
from nodewright.model.beside import Beside, TypeCount
from nodewright.model.decision import Decision
from nodewright.model.nodeclass import CLASS_KINDS, ClassKey, class_key
from nodewright.model.resource import AWS_NODE_TEMPLATES
from nodewright.model.world import World
from nodewright.state.live import find_classes


class NodeClasses(Controller):
    """Asks the cloud what is on sale for each class, and writes it down."""

    name = "nodeclass"
    wakes_on = (*CLASS_KINDS, AWS_NODE_TEMPLATES)
    pace = Pace(at_most_every_ms=500, at_least_every_ms=60_000)
    sees_pods = False
    _counts: dict[ClassKey, int] = {}

    async def gather(self) -> bool:
        """Ask what is on sale."""
        self._counts = {}
        for one in find_classes(self.ports.mirror):
            answer = await self.ports.cloud.instance_types(one)
            if isinstance(answer, tuple):
                self._counts[class_key(one)] = len(answer)
        return bool(self._counts)

    def beside(self, world: World) -> Beside:
        """Give how much is on sale."""
        del world
        counts = sorted(self._counts.items())
        return Beside(type_counts=tuple(TypeCount(*key, count) for key, count in counts))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the conditions that are not written down yet."""
        return judge_classes(world, count_types(world.beside))
