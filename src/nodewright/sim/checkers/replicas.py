"""Promises about workloads: their last healthy replicas are never drained on two nodes together.

A node counts from the moment the controller says on its claim why it goes. A workload all of whose pods
are on one node is not helped by waiting. Where a healthy pod was lost a moment ago, or another node was
taken by force after a command had begun, what was decided before that could not know.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.model.command import COMMAND
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.resource import NODE_CLAIMS, PODS
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.checkers.budgets import reason_of
from nodewright.sim.checkers.checker import Checker, Scene, is_controller

_MEMORY_MS: Final = 30_000


class LastReplicas(Checker):
    """No node is asked to go whose healthy pods are, with those on others that go, the last ones."""

    name = "last-replicas"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._lost_ms: dict[str, int] = {}
        self._begun_ms: dict[str, int] = {}
        self._deleted_ms: dict[str, int] = {}
        self.api.listen(PODS, self._pod_changed)
        self.api.listen(NODE_CLAIMS, self._claim_changed)

    def _pod_changed(self, change: Change) -> None:
        old: Pod | None = change.old
        if old is None or not _is_healthy(old):
            return
        if change.verb == DELETED or not _is_healthy(change.new):
            self._lost_ms[_workload(old)] = self.loop.now_ms()

    def _claim_changed(self, change: Change) -> None:
        if change.verb == DELETED:
            return
        self._take_note(change.new)
        if not is_controller(change.actor):
            return
        if not reason_of(change.new) or (change.old is not None and reason_of(change.old)):
            return
        node, now_ms = change.new.status.node_name, self.loop.now_ms()
        begun_ms = self._begun_ms.get(change.new.metadata.name, now_ms)
        going = {
            claim.status.node_name
            for claim in self.api.each(NODE_CLAIMS)
            if reason_of(claim) or self._deleted_ms.get(claim.metadata.name, now_ms) < begun_ms
        }
        going.add(node)
        for workload, homes in self._homes():
            if node not in homes or len(homes) == 1 or not homes <= going:
                continue
            if now_ms - self._lost_ms.get(workload, -_MEMORY_MS) >= _MEMORY_MS:
                self.complain(
                    f"node {node} is asked to go, and all other healthy pods of {workload} are on "
                    f"nodes that go too",
                    *(f"nodes/{one}" for one in sorted(homes)),
                )

    def _take_note(self, claim: NodeClaim) -> None:
        """Take note of when a command for a claim began, and of when it was deleted."""
        name, now_ms = claim.metadata.name, self.loop.now_ms()
        if COMMAND in claim.metadata.annotations:
            self._begun_ms.setdefault(name, now_ms)
        else:
            self._begun_ms.pop(name, None)
        if claim.metadata.deletion_timestamp is not None:
            self._deleted_ms.setdefault(name, now_ms)

    def _homes(self) -> Iterator[tuple[str, set[str]]]:
        """Give the nodes that hold healthy pods of each workload."""
        found: dict[str, set[str]] = {}
        for pod in self.api.each(PODS):
            if _is_healthy(pod) and pod.spec.node_name:
                found.setdefault(_workload(pod), set()).add(pod.spec.node_name)
        found.pop("", None)
        yield from sorted(found.items())


def _workload(pod: Pod) -> str:
    owners = pod.metadata.owner_references
    if not owners or owners[0].kind in ("DaemonSet", "Node"):
        return ""
    return f"{pod.metadata.namespace}/{owners[0].kind}/{owners[0].name}"


def _is_healthy(pod: Pod) -> bool:
    if pod.metadata.deletion_timestamp is not None:
        return False
    return any(one.type == "Ready" and one.status == "True" for one in pod.status.conditions)
