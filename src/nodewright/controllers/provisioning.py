"""Provisioning: pods that wait are gathered for a moment, planned for together, and given claims."""

from collections.abc import Iterable, Sequence
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.onsale import OnSale, ask_for_types
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.lifecycle_conditions import READY, is_true
from nodewright.core.provisioning import is_answered, leaving, provision
from nodewright.core.provisioning_window import Window, WindowSettings
from nodewright.model.decision import Decision, Launch, Nominate
from nodewright.model.labels import INITIALIZED
from nodewright.model.node import Node
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Pod
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, PODS
from nodewright.model.world import World
from nodewright.state.live import (
    find_pools,
    find_unknown,
    look_ahead,
    served_claims,
    take_snapshot,
    with_machines,
)
from nodewright.state.mirror import BY_PROVIDER_ID, Change

_IDLE_MS: Final = 10_000
_NONE_MS: Final = 60_000
_RETRY_MS: Final = 1_000
_NOMINATION_MS_MIN: Final = 10_000
_ADOPTION_MS: Final = 30_000


class Provisioning(Controller):
    """Makes claims for pods that cannot be scheduled."""

    name = "provisioning"
    wakes_on = (PODS, NODES, NODE_POOLS, NODE_CLAIMS)
    pace = Pace(at_most_every_ms=100, at_least_every_ms=_IDLE_MS)
    is_heavy = True
    # The window is what it waits for; looking whether that is over costs next to nothing.
    is_urgent = True
    _window = Window()
    _look_ms = 0
    _due_ms: int | None = None
    _came_ms: int | None = None
    _strangers_ms: dict[str, int] = {}
    _types: OnSale = {}

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._let_down: set[str] = set()
        # A promise must outlive the pass that would make it again.
        memory.expectations.nomination_ms = max(2 * settings.batch_most_ms, _NOMINATION_MS_MIN)
        self._waiting = {
            pod.key: pod.metadata.uid for pod in ports.mirror.all(PODS) if is_answered(pod)
        }

    def hears(self, change: Change) -> bool:
        """Keep count of the pods that wait; wake for each new one, and for what may help them."""
        if change.resource is NODE_CLAIMS:
            gone = change.new is None or change.new.metadata.deletion_timestamp is not None
            if gone:
                # It may have come and gone between two looks, and must not count as on its way.
                self._let_down |= self.memory.expectations.pods_of(change.key)
                self.memory.expectations.fail(change.key)
            return gone
        if change.resource is NODES:
            return self._hears_of_node(change)
        if change.resource is NODE_POOLS:
            if _opens_up(change):
                # Whoever found no place so far may find one now: no reason to let them wait.
                self._let_down |= set(self._waiting.values())
            return True
        pod = change.new
        if isinstance(pod, Pod) and is_answered(pod):
            is_new = self._waiting.get(change.key) != pod.metadata.uid
            self._waiting[change.key] = pod.metadata.uid
            if is_new:
                # The window counts from here: a look that comes later must not make it longer.
                self._came_ms = self.ports.clock.now_ms()
            return is_new and not self._is_open()
        self._waiting.pop(change.key, None)
        return False

    def _is_open(self) -> bool:
        """Tell whether the window is open: when it is over there is a look, and that sees everybody."""
        return self._due_ms is not None and self.ports.clock.now_ms() < self._due_ms

    def _hears_of_node(self, change: Change) -> bool:
        """Wake for nodes that begin to leave; on one that has begun to work, pods are due."""
        old = change.old if isinstance(change.old, Node) else None
        new = change.new if isinstance(change.new, Node) else None
        if new is not None and _works(new) and not (old is not None and _works(old)):
            mirror, expectations = self.ports.mirror, self.memory.expectations
            owners = mirror.find(NODE_CLAIMS, BY_PROVIDER_ID, new.spec.provider_id)
            expectations.settle({one.metadata.name for one in owners}, self.ports.clock.now_ms())
        return bool(leaving([new] if new else ())) != bool(leaving([old] if old else ()))

    async def gather(self) -> bool:
        """Wait for the batch to be complete, then ask what is on sale."""
        now_ms = self.ports.clock.now_ms()
        mirror = self.ports.mirror
        self._window = self._window.forget(self._let_down)
        self._let_down = set()
        # Who is promised a place is planned for again when the promise ends.
        alone = self.memory.expectations.without_place(self._waiting.values(), now_ms)
        going: list[str] = mirror.derive("leaving", (NODES,), lambda: leaving(mirror.all(NODES)))
        self._window = self._window.see([*sorted(alone), *going], now_ms, self._came_ms)
        self._came_ms = None
        settings = WindowSettings(self.settings.batch_idle_ms, self.settings.batch_most_ms)
        due_ms = self._due_ms = self._window.due_ms(settings)
        self.memory.has_waiting = due_ms is not None
        if due_ms is None or now_ms < due_ms:
            # While none waits, whoever comes wakes us: no promise can end either.
            idle_ms = _IDLE_MS if self._waiting else _NONE_MS
            self._look_ms = now_ms + idle_ms if due_ms is None else due_ms
            return False
        world = World(now_ms, node_claims=served_claims(mirror), node_pools=find_pools(mirror))
        types = (
            None if self._must_wait(world) else await ask_for_types(self.ports, world.node_pools)
        )
        if types is None:
            self._look_ms = now_ms + _RETRY_MS
            return False
        self._due_ms = None
        self._types = types
        self._window = self._window.close(self.ports.clock.now_ms())
        self.memory.has_waiting = False
        self._look_ms = now_ms + _IDLE_MS
        return True

    def _must_wait(self, world: World) -> bool:
        """Tell whether claims of another life are still without a machine."""
        unknown = find_unknown(world, self.memory.expectations)
        self._strangers_ms = {name: self._strangers_ms.get(name, world.now_ms) for name in unknown}
        return any(
            world.now_ms - since_ms < _ADOPTION_MS for since_ms in self._strangers_ms.values()
        )

    def look(self) -> World:
        """Give the World with everything that is on its way."""
        now_ms = self.ports.clock.now_ms()
        self.memory.is_planning = True
        world = take_snapshot(self.ports.mirror, now_ms, self._types, self.settings.options)
        return look_ahead(with_machines(world, self.ports.mirror), self.memory.expectations)

    def decide(self, world: World) -> Iterable[Decision]:
        """Plan."""
        return provision(world)

    def note(self, decisions: Sequence[Decision]) -> None:
        """Count what is about to be made as there, before anybody plans again."""
        now_ms = self.ports.clock.now_ms()
        self.memory.is_planning = False
        self.memory.plan_count += 1
        made: set[str] = set()
        for one in decisions:
            if isinstance(one, Launch):
                self.memory.expectations.create(one.claim, one.pods, now_ms)
                made.add(one.claim.metadata.name)
            elif isinstance(one, Nominate) and one.host not in made:
                self.memory.expectations.nominate(one.subject.uid, one.host, now_ms)

    def next_look_ms(self) -> int:
        """Look when the batch is complete."""
        return max(1, self._look_ms - self.ports.clock.now_ms())


def _works(node: Node) -> bool:
    return node.metadata.labels.get(INITIALIZED) == "true"


def _opens_up(change: Change) -> bool:
    """Tell whether a pool is new, was edited or has become ready, so that it may help more pods."""
    old = change.old if isinstance(change.old, NodePool) else None
    new = change.new if isinstance(change.new, NodePool) else None
    if new is None:
        return False
    return old is None or old.spec != new.spec or (is_true(new, READY) and not is_true(old, READY))
