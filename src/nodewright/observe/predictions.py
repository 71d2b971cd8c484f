"""Predictions checked: where we said that a pod would run, and where the scheduler put it.

A plan says of each pod on which node it is expected, one that is there or one that is being made. Once
the pod is bound, the two are compared, and what differs has a kind of its own, which has an explanation:
a mismatch is no fault by itself, but many of one kind say what the plans get wrong.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.model.decision import Decision, Nominate
from nodewright.model.labels import NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.world import World

AS_PREDICTED: Final = "as_predicted"
OTHER_NODE: Final = "other_node"
NEWER_NODE: Final = "newer_node"
FOREIGN_NODE: Final = "foreign_node"
HOST_GONE: Final = "host_gone"
HOST_LATE: Final = "host_late"

EXPLANATIONS: Final[Mapping[str, str]] = {
    AS_PREDICTED: "The pod runs where the plan said.",
    OTHER_NODE: (
        "The predicted node works, and the scheduler took another of ours that was there already: it scores "
        "nodes by taste (spreading, image locality), and room had come free meanwhile. Harmless, unless plans grow too large."
    ),
    NEWER_NODE: (
        "The predicted node works, and the pod runs on one that was made after the plan: somebody else's claim came up "
        "first and had room."
    ),
    FOREIGN_NODE: (
        "The pod runs on a node of no NodePool: a managed node group or another autoscaler made room that the plan did not "
        "know of. A node may have been bought for nothing; consolidation gives it back."
    ),
    HOST_GONE: (
        "The predicted node or claim does not exist any more: the launch failed, or the machine was taken away before the pod came."
    ),
    HOST_LATE: (
        "The machine that was made for the pod had not joined yet when the scheduler found room elsewhere: pods had ended meanwhile."
    ),
}
"""What each result means; the page of metrics prints it."""

_EVERY_MS: Final = 1_000
_PREDICTED_MAX: Final = 100_000
_LATEST_MAX: Final = 1_000

type Count = Callable[..., None]


class _Promise(msgspec.Struct, frozen=True):
    host: str
    there: frozenset[str]


class Predictions:
    """Remembers where pods are expected, and compares once they are bound."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._promises: dict[str, _Promise] = {}
        self._latest: deque[bool] = deque(maxlen=_LATEST_MAX)
        self._looked_ms: int | None = None

    @property
    def mismatch_ratio(self) -> float | None:
        """The part of the latest comparisons that differ; nothing before the first."""
        return self._latest.count(False) / len(self._latest) if self._latest else None

    def decide(self, world: World, decisions: Sequence[Decision]) -> None:
        """Take note of where pods are expected from now on."""
        told = [one for one in decisions if isinstance(one, Nominate)]
        if not told:
            return
        there = frozenset(node.metadata.name for node in world.nodes)
        for one in told:
            self._promises[one.subject.uid] = _Promise(one.host, there)
        while len(self._promises) > _PREDICTED_MAX:
            del self._promises[next(iter(self._promises))]

    def look(self, world: World) -> None:
        """Compare the pods that are bound by now; at most once a second."""
        if not self._promises:
            return
        if self._looked_ms is not None and world.now_ms - self._looked_ms < _EVERY_MS:
            return
        self._looked_ms = world.now_ms
        pods = {pod.metadata.uid: pod for pod in world.pods if pod.metadata.uid in self._promises}
        claims = {one.metadata.name: one for one in world.node_claims}
        foreign = {
            node.metadata.name for node in world.nodes if NODEPOOL not in node.metadata.labels
        }
        names = {node.metadata.name for node in world.nodes}
        for uid, promise in list(self._promises.items()):
            pod = pods.get(uid)
            if pod is not None and not pod.spec.node_name:
                continue
            del self._promises[uid]
            # A pod that went before it was bound proves nothing.
            if pod is not None:
                result = _judge(pod, promise, claims, (names, foreign))
                self._count("nodewright_placements_total", result)
                self._latest.append(result == AS_PREDICTED)


def _judge(
    pod: Pod,
    promise: _Promise,
    claims: Mapping[str, NodeClaim],
    nodes: tuple[set[str], set[str]],
) -> str:
    names, foreign = nodes
    bound, claim = pod.spec.node_name, claims.get(promise.host)
    meant = claim.status.node_name if claim is not None else promise.host
    if bound == meant:
        return AS_PREDICTED
    if bound in foreign:
        return FOREIGN_NODE
    if claim is not None and not meant:
        return HOST_LATE
    if claim is None and promise.host not in names:
        return HOST_GONE
    return OTHER_NODE if bound in promise.there else NEWER_NODE
