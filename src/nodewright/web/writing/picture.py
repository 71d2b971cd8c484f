"""A decision in full: what else was possible, and its nodes before and after, on the World it was taken on."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.cost import Prices
from nodewright.core.disruption.decide import decide
from nodewright.core.scheduling.requests import pod_requests
from nodewright.journal.records import Decided
from nodewright.model.disruption import AWS_RULES, Settings
from nodewright.model.instance import NanoUSD
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.node import Node
from nodewright.model.pod import Pod
from nodewright.model.quantity import BadQuantity, Resources
from nodewright.model.world import World
from nodewright.web.answers.decisions import Alternative, Picture, PictureNode, PicturePod
from nodewright.web.writing.decisions import claims_of, leaving_of, name_of
from nodewright.web.writing.numbers import percent_of, write_money

NODES_MAX: Final = 40
PODS_MAX: Final = 150
ALTERNATIVES_MAX: Final = 12
_DECIDED_AGAIN_MAX: Final = 20_000
"""Up to how many pods a World is decided on again to learn where pods went."""


class Way(msgspec.Struct, frozen=True):
    """A way to buy a claim, and whether it could be had."""

    instance_type: str
    zone: str
    capacity_type: str
    price: NanoUSD
    available: bool


class Scene:
    """A World with the nodes of one decision in it."""

    def __init__(self, world: World, one: Decided) -> None:
        self.world = world
        self.one = one
        self.prices = Prices(world)
        self._nodes = {node.metadata.name: node for node in world.nodes}
        self._pods: dict[str, list[Pod]] = {}
        for pod in world.pods:
            if pod.spec.node_name and pod.status.phase not in ("Succeeded", "Failed"):
                self._pods.setdefault(pod.spec.node_name, []).append(pod)
        self._types = {kind.name: kind for kinds in world.instance_types.values() for kind in kinds}

    def alternatives(self) -> Iterator[Alternative]:
        """Give what else could have been done, the cheapest first."""
        for claim in claims_of(self.one):
            ways = self.ways(claim)
            best = next((way for way in ways if way.available), None)
            for way in ways[:ALTERNATIVES_MAX]:
                why = "chosen" if way is best else "dearer" if way.available else "sold out"
                text = f"{way.instance_type} {way.capacity_type} in {way.zone}"
                yield Alternative(text, write_money(way.price), why)
        leaving = list(leaving_of(self.one))
        if leaving:
            paid = sum(int(node.get("price") or 0) for node in leaving)
            names = ", ".join(str(node.get("node")) for node in leaving[:5])
            yield Alternative(f"keep {names}", write_money(paid), "dearer")

    def ways(self, claim: Mapping[str, Any]) -> list[Way]:
        """Give the ways to buy a claim, one for each type, the cheapest first."""
        wanted = {
            str(one.get("key")): one.get("values") or ()
            for one in (claim.get("spec") or {}).get("requirements") or ()
            if one.get("operator", "In") == "In"
        }
        labels = (claim.get("metadata") or {}).get("labels") or {}
        found = []
        for name in wanted.get(INSTANCE_TYPE, ()):
            kind = self.prices.type_of(str(labels.get(NODEPOOL, "")), str(name))
            ways = [
                Way(str(name), one.zone, one.capacity_type, one.price, one.available)
                for one in (kind.offerings if kind is not None else ())
                if _allows(wanted.get(ZONE), one.zone)
                and _allows(wanted.get(CAPACITY_TYPE), one.capacity_type)
            ]
            found += sorted(ways, key=lambda way: (not way.available, way.price))[:1]
        return sorted(found, key=lambda way: (not way.available, way.price, way.instance_type))

    def prices_around(self) -> tuple[float | None, float | None]:
        """Give what its nodes cost an hour before and after; nothing where that is not known."""
        leaving = [int(node.get("price") or 0) for node in leaving_of(self.one)]
        ways = [self.ways(claim) for claim in claims_of(self.one)]
        if not leaving and not ways:
            return None, None
        before = None if 0 in leaving else sum(leaving)
        after = None if any(not one for one in ways) else sum(one[0].price for one in ways)
        return write_money(before), write_money(after)

    def picture(self) -> Picture:
        """Draw the nodes before and after."""
        gone = [str(node.get("node")) for node in leaving_of(self.one)]
        moves = self._moves(gone)
        targets = list(dict.fromkeys(place for place in moves.values() if isinstance(place, str)))
        claims = list(claims_of(self.one))
        before = [self._node(name, "goes") for name in gone]
        before += [self._node(name, "stays") for name in targets]
        after = [self._node(name, "stays", self._coming(moves, name)) for name in targets]
        for index, claim in enumerate(claims):
            coming = self._launched_for() if not gone else self._coming(moves, index)
            after.append(self._made(claim, coming))
        shown = [one for one in before if one is not None][:NODES_MAX]
        then = [one for one in after if one is not None][:NODES_MAX]
        left_out = max(len(before), len(after)) - NODES_MAX
        return Picture(tuple(shown), tuple(then), max(0, left_out))

    def _moves(self, gone: list[str]) -> dict[str, str | int]:
        """Tell where pods went; the same World gives the same answer, so it is decided again."""
        if not gone or len(self.world.pods) > _DECIDED_AGAIN_MAX:
            return {}
        world = self.world
        settings = Settings(repair_rules=AWS_RULES)
        for command in decide(world, world.now_ms, settings, recall_world(world)).commands:
            if {one.node for one in command.nodes} == set(gone):
                return dict(command.moves)
        return {}

    def _coming(self, moves: Mapping[str, str | int], place: str | int) -> list[tuple[Pod, str]]:
        keys = {key for key, target in moves.items() if target == place}
        return [(pod, name) for name, pods in self._pods.items() for pod in pods if pod.key in keys]

    def _launched_for(self) -> list[tuple[Pod, str]]:
        wanted = self.one.content.get("pods")
        uids = set(wanted) if isinstance(wanted, list | tuple) else set()
        return [(pod, "") for pod in self.world.pods if pod.metadata.uid in uids]

    def _node(
        self, name: str, change: Any, coming: Iterable[tuple[Pod, str]] = ()
    ) -> PictureNode | None:
        node = self._nodes.get(name)
        if node is None:
            return None
        labels = node.metadata.labels
        return _draw(
            PictureNode(
                name=name,
                change=change,
                instance_type=labels.get(INSTANCE_TYPE, ""),
                zone=labels.get(ZONE, ""),
                capacity_type=labels.get(CAPACITY_TYPE, ""),
                price_per_hour=write_money(self.prices.of(labels)),
                cpu_percent=None,
                memory_percent=None,
            ),
            _room(node),
            [*((pod, "") for pod in self._pods.get(name, ())), *coming],
        )

    def _made(self, claim: Mapping[str, Any], coming: list[tuple[Pod, str]]) -> PictureNode:
        best = next(iter(self.ways(claim)), None)
        kind = self._types.get(best.instance_type) if best is not None else None
        return _draw(
            PictureNode(
                name=name_of(claim),
                change="comes",
                instance_type=best.instance_type if best is not None else "",
                zone=best.zone if best is not None else "",
                capacity_type=best.capacity_type if best is not None else "",
                price_per_hour=write_money(best.price) if best is not None else None,
                cpu_percent=None,
                memory_percent=None,
            ),
            kind.allocatable if kind is not None else {},
            coming,
        )


def _draw(node: PictureNode, room: Resources, pods: list[tuple[Pod, str]]) -> PictureNode:
    cpu_room, memory_room = room.get("cpu", 0), room.get("memory", 0)
    drawn, cpu, memory = [], 0, 0
    for pod, before in pods:
        try:
            asked = pod_requests(pod.spec, pod.status)
        except BadQuantity:
            asked = {}
        cores, size = asked.get("cpu", 0), asked.get("memory", 0)
        cpu, memory = cpu + cores, memory + size
        drawn.append(
            PicturePod(pod.key, percent_of(cores, cpu_room), percent_of(size, memory_room), before)
        )
    drawn.sort(key=lambda one: (-(one.cpu_percent or 0), one.key))
    return msgspec.structs.replace(
        node,
        pods=tuple(drawn[:PODS_MAX]),
        cpu_percent=percent_of(cpu, cpu_room),
        memory_percent=percent_of(memory, memory_room),
    )


def _room(node: Node) -> Resources:
    try:
        return node.status.allocatable_read
    except BadQuantity:
        return {}


def _allows(wanted: Any, value: str) -> bool:
    return not wanted or value in wanted
