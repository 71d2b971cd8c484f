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
from nodewright.sim.objects import DAEMON_SETS, PHASE_ENDED, SimDaemonSet
from nodewright.sim.workloads import make_pod

_DELAY_MS: Final = 30
_PRESSURES: Final = ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
_replace = msgspec.structs.replace


class DaemonSetController:
    """Keeps one pod of each DaemonSet on each node that it wants."""

    actor: Final = "daemonset-controller"

    def __init__(self, ground: Ground) -> None:
        self._api = ground.api
        self._work = Worklist(ground.loop, _DELAY_MS, self._sync)
        self._places: dict[tuple[str, str], str] = {}
        self._templates: dict[str, tuple[SimDaemonSet, PodTemplate]] = {}
        self._api.listen(DAEMON_SETS, self._owner_changed)
        self._api.listen(PODS, self._pod_changed)
        self._api.listen(NODES, self._node_changed)

    def _owner_changed(self, change: Change) -> None:
        self._templates.pop(change.key, None)
        if change.verb != DELETED and (change.old is None or change.old.spec != change.new.spec):
            for node in self._api.each(NODES):
                self._work.add(f"{change.key} {node.metadata.name}")

    def _pod_changed(self, change: Change) -> None:
        pod = change.new
        for owner in pod.metadata.owner_references:
            if owner.kind == "DaemonSet":
                where = pod.spec.node_name or pinned_node(pod.spec)
                place = (f"{pod.metadata.namespace}/{owner.name}", where)
                ended = pod.status.phase in PHASE_ENDED
                if change.verb == DELETED:
                    if self._places.get(place) == change.key:
                        del self._places[place]
                else:
                    self._places[place] = change.key
                if ended or change.verb == DELETED:
                    self._work.add(f"{place[0]} {where}")

    def _node_changed(self, change: Change) -> None:
        old, new = change.old, change.new
        if (
            change.verb != DELETED
            and old is not None
            and old.metadata.labels == new.metadata.labels
            and old.spec == new.spec
        ):
            return
        for owner in self._api.each(DAEMON_SETS):
            self._work.add(f"{key_of(owner.metadata)} {change.key}")

    def _sync(self, place: str) -> None:
        """Look at one DaemonSet on one node."""
        key, _, name = place.partition(" ")
        owner, node = self._api.get(DAEMON_SETS, key), self._api.get(NODES, name)
        if owner is None or owner.metadata.deletion_timestamp is not None:
            return
        there = self._places.get((key, name))
        template = self._template(key, owner)
        if node is None or not _may_run(template.spec, node):
            if there is not None:
                self._remove(there)
            return
        pod = self._api.get(PODS, there) if there is not None else None
        if pod is None:
            if not _has_untolerated(template.spec, node):
                self._make(owner, template, name)
        elif pod.status.phase in PHASE_ENDED:
            self._remove(key_of(pod.metadata))

    def _template(self, key: str, owner: SimDaemonSet) -> PodTemplate:
        known = self._templates.get(key)
        if known is None or known[0].spec is not owner.spec:
            known = self._templates[key] = (owner, daemon_template(owner))
        return known[1]

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
