"""The meter of a run: it listens to pods, nodes and machines, and adds up what they come to.

A machine is paid for from its launch until it is given back, at least for a minute, spot at the price of
each ten minutes. Pods of daemons are neither work nor waiting: they are part of what a node costs.
"""

from collections import Counter
from typing import Final

from nodewright.core.scheduling.requests import pod_requests
from nodewright.forecast.measured import HOUR_MS, TENTH_MS, Measured, Point
from nodewright.model.instance import NANO
from nodewright.model.pod import Pod
from nodewright.model.quantity import MILLI, Resources, parse_resources
from nodewright.model.resource import NODES, PODS
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.cloud.ec2 import Instance
from nodewright.sim.cloud.market import STEP_MS
from nodewright.sim.objects import PHASE_ENDED
from nodewright.sim.process import CONTROLLER
from nodewright.sim.simulation import Simulation
from nodewright.trace.entry import GPU

POINTS: Final = 240
_LEAST_MS: Final = 60_000
_NEVER_MS: Final = 15 * 60_000
_LOST: Final = ("taint-eviction", "pod-collector", "preemption")
_GIB: Final = 1 << 30


class _Host:
    """A machine that is paid for, with what is requested of it."""

    __slots__ = ("asked", "charged_ms", "instance", "price", "room")

    def __init__(self, instance: Instance, price: int, now_ms: int) -> None:
        self.instance = instance
        self.price = price
        self.charged_ms = now_ms
        self.room: Resources = {}
        self.asked: dict[str, int] = {}

    def idle(self) -> float:
        """Give the share of the machine that nobody asks for: of cpu, memory and GPUs, each alike."""
        names = [name for name in ("cpu", "memory", GPU) if self.room.get(name)]
        if not names:
            return 1.0
        used = sum(min(1.0, self.asked.get(name, 0) / self.room[name]) for name in names)
        return 1.0 - used / len(names)


class Meter:
    """Adds up one run."""

    def __init__(self, sim: Simulation, length_ms: int) -> None:
        self._sim = sim
        self._loop = sim.loop
        self._start_ms = self._then_ms = sim.loop.now_ms()
        self._length_ms = length_ms
        self._hosts: dict[str, _Host] = {}
        self._by_node: dict[str, _Host] = {}
        self._waiting: dict[str, int] = {}
        self._placed: dict[str, tuple[str, dict[str, int]]] = {}
        self._waits: Counter[int] = Counter()
        self._sums: Counter[str] = Counter()
        self._money = {"cost": 0.0, "waste": 0.0}
        self._cpu = self._memory = self._cpu_room = self._memory_room = 0
        self._idle_price = 0.0
        self._series: list[Point] = []
        self._nodes_most = 0
        self.shortages = 0
        sim.api.listen(PODS, self._pod_changed)
        sim.api.listen(NODES, self._node_changed)
        sim.ec2.on_launch.append(self._launched)
        sim.ec2.on_end.append(self._ended)
        sim.ec2.on_warning.append(self._warned)
        self._loop.after_ms(STEP_MS, self._reprice)

    def begin(self) -> None:
        """Forget what was until now; what is there goes on."""
        now_ms = self._loop.now_ms()
        for host in self._hosts.values():
            host.charged_ms = now_ms
        self._start_ms = self._then_ms = now_ms
        self._sums.clear()
        self._waits.clear()
        self._money = {"cost": 0.0, "waste": 0.0}
        self._nodes_most = len(self._hosts)
        self._series.clear()
        self._sums["pods"] = len(self._placed.keys() | self._waiting.keys())
        self._sample()

    def conclude(self, policy: str, digest: str = "") -> Measured:
        """Give what the run came to until now."""
        now_ms = self._loop.now_ms()
        for host in list(self._hosts.values()):
            self._charge(host, now_ms)
        self._pass(now_ms)
        waits = Counter(self._waits)
        for came_ms in self._waiting.values():
            waits[(now_ms - came_ms) // TENTH_MS] += 1
        sums = self._sums
        return Measured(
            policy=policy,
            seed=self._sim.settings.seed,
            length_ms=now_ms - self._start_ms,
            cost=self._money["cost"],
            waste=self._money["waste"],
            node_hours=sums["node_ms"] / HOUR_MS,
            nodes_launched=sums["launched"],
            nodes_most=self._nodes_most,
            pods=sums["pods"],
            unstarted=sum(now_ms - came_ms > _NEVER_MS for came_ms in self._waiting.values()),
            evicted=sums["evicted"],
            lost=sums["lost"],
            interruptions=sums["interruptions"],
            shortages=self.shortages,
            cpu_requested_hours=sums["cpu"] / MILLI / HOUR_MS,
            cpu_hours=sums["cpu_room"] / MILLI / HOUR_MS,
            memory_requested_hours=sums["memory"] / MILLI / _GIB / HOUR_MS,
            memory_hours=sums["memory_room"] / MILLI / _GIB / HOUR_MS,
            waits=dict(sorted(waits.items())),
            series=tuple(self._series),
            digest=digest,
        )

    def _pass(self, now_ms: int) -> None:
        """Add up the time that has passed since anything changed."""
        passed_ms = now_ms - self._then_ms
        if passed_ms > 0:
            sums = self._sums
            sums["cpu"] += self._cpu * passed_ms
            sums["memory"] += self._memory * passed_ms
            sums["cpu_room"] += self._cpu_room * passed_ms
            sums["memory_room"] += self._memory_room * passed_ms
            self._money["waste"] += self._idle_price * passed_ms / HOUR_MS / NANO
            self._then_ms = now_ms

    def _launched(self, instance: Instance) -> None:
        now_ms = self._loop.now_ms()
        self._pass(now_ms)
        host = _Host(instance, self._sim.market.price(instance.key, now_ms), now_ms)
        self._hosts[instance.provider_id] = host
        self._idle_price += host.price
        self._sums["launched"] += 1
        self._nodes_most = max(self._nodes_most, len(self._hosts))

    def _ended(self, instance: Instance) -> None:
        host = self._hosts.get(instance.provider_id)
        if host is not None:
            now_ms = self._loop.now_ms()
            self._pass(now_ms)
            least_ms = max(now_ms, instance.launched_ms + _LEAST_MS)
            self._charge(host, least_ms)
            self._idle_price -= host.price * host.idle()
            self._take_room(host, {})
            del self._hosts[instance.provider_id]

    def _warned(self, instance: Instance) -> None:
        del instance
        self._sums["interruptions"] += 1

    def _charge(self, host: _Host, until_ms: int) -> None:
        passed_ms = until_ms - host.charged_ms
        if passed_ms > 0:
            self._money["cost"] += host.price * passed_ms / HOUR_MS / NANO
            self._sums["node_ms"] += passed_ms
            host.charged_ms = until_ms

    def _reprice(self) -> None:
        now_ms = self._loop.now_ms()
        self._pass(now_ms)
        self._idle_price = 0.0
        for host in self._hosts.values():
            self._charge(host, now_ms)
            host.price = self._sim.market.price(host.instance.key, now_ms)
            self._idle_price += host.price * host.idle()
        self._loop.after_ms(STEP_MS, self._reprice)

    def _node_changed(self, change: Change) -> None:
        node = change.new
        name = node.metadata.name
        if change.verb == DELETED:
            self._pass(self._loop.now_ms())
            self._by_node.pop(name, None)
        elif change.old is None:
            host = self._hosts.get(node.spec.provider_id)
            if host is not None:
                self._pass(self._loop.now_ms())
                self._by_node[name] = host
                self._idle_price -= host.price * host.idle()
                self._take_room(host, parse_resources(node.status.allocatable))
                self._idle_price += host.price * host.idle()

    def _take_room(self, host: _Host, room: Resources) -> None:
        self._cpu_room += room.get("cpu", 0) - host.room.get("cpu", 0)
        self._memory_room += room.get("memory", 0) - host.room.get("memory", 0)
        host.room = room

    def _pod_changed(self, change: Change) -> None:
        pod: Pod = change.new
        if any(owner.kind == "DaemonSet" for owner in pod.metadata.owner_references):
            return
        uid, old = pod.metadata.uid, change.old
        if old is None:
            self._sums["pods"] += 1
            self._waiting[uid] = self._loop.now_ms()
            return
        if pod.spec.node_name and uid not in self._placed and change.verb != DELETED:
            self._place(uid, pod)
        if pod.status.phase == "Running" and uid in self._waiting:
            waited_ms = self._loop.now_ms() - self._waiting.pop(uid)
            self._waits[waited_ms // TENTH_MS] += 1
        if change.verb == DELETED or pod.status.phase in PHASE_ENDED:
            self._leave(uid)
        self._count_move(change, old, pod)

    def _count_move(self, change: Change, old: Pod, pod: Pod) -> None:
        """Count a pod that ran and is told to go by somebody who is not its owner."""
        is_told = change.verb == DELETED or pod.metadata.deletion_timestamp is not None
        if not is_told or old.metadata.deletion_timestamp is not None:
            return
        if old.status.phase != "Running":
            return
        if change.actor.startswith(CONTROLLER):
            self._sums["evicted"] += 1
        elif change.actor.startswith(_LOST):
            self._sums["lost"] += 1

    def _place(self, uid: str, pod: Pod) -> None:
        asked = pod_requests(pod.spec)
        self._placed[uid] = (pod.spec.node_name, asked)
        self._ask(pod.spec.node_name, asked, 1)

    def _leave(self, uid: str) -> None:
        self._waiting.pop(uid, None)
        placed = self._placed.pop(uid, None)
        if placed is not None:
            self._ask(*placed, -1)

    def _ask(self, node: str, asked: dict[str, int], sign: int) -> None:
        self._pass(self._loop.now_ms())
        self._cpu += sign * asked.get("cpu", 0)
        self._memory += sign * asked.get("memory", 0)
        host = self._by_node.get(node)
        if host is None:
            return
        is_paid = host.instance.provider_id in self._hosts
        if is_paid:
            self._idle_price -= host.price * host.idle()
        for name, amount in asked.items():
            host.asked[name] = host.asked.get(name, 0) + sign * amount
        if is_paid:
            self._idle_price += host.price * host.idle()

    def _sample(self) -> None:
        price = sum(host.price for host in self._hosts.values()) / NANO
        self._series.append(
            Point(
                self._loop.now_ms() - self._start_ms,
                len(self._hosts),
                len(self._waiting),
                round(price, 4),
                self._cpu / MILLI,
                self._cpu_room / MILLI,
            )
        )
        self._loop.after_ms(max(1, self._length_ms // POINTS), self._sample)
