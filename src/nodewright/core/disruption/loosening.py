"""A World in which pods that may move are loose: they wait, and nothing but our own memory holds them.

The solver knows pods that wait and pods that stay. Whoever asks "what if this node were gone" wants its
pods among those that wait, with everything about them worked out, and yet on their node until they are
moved. So they are made to wait here, and put back on their nodes by whoever keeps the places. Equal specs
become one object, so that pods of one kind are looked into once.
"""

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from nodewright.core.provisioning import waits
from nodewright.model.pod import Pod, PodSpec, PodStatus
from nodewright.model.world import World


class Loosened(msgspec.Struct, frozen=True):
    """The World with loose pods; `loose` has each of them by the id of the pod that it was."""

    world: World
    loose: Mapping[int, Pod]


def loosen(world: World, pods: Iterable[Pod]) -> Loosened:
    """Give the World in which these pods wait for a node like those that wait already."""
    loose = {id(pod) for pod in pods}
    live = world.options.pending_rule == "live"
    share = _Sharer()
    every: list[Pod] = []
    found: dict[int, Pod] = {}
    for pod in world.pods:
        if id(pod) in loose:
            found[id(pod)] = made = share.loose(pod)
            every.append(made)
        elif pod.spec.node_name or not live or waits(pod):
            every.append(pod)
    options = replace(world.options, pending_rule="byHand")
    return Loosened(replace(world, pods=tuple(every), bad_pods=(), options=options), found)


class _Sharer:
    """Makes pods loose; equal specs and labels become the same object."""

    def __init__(self) -> None:
        self._encode = msgspec.msgpack.Encoder().encode
        self._specs: dict[bytes, PodSpec] = {}
        self._known: dict[int, PodSpec] = {}
        self._labels: dict[bytes, dict[str, str]] = {}
        self._status = PodStatus(phase="Pending")

    def loose(self, pod: Pod) -> Pod:
        spec = self._known.get(id(pod.spec))
        if spec is None:
            bare = replace(pod.spec, node_name="")
            spec = self._specs.setdefault(self._encode(bare), bare)
            self._known[id(pod.spec)] = spec
        metadata = pod.metadata
        labels = self._labels.setdefault(self._encode(metadata.labels), metadata.labels)
        if labels is not metadata.labels or metadata.deletion_timestamp is not None:
            metadata = replace(metadata, labels=labels, deletion_timestamp=None)
        status = self._status
        if pod.status.container_statuses:
            status = replace(status, container_statuses=pod.status.container_statuses)
        return Pod(metadata, spec, status)
