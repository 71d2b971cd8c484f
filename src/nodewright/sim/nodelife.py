"""The node controllers: what Kubernetes does about nodes that are not ready, silent or gone.

A node that is silent for 40 s is marked unknown and tainted; taints that do not let pods stay drive
them out when their patience ends; a node whose machine is gone is deleted; pods that are bound to a
node which no longer exists are removed after a while. Ready nodes lose the taints again.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from nodewright.core.scheduling.rules.taints import tolerates
from nodewright.model.metadata import Condition, Taint
from nodewright.model.node import Node
from nodewright.model.pod import Pod
from nodewright.model.resource import NODES, PODS, key_of
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.ground import Ground, Worklist
from nodewright.sim.kubelet import NOT_READY_TAINT

UNREACHABLE_TAINT: Final = "node.kubernetes.io/unreachable"
SILENCE_MS: Final = 40_000
_CLOUD_CHECK_MS: Final = 5_000
_ORPHAN_MS: Final = 60_000
_TAINT_ACTOR: Final = "taint-eviction"
_replace = msgspec.structs.replace
_AWAY: Final = {"True": "", "False": NOT_READY_TAINT, "Unknown": UNREACHABLE_TAINT}


class NodeControllers:
    """Node lifecycle, taint eviction, cloud node deletion and pod collection."""

    def __init__(self, ground: Ground, is_gone: Callable[[str], bool]) -> None:
        self._loop = ground.loop
        self._api = ground.api
        self._is_gone = is_gone
        self._silent: dict[str, int] = {}
        self._on_node: dict[str, dict[str, None]] = {}
        self._taints = Worklist(ground.loop, 100, self._sync_taints)
        self._api.listen(NODES, self._node_changed)
        self._api.listen(PODS, self._pod_changed)

    def heard(self, name: str, silent: bool) -> None:
        """Take note that a kubelet fell silent or speaks again."""
        if silent:
            self._silent[name] = self._loop.now_ms()
            self._loop.after_ms(SILENCE_MS, self._check_silence, name, self._silent[name])
        else:
            self._silent.pop(name, None)
            self._mark(name, "True", "KubeletReady")

    def pods_on(self, name: str) -> list[Pod]:
        """Give the pods that are bound to a node."""
        found = (self._api.get(PODS, key) for key in self._on_node.get(name, ()))
        return [pod for pod in found if pod is not None]

    def _check_silence(self, name: str, since_ms: int) -> None:
        if self._silent.get(name) == since_ms:
            self._mark(name, "Unknown", "NodeStatusUnknown")
            self._loop.after_ms(_CLOUD_CHECK_MS, self._check_cloud, name)

    def _check_cloud(self, name: str) -> None:
        node = self._api.get(NODES, name)
        if node is None or name not in self._silent:
            return
        if node.metadata.deletion_timestamp is None and self._is_gone(node.spec.provider_id):
            self._api.delete(NODES, name, "cloud-controller")
        self._loop.after_ms(SILENCE_MS, self._check_cloud, name)

    def _mark(self, name: str, ready: str, reason: str) -> None:
        def marked(node: Node) -> Node:
            known = next((one for one in node.status.conditions if one.type == "Ready"), None)
            if known is not None and known.status == ready:
                return node
            if known is None or (ready == "True" and known.status == "False"):
                return node
            now = Condition(
                type="Ready", status=ready, reason=reason, last_transition_time=self._api.stamp()
            )
            others = tuple(one for one in node.status.conditions if one.type != "Ready")
            return _replace(node, status=_replace(node.status, conditions=(*others, now)))

        self._api.change(NODES, name, marked, "node-controller")

    def _node_changed(self, change: Change) -> None:
        if change.verb == DELETED:
            self._silent.pop(change.key, None)
            self._loop.after_ms(_ORPHAN_MS, self._collect_pods, change.key)
            return
        old, new = change.old, change.new
        if old is None or old.status.conditions != new.status.conditions:
            self._taints.add(change.key)
        if old is None or old.spec.taints != new.spec.taints:
            self._drive_out(change.key)

    def _sync_taints(self, name: str) -> None:
        def tainted(node: Node) -> Node:
            ready = next((one for one in node.status.conditions if one.type == "Ready"), None)
            wanted = _AWAY[ready.status if ready else "Unknown"]
            there = {t.key for t in node.spec.taints} & {NOT_READY_TAINT, UNREACHABLE_TAINT}
            if there == ({wanted} if wanted else set()):
                return node
            kept = [
                taint
                for taint in node.spec.taints
                if taint.key not in (NOT_READY_TAINT, UNREACHABLE_TAINT)
            ]
            if wanted:
                stamp = self._api.stamp()
                kept.append(Taint(key=wanted, effect="NoSchedule", time_added=stamp))
                kept.append(Taint(key=wanted, effect="NoExecute", time_added=stamp))
            return _replace(node, spec=_replace(node.spec, taints=tuple(kept)))

        self._api.change(NODES, name, tainted, "node-controller")

    def _pod_changed(self, change: Change) -> None:
        pod: Pod = change.new
        node = pod.spec.node_name
        if not node:
            return
        if change.verb == DELETED:
            pods = self._on_node.get(node)
            if pods is not None:
                pods.pop(change.key, None)
                if not pods:
                    del self._on_node[node]
            return
        pods = self._on_node.setdefault(node, {})
        if change.key not in pods:
            pods[change.key] = None
            there = self._api.get(NODES, node)
            if there is None:
                self._loop.after_ms(_ORPHAN_MS, self._collect_pods, node)
            elif there.spec.taints:
                self._judge(pod, there)

    def _drive_out(self, name: str) -> None:
        node = self._api.get(NODES, name)
        if node is None or not any(one.effect == "NoExecute" for one in node.spec.taints):
            return
        for pod in self.pods_on(name):
            self._judge(pod, node)

    def _judge(self, pod: Pod, node: Node) -> None:
        """Have a pod deleted when its patience with its node's taints ends."""
        patience = patience_ms(pod, node)
        if patience is not None and pod.metadata.deletion_timestamp is None:
            key, uid = key_of(pod.metadata), pod.metadata.uid
            self._loop.after_ms(patience, self._evict, key, uid, node.metadata.name)

    def _evict(self, key: str, uid: str, name: str) -> None:
        pod, node = self._api.get(PODS, key), self._api.get(NODES, name)
        if pod is None or node is None or pod.metadata.uid != uid:
            return
        if pod.metadata.deletion_timestamp is None and patience_ms(pod, node) is not None:
            self._api.delete(PODS, key, _TAINT_ACTOR)

    def _collect_pods(self, name: str) -> None:
        if self._api.get(NODES, name) is None:
            for pod in self.pods_on(name):
                self._api.bury(PODS, key_of(pod.metadata), "pod-collector")


def patience_ms(pod: Pod, node: Node) -> int | None:
    """Tell how long a pod may stay in spite of its node's NoExecute taints; nothing for ever."""
    shortest: int | None = None
    for taint in node.spec.taints:
        if taint.effect != "NoExecute":
            continue
        covering = [one for one in pod.spec.tolerations if tolerates(one, taint)]
        if not covering:
            return 0
        limits = [one.toleration_seconds for one in covering if one.toleration_seconds is not None]
        if limits:
            mine = max(0, min(limits)) * 1000
            shortest = mine if shortest is None else min(shortest, mine)
    return shortest
