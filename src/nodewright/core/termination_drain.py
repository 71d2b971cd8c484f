"""Draining: which pods must leave a node, in which order, and when they are ended by force.

Pods leave in groups, each only when the one before is gone: ordinary ones, ordinary daemons, critical
ones, critical daemons. Eviction keeps disruption budgets, and a pod that says do-not-disrupt stays. A
node with a deadline does not wait for ever: pods whose own grace would reach past it are deleted. When
no pod is left, volumes must be off the node before its machine goes.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from nodewright.core.lifecycle import write_findings
from nodewright.core.lifecycle_conditions import FALSE, TRUE, UNKNOWN, Finding, find, is_true, says
from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.core.scheduling.selection import is_protected
from nodewright.core.termination_words import Budgets, failed_draining, tell_of_protection
from nodewright.model.decision import Decision, Delete, Evict, Tell, rest_on
from nodewright.model.instant import parse_instant, read_instant
from nodewright.model.labels import DISRUPTED_TAINT
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.resource import NODES, PODS, key_of, refer
from nodewright.model.volume import VolumeAttachment
from nodewright.model.world import World

DEADLINE: Final = "karpenter.sh/nodeclaim-termination-timestamp"
DRAINED: Final = "Drained"
DETACHED: Final = "VolumesDetached"
DRAIN_MS_MIN: Final = 5_000
STUCK_MS: Final = 60_000
NAMES_MAX: Final = 5
_CRITICAL: Final = frozenset({"system-cluster-critical", "system-node-critical"})
_TERMINAL: Final = ("Succeeded", "Failed")
_TAINT: Final = Taint(key=DISRUPTED_TAINT, effect="NoSchedule")


class Drain:
    """The pods and volumes of the nodes that are going away."""

    def __init__(self, world: World) -> None:
        self._now_ms = world.now_ms
        going = {
            node.metadata.name
            for node in world.nodes
            if node.metadata.deletion_timestamp is not None
        }
        self._pods: dict[str, list[Pod]] = {}
        for pod in world.pods:
            if pod.spec.node_name in going:
                self._pods.setdefault(pod.spec.node_name, []).append(pod)
        self._attached: dict[str, list[VolumeAttachment]] = {}
        for one in world.volume_attachments:
            if one.spec.node_name in going:
                self._attached.setdefault(one.spec.node_name, []).append(one)
        self._budgets = Budgets(world.disruption_budgets)
        self._volume_of = {
            key_of(one.metadata): one.spec.volume_name
            for one in (world.volume_claims if self._attached else ())
        }

    def steps(self, node: Node, claim: NodeClaim | None) -> Iterator[Decision]:
        """Give what is to be done now to empty a node; nothing once it is empty or must wait."""
        waiting = those_waited_for(self._pods.get(node.metadata.name, ()), self._now_ms)
        deadline_ms = deadline_of(claim)
        if waiting:
            if claim is not None:
                yield from self._find(claim, Finding(DRAINED, UNKNOWN, "Draining"))
            late = [pod for pod in waiting if _is_late(pod, deadline_ms, self._now_ms)]
            for pod in late:
                assert deadline_ms is not None
                yield self._force(pod, deadline_ms)
            rest = [pod for pod in waiting if pod not in late]
            for pod in first_group(rest):
                if pod.metadata.deletion_timestamp is None:
                    yield from tell_of_protection(pod, self._now_ms)
                    yield self._evict(pod, node)
                    yield from self._tell_of_budgets(pod, node)
            yield _tell_waiting(node, waiting)
        elif claim is not None and not is_true(claim, DRAINED):
            yield from self._finish(claim)
        elif claim is not None and not self._is_detached(claim):
            yield from self._detach(node, claim, deadline_ms)

    def is_over(self, node: Node, claim: NodeClaim | None) -> bool:
        """Tell whether nothing keeps a node's machine any more."""
        if those_waited_for(self._pods.get(node.metadata.name, ()), self._now_ms):
            return False
        if claim is None:
            return not self._blocking(node)
        return is_true(claim, DRAINED) and self._is_detached(claim)

    def _evict(self, pod: Pod, node: Node) -> Decision:
        if is_protected(pod, self._now_ms):
            note = f"pod {key_of(pod.metadata)} says do-not-disrupt, so the node waits for it"
            return failed_draining(node, note, key_of(pod.metadata))
        return Evict(
            subject=refer(PODS, pod),
            reason="Drain",
            note=f"node {node.metadata.name} is going away",
            basis=rest_on((PODS, pod)),
            node=refer(NODES, node),
        )

    def _tell_of_budgets(self, pod: Pod, node: Node) -> Iterator[Decision]:
        fault = self._budgets.fault_of(pod)
        if fault:
            key = key_of(pod.metadata)
            yield failed_draining(node, f"pod {key} cannot be evicted: {fault}", f"{key}/budget")

    def _force(self, pod: Pod, deadline_ms: int) -> Decision:
        grace_s = max(1, (deadline_ms - self._now_ms) // 1000)
        return Delete(
            subject=refer(PODS, pod),
            reason="Disrupted",
            note=f"its node's deadline leaves it {grace_s} s",
            basis=rest_on((PODS, pod)),
            grace_s=grace_s,
        )

    def _finish(self, claim: NodeClaim) -> Iterator[Decision]:
        begun = find(claim.status.conditions, DRAINED)
        if begun is None or begun.last_transition_time is None:
            yield from self._find(claim, Finding(DRAINED, UNKNOWN, "Draining"))
        elif self._now_ms - parse_instant(begun.last_transition_time) >= DRAIN_MS_MIN:
            # Pods that were bound before the scheduler saw the taint have shown up by now.
            yield from self._find(claim, Finding(DRAINED))

    def _detach(self, node: Node, claim: NodeClaim, deadline_ms: int | None) -> Iterator[Decision]:
        blocking = self._blocking(node)
        if not blocking:
            yield from self._find(claim, Finding(DETACHED))
        elif deadline_ms is not None and self._now_ms >= deadline_ms:
            yield from self._find(claim, Finding(DETACHED, FALSE, "TerminationGracePeriodElapsed"))
        else:
            yield from self._find(claim, Finding(DETACHED, UNKNOWN, "AwaitingVolumeDetachment"))
            yield Tell(
                subject=refer(NODES, node),
                reason="AwaitingVolumeDetachment",
                note=f"waiting for volumes to be detached: {_shorten(blocking)}",
            )

    def _is_detached(self, claim: NodeClaim) -> bool:
        found = find(claim.status.conditions, DETACHED)
        return found is not None and found.status in (TRUE, FALSE)

    def _blocking(self, node: Node) -> list[str]:
        """Name the volumes that must come off; those of pods that stay do not count."""
        staying = {
            self._volume_of.get(
                f"{pod.metadata.namespace}/{one.persistent_volume_claim.claim_name}"
            )
            for pod in self._pods.get(node.metadata.name, ())
            if not leaves(pod)
            for one in pod.spec.volumes
            if one.persistent_volume_claim is not None
        }
        names = [
            one.spec.source.persistent_volume_name
            for one in self._attached.get(node.metadata.name, ())
        ]
        return sorted(name for name in names if name and name not in staying)

    def _find(self, claim: NodeClaim, finding: Finding) -> Iterator[Decision]:
        if not says(claim, finding):
            yield write_findings(claim, [finding], self._now_ms)


def those_waited_for(pods: Iterable[Pod], now_ms: int) -> list[Pod]:
    """Give the pods of a node that must be gone before its machine may go."""
    return [pod for pod in pods if _is_waited_for(pod, now_ms)]


def _is_waited_for(pod: Pod, now_ms: int) -> bool:
    if pod.status.phase in _TERMINAL or not leaves(pod):
        return False
    deleted = pod.metadata.deletion_timestamp
    return deleted is None or now_ms <= parse_instant(deleted) + STUCK_MS


def leaves(pod: Pod) -> bool:
    """Tell whether a pod is driven out of a node that goes away."""
    if any(owner.kind == "Node" for owner in pod.metadata.owner_references):
        return False
    return first_untolerated((_TAINT,), pod.spec.tolerations) is not None


def first_group(pods: list[Pod]) -> list[Pod]:
    """Give the pods that leave first: ordinary, daemons, critical, critical daemons."""
    ranks = [_rank(pod) for pod in pods]
    least = min(ranks, default=(False, False))
    return [pod for pod, rank in zip(pods, ranks, strict=True) if rank == least]


def _rank(pod: Pod) -> tuple[bool, bool]:
    is_daemon = any(owner.kind == "DaemonSet" for owner in pod.metadata.owner_references)
    return (pod.spec.priority_class_name in _CRITICAL, is_daemon)


def _is_late(pod: Pod, deadline_ms: int | None, now_ms: int) -> bool:
    """Tell whether a pod must be ended by force for its node to keep its deadline."""
    if deadline_ms is None:
        return False
    deleted = pod.metadata.deletion_timestamp
    if deleted is not None:
        return parse_instant(deleted) > deadline_ms
    grace_s = pod.spec.termination_grace_period_seconds
    return grace_s is not None and now_ms > deadline_ms - grace_s * 1000


def deadline_of(claim: NodeClaim | None) -> int | None:
    """Give the instant by which the pods of a claim's node must be gone, where there is one."""
    stamp = claim.metadata.annotations.get(DEADLINE) if claim is not None else None
    return read_instant(stamp)


def _tell_waiting(node: Node, waiting: list[Pod]) -> Tell:
    names = sorted(key_of(pod.metadata) for pod in waiting)
    return failed_draining(node, f"waiting for pods to leave: {_shorten(names)}", "waiting")


def _shorten(names: list[str]) -> str:
    more = len(names) - NAMES_MAX
    return ", ".join(names[:NAMES_MAX]) + (f" and {more} more" if more > 0 else "")
