"""Predictions checked: where we said that a pod would run, and where the scheduler put it.

A plan says of each pod on which node it is expected, one that is there or one that is being made. Once
the pod is bound, the two are compared, and what differs has a kind of its own, which has an explanation:
a mismatch is no fault by itself, but many of one kind say what the plans get wrong. Pods, nodes and claims are
watched apart, so a pod may be seen on a node before that is known, or known as its claim's: then it is compared
later, and nodes and claims are matched by the machine that both name.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.model.decision import Decision, Nominate
from nodewright.model.labels import NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
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
        hosts = _Hosts(world)
        for uid, promise in list(self._promises.items()):
            pod = pods.get(uid)
            if pod is None:
                # A pod that went before it was bound proves nothing.
                del self._promises[uid]
                continue
            result = hosts.judge(pod.spec.node_name, promise) if pod.spec.node_name else None
            if result is not None:
                del self._promises[uid]
                self._count("nodewright_placements_total", result)
                self._latest.append(result == AS_PREDICTED)


class _Hosts:
    """The nodes and claims of a World, and which belong together."""

    def __init__(self, world: World) -> None:
        self._nodes = {node.metadata.name: node for node in world.nodes}
        self._claims = {one.metadata.name: one for one in world.node_claims}
        machines = {node.spec.provider_id: name for name, node in self._nodes.items()}
        made = {name: one.status.provider_id for name, one in self._claims.items()}
        self._made = {name: machines.get(one, "") if one else "" for name, one in made.items()}
        self._ours = frozenset(self._made.values())

    def judge(self, bound: str, promise: _Promise) -> str | None:
        """Compare where a pod is bound with where it was expected; nothing while that cannot be told."""
        claim = self._claims.get(promise.host)
        meant = promise.host if claim is None else self._node_of(claim)
        if bound == meant:
            return AS_PREDICTED
        is_started = claim is None or bool(claim.status.provider_id)
        if bound not in promise.there and (bound not in self._nodes or not is_started):
            return None
        if self._is_foreign(bound):
            return FOREIGN_NODE
        if not meant:
            return HOST_LATE
        if claim is None and promise.host not in self._nodes:
            return HOST_GONE
        return OTHER_NODE if bound in promise.there else NEWER_NODE

    def _node_of(self, claim: NodeClaim) -> str:
        return claim.status.node_name or self._made[claim.metadata.name]

    def _is_foreign(self, name: str) -> bool:
        """Tell whether a node belongs to no pool, and is not one of ours that has just joined."""
        node = self._nodes.get(name)
        is_pooled = node is None or NODEPOOL in node.metadata.labels
        return not is_pooled and name not in self._ours
