"""The demo: a simulated cluster, a simulated cloud and the real controllers, frame by frame.

Nothing is installed and nothing is paid for. A shop grows, the cloud takes spot machines back, the
shop shrinks and its nodes are given back; the controllers are those of the product, and the promises that the simulator's checkers watch are
those of its tests. A frame is a value: whoever shows it decides nothing.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.app.run import autoscale
from nodewright.core.scheduling.requests import pod_requests
from nodewright.model.command import REPLACES, read_record
from nodewright.model.disruption import EMPTY, UNDERUTILIZED
from nodewright.model.instance import NanoUSD
from nodewright.model.labels import CAPACITY_TYPE, INITIALIZED, INSTANCE_TYPE, ZONE
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.quantity import parse_resources
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS
from nodewright.sim.apiserver import Change
from nodewright.sim.furnish import Furnisher
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import parse_scenario, read_ms
from nodewright.sim.simulation import Simulation

SPEED_DEFAULT: Final = 16.0
NEWS_MAX: Final = 200
_HOUR_MS: Final = 3_600_000
_ALIVE: Final = ("pending", "running")
_STEP_MS: Final = (500, 5_000)
_FRAMES_PER_S: Final = 8
_REASONS: Final = {
    EMPTY: "nobody needs it any more",
    UNDERUTILIZED: "its pods have room elsewhere or on a cheaper node",
}
_CLASS: Final = {
    "kind": "EC2NodeClass",
    "metadata": {"name": "default"},
    "spec": {
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "role": "demo",
        "subnetSelectorTerms": [{"tags": {"demo": "demo"}}],
        "securityGroupSelectorTerms": [{"tags": {"demo": "demo"}}],
    },
}
_POOL: Final = {
    "kind": "NodePool",
    "metadata": {"name": "general"},
    "spec": {
        "limits": {"cpu": "400"},
        "disruption": {"consolidateAfter": "30s", "budgets": [{"nodes": "25%"}]},
        "template": {
            "spec": {
                "nodeClassRef": {
                    "group": "karpenter.k8s.aws",
                    "kind": "EC2NodeClass",
                    "name": "default",
                },
                "requirements": [],
            }
        },
    },
}
_BUDGET: Final = {
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"maxUnavailable": 3, "selector": {"matchLabels": {"app": "web"}}},
}
SHOP: Final = {
    "name": "demo",
    "duration": "18m",
    "objects": [_CLASS, _POOL, _BUDGET],
    "workloads": [
        {
            "name": "web", "replicas": 6, "cpu": "500m", "memory": "1Gi",
            "curve": {"points": [["3m", 30], ["6m", 60], ["10m", 8]]},
        },
        {
            "name": "agent", "kind": "DaemonSet", "namespace": "kube-system", "cpu": "50m",
            "pod": {"priorityClassName": "system-node-critical"},
        },
        {
            "name": "worker", "cpu": "1500m", "memory": "2Gi",
            "curve": {"low": 3, "high": 8, "noise": 0.4, "every": "4m"},
        },
        {"name": "database", "kind": "StatefulSet", "replicas": 3, "cpu": "1", "memory": "4Gi"},
    ],
    "events": [{"at": "8m", "interrupt": 0.3}],
}  # fmt: skip


class DemoOrder(msgspec.Struct, frozen=True):
    """How the demo is run; without a speed nobody waits."""

    seed: int = 0
    speed: float = SPEED_DEFAULT
    stays: bool = False


class NodeRow(msgspec.Struct, frozen=True, rename="camel"):
    """One node or machine on its way, as it is shown."""

    name: str
    state: str
    instance_type: str
    zone: str
    capacity_type: str
    pods: int
    cpu_share: float | None
    price: NanoUSD


class Frame(msgspec.Struct, frozen=True):
    """One moment of the demo."""

    elapsed_ms: int
    total_ms: int
    running: int
    waiting: int
    nodes: tuple[NodeRow, ...]
    price: NanoUSD
    news: tuple[str, ...]


class DemoSummary(msgspec.Struct, frozen=True, rename="camel"):
    """What came of the demo; seconds and money are virtual."""

    seed: int
    minutes: int
    pods_started: int
    seconds_until_running_median: float
    seconds_until_running_longest: float
    machines_launched: int
    machines_interrupted: int
    nodes_given_back: int
    price_highest: float
    price_at_the_end: float
    spent: float
    promises_broken: tuple[str, ...] = ()


class Demo:
    """One run of the demo."""

    def __init__(self, order: DemoOrder) -> None:
        self._order = order
        scenario = parse_scenario(SHOP, "demo")
        self._sim = Simulation(settings_of(scenario, order.seed, order.speed), autoscale)
        self._start_ms = self._sim.loop.now_ms()
        self._total_ms = read_ms(scenario.duration)
        self._born: dict[str, int] = {}
        self._waits_ms: list[int] = []
        self._interrupted: set[str] = set()
        self._given_back = 0
        self._dearest = 0
        self._spent = 0
        self._launched = 0
        self._news: list[str] = []
        self._sim.api.listen(PODS, self._pod_changed)
        self._sim.ec2.on_launch.append(self._machine_launched)
        self._sim.api.listen(NODE_CLAIMS, self._claim_changed)
        Furnisher(self._sim, scenario).furnish()

    def play(self) -> Iterator[Frame]:
        """Let time pass, and give what is to be seen; ends by itself unless it is to stay."""
        step_ms = min(_STEP_MS[1], max(_STEP_MS[0], int(self._order.speed * 1000 / _FRAMES_PER_S)))
        while self._order.stays or self._elapsed_ms() < self._total_ms:
            kept = self._sim.run_for(step_ms)
            self._spent += self._price() * step_ms // _HOUR_MS
            self._dearest = max(self._dearest, self._price())
            yield self._frame()
            if not kept:
                return

    def conclude(self) -> DemoSummary:
        """End the run and say what came of it."""
        minutes, price = self._elapsed_ms() // 60_000, self._price()
        result = self._sim.close()
        waits = sorted(self._waits_ms) or [0]
        return DemoSummary(
            seed=self._order.seed,
            minutes=minutes,
            pods_started=len(self._waits_ms),
            seconds_until_running_median=waits[len(waits) // 2] / 1000,
            seconds_until_running_longest=waits[-1] / 1000,
            machines_launched=self._launched,
            machines_interrupted=len(self._interrupted),
            nodes_given_back=self._given_back,
            price_highest=round(self._dearest / 10**9, 4),
            price_at_the_end=round(price / 10**9, 4),
            spent=round(self._spent / 10**9, 4),
            promises_broken=tuple(one.sentence for one in result.violations),
        )

    def _elapsed_ms(self) -> int:
        return self._sim.loop.now_ms() - self._start_ms

    def _tell(self, sentence: str) -> None:
        seconds = self._elapsed_ms() // 1000
        self._news.append(f"{seconds // 60:02d}:{seconds % 60:02d}  {sentence}")
        del self._news[:-NEWS_MAX]

    def _pod_changed(self, change: Change) -> None:
        pod: Pod = change.new
        uid, now_ms = pod.metadata.uid, self._sim.loop.now_ms()
        if change.old is None:
            self._born[uid] = now_ms
        elif pod.status.phase == "Running" and uid in self._born:
            self._waits_ms.append(now_ms - self._born.pop(uid))

    def _machine_launched(self, machine: Any) -> None:
        self._launched += 1
        kind, zone, capacity_type = machine.key
        self._tell(f"a machine is launched: {kind}, {capacity_type}, {zone}")

    def _claim_changed(self, change: Change) -> None:
        old, new = change.old, change.new
        name = new.metadata.name
        if change.verb == "DELETED":
            self._tell(f"{name} is gone")
        elif old is None:
            replaces = REPLACES in new.metadata.annotations
            self._tell(f"{name} is made {'for other nodes' if replaces else 'for pods that wait'}")
        elif _is_new(old, new, "Initialized"):
            self._tell(f"{name} is ready as node {new.status.node_name}")
        elif old.metadata.deletion_timestamp is None and new.metadata.deletion_timestamp:
            self._tell(f"{name} drains{self._why(new)}")

    def _why(self, claim: NodeClaim) -> str:
        record = read_record(claim)
        if record is not None:
            self._given_back += 1
            return f": {_REASONS.get(record.reason, record.reason)}"
        machine = self._sim.ec2.instances.get(claim.status.provider_id)
        if machine is not None and machine.key[2] == "spot":
            self._interrupted.add(claim.status.provider_id)
            return ": the cloud takes its spot machine back"
        return ""

    def _price(self) -> NanoUSD:
        now_ms = self._sim.loop.now_ms()
        alive = [one for one in self._sim.ec2.instances.values() if one.state in _ALIVE]
        return NanoUSD(sum(self._sim.market.price(one.key, now_ms) for one in alive))

    def _frame(self) -> Frame:
        pods = [pod for pod in self._sim.api.each(PODS) if not pod.metadata.deletion_timestamp]
        running = sum(pod.status.phase == "Running" for pod in pods)
        by_node: dict[str, list[Pod]] = {}
        for pod in pods:
            by_node.setdefault(pod.spec.node_name, []).append(pod)
        nodes = {node.spec.provider_id: node for node in self._sim.api.each(NODES)}
        rows = [
            self._row(claim, nodes.get(claim.status.provider_id), by_node)
            for claim in self._sim.api.each(NODE_CLAIMS)
        ]
        return Frame(
            elapsed_ms=self._elapsed_ms(),
            total_ms=self._total_ms,
            running=running,
            waiting=len(pods) - running,
            nodes=tuple(rows),
            price=self._price(),
            news=tuple(self._news),
        )

    def _row(self, claim: NodeClaim, node: Node | None, by_node: dict[str, list[Pod]]) -> NodeRow:
        labels = claim.metadata.labels
        pods = by_node.get(node.metadata.name, []) if node is not None else []
        machine = self._sim.ec2.instances.get(claim.status.provider_id)
        price = self._sim.market.price(machine.key, self._sim.loop.now_ms()) if machine else 0
        return NodeRow(
            name=node.metadata.name if node is not None else claim.metadata.name,
            state=state_of(claim, node),
            instance_type=labels.get(INSTANCE_TYPE, ""),
            zone=labels.get(ZONE, ""),
            capacity_type=labels.get(CAPACITY_TYPE, ""),
            pods=len(pods),
            cpu_share=_cpu_share(node, pods),
            price=NanoUSD(price),
        )


def state_of(claim: NodeClaim, node: Node | None) -> str:
    """Say in a word where a claim is in its life."""
    if claim.metadata.deletion_timestamp is not None:
        return "draining" if node is not None else "ending"
    if node is not None:
        return "ready" if node.metadata.labels.get(INITIALIZED) == "true" else "starting"
    return "booting" if claim.status.provider_id else "launching"


def _cpu_share(node: Node | None, pods: list[Pod]) -> float | None:
    if node is None:
        return None
    room = parse_resources(node.status.allocatable).get("cpu", 0)
    used = sum(pod_requests(pod.spec, pod.status).get("cpu", 0) for pod in pods)
    return used / room if room else None


def _is_new(old: NodeClaim, new: NodeClaim, kind: str) -> bool:
    def holds(claim: NodeClaim) -> bool:
        return any(one.type == kind and one.status == "True" for one in claim.status.conditions)

    return holds(new) and not holds(old)
