"""The groups of a problem: made once per constraint, counted over running and planned pods.

A group that appears late (a pod gives up a preference and its constraint changes) is counted over
what is already planned too, so that it never starts from a clean slate it does not have.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from nodewright.core.recall import Recall
from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.hosts import Host
from nodewright.core.scheduling.partaking import Part, part_of
from nodewright.core.scheduling.pools import PoolRange
from nodewright.core.scheduling.selectors import Selector
from nodewright.core.scheduling.topology import (
    Domain,
    Group,
    GroupKey,
    GroupKind,
    NodeFilter,
)
from nodewright.core.scheduling.wishes import (
    NamespaceReader,
    Wish,
    group_keys,
    inverse_keys,
)
from nodewright.model.instance import InstanceType
from nodewright.model.labels import HOSTNAME
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.model.pod import Pod
from nodewright.model.requirements import Requirement, Requirements

type PodLabels = tuple[str, frozenset[tuple[str, str]]]
"""Namespace and labels: running pods that look alike are counted together."""


type PoolDomains = Mapping[str, Mapping[str, list[tuple[Taint, ...]]]]
"""Label keys and values that pools can make, with the taints of those pools."""


class BoundPods:
    """Running pods that stay where they are, by what they look like and where they are."""

    def __init__(self, pods: Iterable[Pod], nodes: Mapping[str, Node]) -> None:
        self.nodes = nodes
        self.alike: dict[PodLabels, Counter[str]] = {}
        self._by_label: dict[tuple[str, str], list[PodLabels]] = {}
        self.keeping_away: list[Pod] = []
        # Pods of one kind mostly share their labels as one object, which need not be read again.
        counts: dict[tuple[str, int], Counter[str]] = {}
        for pod in pods:
            metadata = pod.metadata
            if metadata.deletion_timestamp is None:
                same = (metadata.namespace, id(metadata.labels))
                count = counts.get(same)
                if count is None:
                    key = (metadata.namespace or "default", frozenset(metadata.labels.items()))
                    count = counts[same] = self.alike.setdefault(key, Counter())
                count[pod.spec.node_name] += 1
            affinity = pod.spec.affinity
            if affinity and affinity.pod_anti_affinity and affinity.pod_anti_affinity.required:
                self.keeping_away.append(pod)
        for key in self.alike:
            for label in key[1]:
                self._by_label.setdefault(label, []).append(key)

    def looking_like(self, selector: Selector) -> Iterable[PodLabels]:
        """Give the looks among which all are that a selector can select."""
        label = min(selector.equals, default=None)
        return self.alike if label is None else self._by_label.get(label, ())

    def domain(self, node_name: str, key: str) -> str | None:
        """Give the domain that a node is in, or nothing where it has no such label."""
        node = self.nodes.get(node_name)
        if node is None:
            return None
        value = node.metadata.labels.get(key)
        return node_name if value is None and key == HOSTNAME else value


class Groups:
    """All groups, and which wishes they are about."""

    def __init__(
        self,
        domains: PoolDomains,
        hosts: Sequence[Host],
        bound: BoundPods,
        namespaces: NamespaceReader,
    ) -> None:
        self._hosts = hosts
        self._bound = bound
        self._namespaces = namespaces
        self._domains = domains
        self._groups: dict[GroupKey, Group] = {}
        self._universes: dict[tuple[str, NodeFilter | None], set[str]] = {}
        # A group that asks for a label can only be about wishes with that label, and the reverse:
        # in a large cluster there are far too many pairs to ask each.
        self._groups_by_label: dict[tuple[str, str] | None, list[Group]] = {}
        self._wishes_by_label: dict[tuple[str, str] | None, list[Wish]] = {None: []}
        self.filled_hosts: list[Host] = []
        self._node_labels: dict[str, Requirements] = {}
        self.drafts: list[Draft] = []
        for pod in bound.keeping_away:
            for key in inverse_keys(pod, pod.spec, namespaces):
                domain = bound.domain(pod.spec.node_name, key.key)
                if domain is not None:
                    self._group(key).record(domain, 1)

    def register(self, wish: Wish) -> None:
        """Give a new wish its groups, and the known groups their new wish."""
        self._wishes_by_label[None].append(wish)
        for group in self._groups_by_label.get(None, ()):
            _introduce(group, wish)
        for label in wish.labels.items():
            self._wishes_by_label.setdefault(label, []).append(wish)
            for group in self._groups_by_label.get(label, ()):
                _introduce(group, wish)
        owned = [
            (self._group(key), is_demand) for key, is_demand in group_keys(wish, self._namespaces)
        ]
        wish.owns = list(dict.fromkeys(group for group, _ in owned))
        wish.demands = frozenset(group for group, is_demand in owned if is_demand)
        wish.keeps_away = list(
            dict.fromkeys(
                self._group(key) for key in inverse_keys(wish, wish.spec, self._namespaces)
            )
        )

    def _group(self, key: GroupKey) -> Group:
        known = self._groups.get(key)
        if known is not None:
            return known
        group = Group(len(self._groups), key, self._universe(key))
        self._groups[key] = group
        if key.kind is not GroupKind.INVERSE:
            self._count_bound(group)
        label = min(key.selector.equals, default=None)
        self._groups_by_label.setdefault(label, []).append(group)
        for wish in self._wishes_by_label.get(label, ()):
            _introduce(group, wish)
        if key.kind is not GroupKind.INVERSE:
            self._count_planned(group)
        return group

    def _universe(self, key: GroupKey) -> set[str]:
        if key.key == HOSTNAME:
            return set()
        known = self._universes.get((key.key, key.nodes))
        if known is None:
            known = self._universes[(key.key, key.nodes)] = self._find_universe(key)
        return known

    def _find_universe(self, key: GroupKey) -> set[str]:
        nodes = key.nodes
        found = {
            value
            for value, taint_sets in self._domains.get(key.key, {}).items()
            if nodes is None or any(nodes.admits_taints(taints) for taints in taint_sets)
        }
        for host in self._hosts:
            value = host.labels.get(key.key)
            if value is not None and (
                nodes is None or nodes.admits(host.requirements, host.taints)
            ):
                found.add(value)
        return found

    def _count_bound(self, group: Group) -> None:
        for look in self._bound.looking_like(group.spec.selector):
            namespace, labels = look
            if not group.selects(namespace, dict(labels)):
                continue
            for node_name, count in self._bound.alike[look].items():
                domain = self._bound.domain(node_name, group.key)
                if domain is not None and self._takes_part(group, node_name):
                    group.record(domain, count)

    def _takes_part(self, group: Group, node_name: str) -> bool:
        if group.spec.nodes is None:
            return True
        labels = self._node_labels.get(node_name)
        node = self._bound.nodes[node_name]
        if labels is None:
            labels = Requirements.from_labels(node.metadata.labels)
            self._node_labels[node_name] = labels
        return group.spec.nodes.admits(labels, node.spec.taints)

    def _count_planned(self, group: Group) -> None:
        for draft in self.drafts:
            counted = sum(
                count
                for (shape, level), count in draft.loads.items()
                if group in shape.ladder[level].counted_by
            )
            if counted:
                count_on_draft(draft, group, counted)
        for host in self.filled_hosts:
            counted = sum(
                group.selects(pod.metadata.namespace or "default", pod.metadata.labels)
                for pod in host.placed
            )
            domain = host.labels.get(group.key)
            if counted and domain is not None and _host_takes_part(group, host):
                group.record(domain, counted)


def _introduce(group: Group, wish: Wish) -> None:
    if not group.selects(wish.namespace, wish.labels):
        return
    if group.kind is GroupKind.INVERSE:
        wish.kept_away_by.append(group)
    else:
        wish.counted_by.append(group)


def _host_takes_part(group: Group, host: Host) -> bool:
    return group.spec.nodes is None or group.spec.nodes.admits(host.requirements, host.taints)


def count_on_host(host: Host, wish: Wish) -> None:
    """Count one more pod of a wish on an existing node."""
    for group in wish.counted_by:
        domain = host.labels.get(group.key)
        if domain is not None and _host_takes_part(group, host):
            group.record(domain, 1)
    for group in wish.keeps_away:
        domain = host.labels.get(group.key)
        if domain is not None:
            group.record(domain, 1)


def count_on_draft(draft: Draft, group: Group, pods: int) -> None:
    """Count more pods of a group on a draft, in the domains that it may be in."""
    if group not in draft.spots:
        _take_spots(draft, group, _spots(draft, group))
        draft.tally[group] = draft.tally.get(group, 0) + pods
    else:
        draft.tally[group] += pods
    _record(draft, group, pods)


def uncount_draft(draft: Draft) -> None:
    """Take back everything that a draft's pods count for."""
    for group, pods in draft.tally.items():
        _record(draft, group, -pods)


def count_again(draft: Draft) -> None:
    """Count everything that a draft's pods counted for before it was taken back."""
    for group, pods in draft.tally.items():
        _record(draft, group, pods)


def recount_draft(draft: Draft) -> None:
    """Move what a draft's pods count for to the domains that it may be in now."""
    for group, pods in draft.tally.items():
        after = _spots(draft, group)
        if after == (draft.spots[group], group not in draft.unsure):
            continue
        _record(draft, group, -pods)
        _take_spots(draft, group, after)
        _record(draft, group, pods)


type _Spots = tuple[tuple[Domain, ...], bool]
"""The domains that a draft counts in, and whether that is certain."""


def _take_spots(draft: Draft, group: Group, spots: _Spots) -> None:
    draft.spots[group], is_sure = spots
    if is_sure:
        draft.unsure.discard(group)
    else:
        draft.unsure.add(group)


def _record(draft: Draft, group: Group, pods: int) -> None:
    spots = draft.spots[group]
    for domain in spots:
        group.record(domain, pods)
        if group in draft.unsure:
            group.doubt(domain, pods)
    if not spots and group.kind is GroupKind.AFFINITY and draft.supply.has_label(group.key):
        group.adrift += pods


def _spots(draft: Draft, group: Group) -> _Spots:
    """Give the domains that a draft counts in.

    Spread and affinity count once the domain is known; anti-affinity must fear every domain that
    the node may still end up in.
    """
    if group.is_hostname:
        return (draft.number,), True
    labels = draft.state.requirements
    if group.kind not in (GroupKind.SPREAD, GroupKind.AFFINITY):
        return tuple(possible_domains(labels, group, labels.get(group.key))), True
    value = draft.state.value(group.key)
    if value is None:
        return (), True
    part = part_of(draft, group.spec.nodes)
    return (() if part is Part.NEVER else (value,)), part is not Part.PERHAPS


def possible_domains(
    labels: Requirements, group: Group, requirement: Requirement | None
) -> list[Domain]:
    """Give the domains that a node with these labels may be in."""
    if requirement is None:
        return [] if group.key not in labels and not group.universe else list(group.universe)
    if not requirement.complement:
        return sorted(requirement.values)
    return [domain for domain in group.universe if requirement.has(str(domain))]


def pool_domains(ranges: Sequence[PoolRange]) -> PoolDomains:
    """Give, per label key, the values that pools can make, with the taints of those pools."""
    found: dict[str, dict[str, list[tuple[Taint, ...]]]] = {}

    def note(key: str, requirement: Requirement, taints: tuple[Taint, ...]) -> None:
        if requirement.complement:
            return
        values = found.setdefault(key, {})
        for value in requirement.values:
            sets = values.setdefault(value, [])
            if taints not in sets:
                sets.append(taints)

    for reach in ranges:
        for key, requirement in reach.requirements.items():
            note(key, requirement, reach.taints)
        for requirement in _labels.of((reach.types,), partial(_distinct_labels, reach.types)):
            own = reach.requirements.get(requirement.key)
            note(requirement.key, own.intersect(requirement) if own else requirement, reach.taints)
    return found


_labels: Final = Recall[list[Requirement]](16)


def _distinct_labels(types: Sequence[InstanceType]) -> list[Requirement]:
    """Give what types say of their labels, each distinct saying once."""
    labels = {id(one.requirements): one.requirements for one in types}
    distinct = {id(one): one for many in labels.values() for one in many.values()}
    return list(dict.fromkeys(one for one in distinct.values() if not one.complement))
