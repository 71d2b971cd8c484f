"""A World in which pods that may move are loose: they wait, and nothing but our own memory holds them.

The solver knows pods that wait and pods that stay. Whoever asks "what if this node were gone" wants its
pods among those that wait, with everything about them worked out, and yet on their node until they are
moved. So they are made to wait here, and put back on their nodes by whoever keeps the places. Equal specs
become one object, so that pods of one kind are looked into once.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from nodewright.core.provisioning import waits
from nodewright.core.recall import Recall
from nodewright.model.pod import Pod, PodSpec, PodStatus
from nodewright.model.world import World

_LOADS_KEPT: Final = 2_500
_KINDS_MAX: Final = 20_000


class Loosened(msgspec.Struct, frozen=True):
    """The World with loose pods; `loose` has each of them by the id of the pod that it was."""

    world: World
    loose: Mapping[int, Pod]


def loosen(world: World, loads: Iterable[Sequence[Pod]]) -> Loosened:
    """Give the World in which the pods of some nodes wait for a node like those that wait already."""
    live = world.options.pending_rule == "live"
    every: list[Pod] = []
    found: dict[int, Pod] = {}
    for pods in loads:
        found.update(zip(map(id, pods), _loose_pods(pods), strict=True))
    for pod in world.pods:
        made = found.get(id(pod))
        if made is not None:
            every.append(made)
        elif pod.spec.node_name or not live or waits(pod):
            every.append(pod)
    options = replace(world.options, pending_rule="byHand")
    return Loosened(replace(world, pods=tuple(every), bad_pods=(), options=options), found)


class _Sharer:
    """Makes pods loose; equal specs and labels become the same object, from look to look."""

    def __init__(self) -> None:
        self._encode = msgspec.msgpack.Encoder().encode
        self._specs: dict[bytes, PodSpec] = {}
        self._labels: dict[bytes, dict[str, str]] = {}
        self._status = PodStatus(phase="Pending")

    def loose(self, pod: Pod) -> Pod:
        if max(len(self._specs), len(self._labels)) >= _KINDS_MAX:
            self._specs, self._labels = {}, {}
        bare = replace(pod.spec, node_name="")
        spec = self._specs.setdefault(self._encode(bare), bare)
        metadata = pod.metadata
        labels = self._labels.setdefault(self._encode(metadata.labels), metadata.labels)
        if labels is not metadata.labels or metadata.deletion_timestamp is not None:
            metadata = replace(metadata, labels=labels, deletion_timestamp=None)
        status = self._status
        if pod.status.container_statuses:
            status = replace(status, container_statuses=pod.status.container_statuses)
        return Pod(metadata, spec, status)


_sharer: Final = _Sharer()
_loose: Final = Recall[tuple[Pod, ...]](_LOADS_KEPT)


def _loose_pods(pods: Sequence[Pod]) -> tuple[Pod, ...]:
    """Give the pods of one node made loose; those of a node on which nothing happened are known."""
    return _loose.of(tuple(pods), lambda: tuple([_sharer.loose(pod) for pod in pods]))
