"""Kubelets: machines become nodes, and pods that are bound to them run.

A machine that is up registers its Node after a while, with its labels and the taints it was started
with, and becomes ready some seconds later. A bound pod runs once its volumes are attached; one that
has a time to run ends by itself; one that is deleted stops within its grace. A kubelet that is silent
does nothing, and finds out what it missed when it speaks again; a dead one never does.
"""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from nodewright.model.duration import parse_duration
from nodewright.model.labels import HOSTNAME, UNREGISTERED_TAINT
from nodewright.model.metadata import Condition, ObjectMeta, Taint
from nodewright.model.node import Node, NodeSpec, NodeStatus
from nodewright.model.pod import Pod, PodStatus
from nodewright.model.quantity import Resources, print_resources
from nodewright.model.resource import NODES, PODS, key_of
from nodewright.sim.apiserver import DELETED, Change, ends_at_ms
from nodewright.sim.ground import Ground
from nodewright.sim.objects import PHASE_ENDED

RUNS_FOR: Final = "sim.nodewright.dev/runs-for"
STOPS_AFTER: Final = "sim.nodewright.dev/stops-after"
NOT_READY_TAINT: Final = "node.kubernetes.io/not-ready"
UNINITIALIZED_TAINT: Final = "node.cloudprovider.kubernetes.io/uninitialized"
_ACTOR: Final = "kubelet"
_replace = msgspec.structs.replace


class Pace(msgspec.Struct, frozen=True):
    """How long a kubelet takes for what it does, as ranges of milliseconds."""

    register_ms: tuple[int, int] = (8_000, 20_000)
    ready_ms: tuple[int, int] = (3_000, 12_000)
    start_ms: tuple[int, int] = (600, 2_500)
    stop_ms: tuple[int, int] = (300, 2_000)
    cloud_ms: tuple[int, int] = (500, 2_000)


class Host(msgspec.Struct, frozen=True):
    """A machine as its kubelet knows it."""

    name: str
    provider_id: str
    capacity: Resources
    allocatable: Resources
    labels: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()


class Kubelet:
    """What one kubelet is up to."""

    __slots__ = ("host", "is_dead", "is_silent", "pods", "registered")

    def __init__(self, host: Host) -> None:
        self.host = host
        self.registered = False
        self.is_silent = False
        self.is_dead = False
        self.pods: dict[str, str] = {}


class Kubelets:
    """The kubelets of all machines."""

    def __init__(self, ground: Ground, pace: Pace | None = None) -> None:
        self._loop = ground.loop
        self._api = ground.api
        self._chance = ground.chance.stream("kubelet")
        self._pace = pace or Pace()
        self.by_node: dict[str, Kubelet] = {}
        self.volumes_ready: Callable[[Pod], bool] = lambda _: True
        self.on_silence: Callable[[str, bool], None] = lambda _name, _silent: None
        self._api.listen(PODS, self._pod_changed)

    def boot(self, host: Host, *, registers: bool = True, gets_ready: bool = True) -> None:
        """Start the kubelet of a machine that is up; it may fail to register or to get ready."""
        kubelet = Kubelet(host)
        self.by_node[host.name] = kubelet
        if registers:
            self._after(self._pace.register_ms, self._register, kubelet, gets_ready)

    def join(self, host: Host) -> None:
        """Have a node that is there and ready from the beginning."""
        kubelet = Kubelet(host)
        self.by_node[host.name] = kubelet
        kubelet.registered = True
        self._api.create(NODES, self._node(host, "True", host.taints), _ACTOR)

    def end(self, name: str) -> None:
        """Stop a kubelet for good: its machine is gone."""
        kubelet = self.by_node.pop(name, None)
        if kubelet is not None:
            kubelet.is_dead = True
            self.on_silence(name, True)

    def silence(self, name: str, duration_ms: int) -> None:
        """Have a kubelet say and do nothing for a while."""
        kubelet = self.by_node.get(name)
        if kubelet is not None and not kubelet.is_silent and kubelet.registered:
            kubelet.is_silent = True
            self.on_silence(name, True)
            self._loop.after_ms(duration_ms, self._speak, kubelet)

    def _speak(self, kubelet: Kubelet) -> None:
        kubelet.is_silent = False
        if kubelet.is_dead:
            return
        self.on_silence(kubelet.host.name, False)
        for key in list(kubelet.pods):
            pod = self._api.get(PODS, key)
            if pod is not None and pod.metadata.uid == kubelet.pods[key]:
                self._look_at(kubelet, pod)

    def _register(self, kubelet: Kubelet, gets_ready: bool) -> None:
        if kubelet.is_dead or self._api.get(NODES, kubelet.host.name) is not None:
            return
        kubelet.registered = True
        host = kubelet.host
        taints = (
            *host.taints,
            Taint(key=UNREGISTERED_TAINT, effect="NoExecute"),
            Taint(key=UNINITIALIZED_TAINT, effect="NoSchedule", value="true"),
            Taint(key=NOT_READY_TAINT, effect="NoSchedule"),
            Taint(key=NOT_READY_TAINT, effect="NoExecute"),
        )
        self._api.create(NODES, self._node(host, "False", taints), _ACTOR)
        self._after(self._pace.cloud_ms, self._adopt, kubelet)
        if gets_ready:
            self._after(self._pace.ready_ms, self._get_ready, kubelet)

    def _node(self, host: Host, ready: str, taints: tuple[Taint, ...]) -> Node:
        return Node(
            metadata=ObjectMeta(name=host.name, labels={**host.labels, HOSTNAME: host.name}),
            spec=NodeSpec(provider_id=host.provider_id, taints=taints),
            status=NodeStatus(
                capacity=dict(print_resources(host.capacity)),
                allocatable=dict(print_resources(host.allocatable)),
                conditions=(self._condition(ready),),
            ),
        )

    def _condition(self, ready: str) -> Condition:
        reason = "KubeletReady" if ready == "True" else "KubeletNotReady"
        return Condition(
            type="Ready", status=ready, reason=reason, last_transition_time=self._api.stamp()
        )

    def _adopt(self, kubelet: Kubelet) -> None:
        """Do what the cloud's own controller does to a new node: take its taint off."""
        self._drop_taints(kubelet.host.name, UNINITIALIZED_TAINT)

    def _drop_taints(self, name: str, key: str) -> None:
        def without(node: Node) -> Node:
            kept = tuple(taint for taint in node.spec.taints if taint.key != key)
            return _replace(node, spec=_replace(node.spec, taints=kept))

        self._api.change(NODES, name, without, "cloud-controller")

    def _get_ready(self, kubelet: Kubelet) -> None:
        if kubelet.is_dead:
            return
        if kubelet.is_silent:
            self._after(self._pace.ready_ms, self._get_ready, kubelet)
            return

        def ready(node: Node) -> Node:
            others = tuple(one for one in node.status.conditions if one.type != "Ready")
            conditions = (*others, self._condition("True"))
            return _replace(node, status=_replace(node.status, conditions=conditions))

        self._api.change(NODES, kubelet.host.name, ready, _ACTOR)

    def _pod_changed(self, change: Change) -> None:
        pod: Pod = change.new
        kubelet = self.by_node.get(pod.spec.node_name) if pod.spec.node_name else None
        if kubelet is None:
            return
        if change.verb == DELETED:
            kubelet.pods.pop(change.key, None)
            return
        meta = pod.metadata
        is_new = kubelet.pods.get(change.key) != meta.uid
        marked = meta.deletion_timestamp is not None and (
            change.old is None or change.old.metadata.deletion_timestamp != meta.deletion_timestamp
        )
        if is_new or marked:
            kubelet.pods[change.key] = meta.uid
            if not kubelet.is_silent:
                self._look_at(kubelet, pod)

    def _look_at(self, kubelet: Kubelet, pod: Pod) -> None:
        key, uid = key_of(pod.metadata), pod.metadata.uid
        if pod.metadata.deletion_timestamp is not None:
            stop_ms = self._chance.integer(*self._pace.stop_ms)
            wished = pod.metadata.annotations.get(STOPS_AFTER)
            if wished is not None:
                stop_ms = parse_duration(wished)
            left_ms = max(0, ends_at_ms(pod.metadata) - self._loop.now_ms())
            if pod.status.phase != "Running":
                stop_ms = min(stop_ms, 500)
            self._loop.after_ms(min(stop_ms, left_ms), self._stop, kubelet, key, uid)
        elif pod.status.phase == "Pending":
            self._after(self._pace.start_ms, self._start, kubelet, key, uid)
        elif pod.status.phase == "Running":
            self._plan_end(kubelet, pod)

    def _start(self, kubelet: Kubelet, key: str, uid: str) -> None:
        pod = self._mine(kubelet, key, uid)
        if pod is None or pod.metadata.deletion_timestamp is not None:
            return
        if pod.status.phase != "Pending":
            return
        if not self.volumes_ready(pod):
            self._after(self._pace.start_ms, self._start, kubelet, key, uid)
            return
        stamp = self._api.stamp()
        status = PodStatus(
            phase="Running",
            conditions=(
                Condition(type="PodScheduled", status="True", last_transition_time=stamp),
                Condition(type="Ready", status="True", last_transition_time=stamp),
            ),
            start_time=stamp,
        )
        running = self._api.change(PODS, key, lambda one: _replace(one, status=status), _ACTOR)
        if running is not None:
            self._plan_end(kubelet, running)

    def _plan_end(self, kubelet: Kubelet, pod: Pod) -> None:
        runs_for = pod.metadata.annotations.get(RUNS_FOR)
        if runs_for is not None:
            meta = pod.metadata
            self._loop.after_ms(
                parse_duration(runs_for), self._finish, kubelet, key_of(meta), meta.uid
            )

    def _finish(self, kubelet: Kubelet, key: str, uid: str) -> None:
        pod = self._mine(kubelet, key, uid)
        if pod is None or pod.status.phase in PHASE_ENDED:
            return
        stamp = self._api.stamp()
        ready = Condition(
            type="Ready", status="False", reason="PodCompleted", last_transition_time=stamp
        )
        scheduled = tuple(one for one in pod.status.conditions if one.type != "Ready")
        status = _replace(pod.status, phase="Succeeded", conditions=(*scheduled, ready))
        self._api.change(PODS, key, lambda one: _replace(one, status=status), _ACTOR)

    def _stop(self, kubelet: Kubelet, key: str, uid: str) -> None:
        if self._mine(kubelet, key, uid) is not None:
            self._api.bury(PODS, key, _ACTOR)

    def _mine(self, kubelet: Kubelet, key: str, uid: str) -> Pod | None:
        """Give a pod if this kubelet can still act on it."""
        if kubelet.is_dead or kubelet.is_silent:
            return None
        pod = self._api.get(PODS, key)
        return pod if pod is not None and pod.metadata.uid == uid else None

    def _after(
        self, range_ms: tuple[int, int], action: Callable[..., object], *arguments: object
    ) -> None:
        self._loop.after_ms(self._chance.integer(*range_ms), action, *arguments)
