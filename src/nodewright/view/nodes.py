"""Nodes as rows: what is on each, the word for where it is in its life, and what it waits for.

What is read off a node, its claim and its pods is kept until one of them is another object: on a large
cluster little changes between two looks.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import is_
from typing import Final

import msgspec

from nodewright.core.disruption.loads import workload_of
from nodewright.core.lifecycle_conditions import CLAIM_PARTS, FALSE, READY, TRUE, find
from nodewright.core.money import full_weight, weigh
from nodewright.core.scheduling.hosts import Joined
from nodewright.core.scheduling.requests import pod_requests
from nodewright.model.instant import read_instant
from nodewright.model.metadata import Condition
from nodewright.model.pod import Pod
from nodewright.model.quantity import MILLI, BadQuantity, Milli
from nodewright.view.values import Nano

TERMINAL: Final = ("Succeeded", "Failed")
DRAIN_SLOW_MS: Final = 600_000
"""A drain that takes longer than this is shown among the faults."""

START_SLOW_MS: Final = 600_000
"""Likewise a machine that has not become a working node."""


class State(msgspec.Struct, frozen=True):
    """Where a node is in its life: a word, since when, what it waits for, and whether that is a fault."""

    word: str
    since_ms: int | None = None
    detail: str = ""
    is_fault: bool = False


class Part(msgspec.Struct, frozen=True, eq=False):
    """What is read off one node: its state, its amounts, and who asks for how much of it.

    `weights` are by workload, in parts of `full`; `pods` are those that have not ended.
    """

    state: State
    cpu: Milli = 0
    memory: Milli = 0
    cpu_room: Milli = 0
    memory_room: Milli = 0
    pods: int = 0
    pods_max: int | None = None
    weights: Mapping[str, tuple[int, int]] = {}
    full: int = 1
    made_ms: int | None = None

    def share_out(self, price: Nano) -> dict[str, Nano]:
        """Share what the node costs out among workloads; the rest is idle."""
        return {
            name: price * weight // self.full
            for name, (weight, _) in self.weights.items()
            if weight
        }


class Parts:
    """Reads nodes, and reads only those again that have changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, object, Sequence[Pod], Part]] = {}

    def of(self, name: str, one: Joined, pods: Sequence[Pod]) -> Part:
        """Give what is read off a node with these pods."""
        known = self._known.get(name)
        if (
            known is not None
            and known[0] is one.node
            and known[1] is one.claim
            and len(known[2]) == len(pods)
            and all(map(is_, known[2], pods))
        ):
            return known[3]
        part = read_part(one, pods)
        self._known[name] = (one.node, one.claim, pods, part)
        return part

    def keep_only(self, names: Iterable[str]) -> None:
        """Forget nodes that are gone."""
        gone = self._known.keys() - set(names)
        for name in gone:
            del self._known[name]


def read_part(one: Joined, pods: Sequence[Pod]) -> Part:
    """Read what is on a node."""
    try:
        room = one.amounts("allocatable")
    except BadQuantity:
        room = {}
    cpu_room, memory_room = room.get("cpu", 0), room.get("memory", 0)
    cpu = memory = total = 0
    weights: dict[str, tuple[int, int]] = {}
    for pod in pods:
        try:
            asked = pod_requests(pod.spec, pod.status)
        except BadQuantity:
            asked = {}
        cores, size = asked.get("cpu", 0), asked.get("memory", 0)
        cpu += cores
        memory += size
        own = weigh(cores, size, cpu_room, memory_room)
        total += own
        name = workload_of(pod) or pod.key
        before = weights.get(name, (0, 0))
        weights[name] = (before[0] + own, before[1] + 1)
    most = room.get("pods")
    thing = one.claim if one.claim is not None else one.node
    assert thing is not None
    return Part(
        state=read_state(one),
        cpu=cpu,
        memory=memory,
        cpu_room=cpu_room,
        memory_room=memory_room,
        pods=len(pods),
        pods_max=most // MILLI if most is not None else None,
        weights=weights if min(cpu_room, memory_room) > 0 else {},
        full=max(1, full_weight(cpu_room, memory_room, total)),
        made_ms=read_instant(thing.metadata.creation_timestamp),
    )


def read_state(one: Joined) -> State:
    """Say where a node is in its life."""
    if one.is_deleting:
        return _leaving(one)
    if one.claim is not None and (one.node is None or not one.is_initialized):
        return _coming(one)
    node = one.node
    assert node is not None
    ready = find(node.status.conditions, READY)
    if ready is not None and ready.status != TRUE:
        return State("NotReady", _since(ready), ready.message or ready.reason, is_fault=True)
    if node.spec.unschedulable:
        return State("Cordoned", None, "no new pods are put on it")
    return State("Ready", _since(ready) or read_instant(node.metadata.creation_timestamp))


def _leaving(one: Joined) -> State:
    claim = one.claim
    if claim is None:
        assert one.node is not None
        return State("Deleting", read_instant(one.node.metadata.deletion_timestamp))
    since_ms = read_instant(claim.metadata.deletion_timestamp)
    drained = find(claim.status.conditions, "Drained")
    if drained is not None and drained.status == TRUE:
        return State("Terminating", since_ms, "its machine ends")
    detail = drained.message or drained.reason if drained is not None else ""
    return State("Draining", since_ms, detail or "its pods leave")


def _coming(one: Joined) -> State:
    """Say how far a node is that does not work yet: the first step that is not done says what it waits for."""
    claim = one.claim
    assert claim is not None
    word, since_ms = "Created", read_instant(claim.metadata.creation_timestamp)
    words = ("Launched", "Registered", "Ready")
    for name, done in zip(CLAIM_PARTS, words, strict=True):
        found = find(claim.status.conditions, name)
        if found is None or found.status != TRUE:
            detail = (found.message or found.reason) if found is not None else ""
            failed = found is not None and found.status == FALSE
            return State(word, since_ms, detail or f"waits to be {name.lower()}", is_fault=failed)
        word, since_ms = done, _since(found)
    return State(word, since_ms)


def _since(condition: Condition | None) -> int | None:
    return read_instant(condition.last_transition_time) if condition is not None else None


def is_slow(state: State, now_ms: int) -> bool:
    """Tell whether a node has been on its way in or out for too long."""
    if state.since_ms is None:
        return False
    waited_ms = now_ms - state.since_ms
    if state.word in ("Draining", "Terminating", "Deleting"):
        return waited_ms > DRAIN_SLOW_MS
    return state.word in ("Created", "Launched", "Registered") and waited_ms > START_SLOW_MS
