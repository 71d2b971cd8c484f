"""DaemonSets: one pod for each node that its rules allow, pinned to that node by name.

A daemon pod puts up with a node that is not ready, out of reach, under pressure or cordoned, as
Kubernetes lets it. The pod is bound by the scheduler like any other.
"""

from typing import Final

import msgspec

from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.model.metadata import NodeSelectorRequirement, NodeSelectorTerm, Toleration
from nodewright.model.node import Node
from nodewright.model.pod import Affinity, NodeAffinity, NodeSelector, PodSpec, PodTemplate
from nodewright.model.resource import NODES, PODS, key_of
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.ground import Ground, Worklist
from nodewright.sim.nodematch import node_matches
from nodewright.sim.objects import DAEMON_SETS, PHASE_ENDED, SimDaemonSet, WorkloadStatus
from nodewright.sim.workloads import Brood, make_pod

_DELAY_MS: Final = 30
_PRESSURES: Final = ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
_replace = msgspec.structs.replace


class DaemonSetController:
    """Keeps one pod of each DaemonSet on each node that it wants."""

    actor: Final = "daemonset-controller"

    def __init__(self, ground: Ground) -> None:
        self._api = ground.api
        self._work = Worklist(ground.loop, _DELAY_MS, self._sync)
        self._nodes = Worklist(ground.loop, _DELAY_MS, self._sync_node)
        self._brood = Brood(ground, "DaemonSet", self._work)
        self._api.listen(DAEMON_SETS, lambda change: self._work.add(change.key))
        self._api.listen(NODES, self._node_changed)

    def _node_changed(self, change: Change) -> None:
        old, new = change.old, change.new
        if (
            change.verb != DELETED
            and old is not None
            and old.metadata.labels == new.metadata.labels
            and old.spec == new.spec
            and old.metadata.deletion_timestamp == new.metadata.deletion_timestamp
        ):
            return
        self._nodes.add(change.key)

    def _sync_node(self, name: str) -> None:
        del name
        for owner in self._api.each(DAEMON_SETS):
            self._work.add(key_of(owner.metadata))

    def _sync(self, key: str) -> None:
        owner = self._api.get(DAEMON_SETS, key)
        if owner is None or owner.metadata.deletion_timestamp is not None:
            return
        template = daemon_template(owner)
        there: dict[str, str] = {}
        for pod in list(self._brood.of(owner.metadata.uid)):
            where = pod.spec.node_name or pinned_node(pod.spec)
            if pod.status.phase in PHASE_ENDED and pod.metadata.deletion_timestamp is None:
                self._api.delete(PODS, key_of(pod.metadata), self.actor)
            else:
                there[where] = key_of(pod.metadata)
        wanted = 0
        for node in self._api.each(NODES):
            name = node.metadata.name
            wants = _may_run(template.spec, node)
            wanted += wants
            if wants and name not in there and not _has_untolerated(template.spec, node):
                self._make(owner, template, name)
            elif not wants and name in there:
                self._remove(there[name])
        status = WorkloadStatus(
            observed_generation=owner.metadata.generation,
            replicas=wanted,
            ready_replicas=len(there),
        )
        self._api.change(DAEMON_SETS, key, lambda one: _replace(one, status=status), self.actor)

    def _remove(self, key: str) -> None:
        pod = self._api.get(PODS, key)
        if pod is not None and pod.metadata.deletion_timestamp is None:
            self._api.delete(PODS, key, self.actor)

    def _make(self, owner: SimDaemonSet, template: PodTemplate, node: str) -> None:
        spec = _replace(template.spec, affinity=_pin(template.spec.affinity, node))
        pod = make_pod(DAEMON_SETS, owner, _replace(template, spec=spec))
        self._api.create(PODS, pod, self.actor)


def daemon_template(owner: SimDaemonSet) -> PodTemplate:
    """Give the template of a DaemonSet with the tolerations that all daemon pods get."""
    template = owner.spec.template
    more = [
        Toleration(key=f"node.kubernetes.io/{name}", operator="Exists", effect="NoExecute")
        for name in ("not-ready", "unreachable")
    ]
    pressures = (*_PRESSURES, "network-unavailable") if template.spec.host_network else _PRESSURES
    more += [
        Toleration(key=f"node.kubernetes.io/{name}", operator="Exists", effect="NoSchedule")
        for name in pressures
    ]
    spec = _replace(template.spec, tolerations=(*template.spec.tolerations, *more))
    return _replace(template, spec=spec)


def pinned_node(spec: PodSpec) -> str:
    """Give the node that a pod is pinned to by name, if any."""
    affinity = spec.affinity.node_affinity if spec.affinity else None
    if affinity is None or affinity.required is None:
        return ""
    for term in affinity.required.node_selector_terms:
        for field in term.match_fields:
            if field.key == "metadata.name" and field.operator == "In" and field.values:
                return field.values[0]
    return ""


def _pin(affinity: Affinity | None, node: str) -> Affinity:
    field = NodeSelectorRequirement(key="metadata.name", operator="In", values=(node,))
    before = affinity.node_affinity if affinity else None
    terms: tuple[NodeSelectorTerm, ...] = (NodeSelectorTerm(match_fields=(field,)),)
    if before is not None and before.required is not None:
        # The pin replaces the terms, as the real controller does: they were checked already.
        terms = tuple(
            NodeSelectorTerm(match_fields=(field,)) for _ in before.required.node_selector_terms
        )[:1]
    preferred = before.preferred if before else ()
    pinned = NodeAffinity(required=NodeSelector(node_selector_terms=terms), preferred=preferred)
    return _replace(affinity or Affinity(), node_affinity=pinned)


def _may_run(spec: PodSpec, node: Node) -> bool:
    if not node_matches(spec, node):
        return False
    lasting = tuple(taint for taint in node.spec.taints if taint.effect == "NoExecute")
    return first_untolerated(lasting, spec.tolerations) is None


def _has_untolerated(spec: PodSpec, node: Node) -> bool:
    hard = tuple(taint for taint in node.spec.taints if taint.effect != "PreferNoSchedule")
    return first_untolerated(hard, spec.tolerations) is not None
