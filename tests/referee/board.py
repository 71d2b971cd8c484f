"""The board: a world with the pods of a plan put on it."""

from collections.abc import Iterator

from nodewright.model.plan import FilledNode, Plan, PlannedNode
from nodewright.model.pod import Pod
from nodewright.model.world import World
from referee.daemons import daemon_pods
from referee.places import NewPlace, OldPlace, Place, free_slots, old_places
from referee.rollcall import RollCall, call_roll, is_over
from referee.verdict import Violation


class Board:
    """All places with the pods that lie there, and those that the plan adds."""

    def __init__(self, world: World, plan: Plan) -> None:
        self.world = world
        self.plan = plan
        self.roll: RollCall = call_roll(world)
        self.known = {**self.roll.must, **self.roll.may}
        self.daemons = daemon_pods(world)
        self.slots = free_slots(world)
        self.old = old_places(world)
        self.faults: list[Violation] = []
        self.doubts: list[str] = []
        self._seat_bound()
        self.new = [
            NewPlace(f"new-{index}", node, self._pods(node.pods), world, self.slots)
            for index, node in enumerate(plan.new_nodes)
        ]
        self._seat_planned()

    def _seat_bound(self) -> None:
        by_node = {place.node.metadata.name: place for place in self.old if place.node is not None}
        answered = {key for node in self._nodes() for key in node.pods}
        gone = self.roll.moving | (self.roll.may.keys() & answered)
        for pod in self.world.pods:
            place = by_node.get(pod.spec.node_name)
            if place is not None and not is_over(pod) and pod.key not in gone:
                place.bound.append(pod)

    def _nodes(self) -> tuple[PlannedNode | FilledNode, ...]:
        return (*self.plan.new_nodes, *self.plan.existing_nodes)

    def _seat_planned(self) -> None:
        by_name = {name: place for place in self.old for name in place.names}
        for filled in self.plan.existing_nodes:
            place = by_name.get(filled.name)
            if place is None:
                self.faults.append(
                    Violation("node", filled.name, "there is no node or claim of this name")
                )
            else:
                place.pods += self._pods(filled.pods)

    def _pods(self, keys: tuple[str, ...]) -> list[Pod]:
        return [self.known[key] for key in keys if key in self.known]

    @property
    def places(self) -> list[Place]:
        """Every place, old and new."""
        return [*self.old, *self.new]

    def placed(self) -> Iterator[tuple[Pod, Place]]:
        """Each pod that the plan places, with its place."""
        for place in self.places:
            for pod in place.pods:
                yield pod, place

    def bound(self) -> Iterator[tuple[Pod, OldPlace]]:
        """Each pod that stays where it is and that others look at, with its place."""
        for place in self.old:
            for pod in place.bound:
                if not pod.metadata.deletion_timestamp:
                    yield pod, place
