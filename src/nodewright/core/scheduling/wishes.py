"""Wishes and shapes: pods that ask for the same are handled as one with a count.

A wish is everything that a pod asks of its node apart from amounts: labels, tolerations, ports,
volumes, neighbours. A shape is a wish with amounts. A large batch has few wishes and not many more
shapes, so whatever can be worked out per wish or per shape is worked out once.
"""

from collections.abc import Iterator, Mapping
from typing import Protocol

import msgspec

from nodewright.core.scheduling.relax import bare_alternatives, relax, without_preferences
from nodewright.core.scheduling.rules.ports import HostPort, host_ports
from nodewright.core.scheduling.rules.volumes import VolumeNeeds
from nodewright.core.scheduling.selectors import (
    NOTHING,
    Selector,
    narrow_selector,
    read_selector,
)
from nodewright.core.scheduling.topology import Group, GroupKey, GroupKind, NodeFilter
from nodewright.model.metadata import NodeSelectorTerm, Toleration
from nodewright.model.pod import Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint
from nodewright.model.quantity import Resources
from nodewright.model.requirements import (
    BadRequirement,
    Requirement,
    Requirements,
    contradiction,
    read_requirement,
)


class Wish:
    """What pods ask of their node, apart from amounts."""

    __slots__ = (
        "_reach",
        "alternatives",
        "counted_by",
        "demands",
        "impossible",
        "keeps_away",
        "kept_away_by",
        "labels",
        "level",
        "namespace",
        "needs",
        "number",
        "owns",
        "ports",
        "requirements",
        "spec",
        "strict",
        "terms",
        "tolerations",
    )

    def __init__(self, number: int, source: "WishSource", spec: PodSpec, level: int) -> None:
        self.number = number
        self.level = level
        self.spec = spec
        self.namespace = source.namespace
        self.labels: Mapping[str, str] = source.labels
        self.tolerations: tuple[Toleration, ...] = spec.tolerations
        self.needs = source.needs
        self.ports: tuple[HostPort, ...] = host_ports(spec)
        self.strict = Requirements(strict_requirements(spec))
        # Every alternative, given up or not: whoever binds the pod knows nothing of giving up.
        self.terms = required_terms(source.spec)
        preferred = _heaviest_preference(spec)
        every = [*strict_requirements(spec), *(preferred or ())]
        self.requirements = Requirements(every)
        # A preference that cannot be read can be met by nothing: the next rung is without it.
        self.impossible = preferred is None or contradiction(every) is not None
        self._reach: dict[str, tuple[Requirement | None, ...]] = {}
        self.alternatives = source.needs.alternatives or (Requirements(),)
        # Filled in by whoever keeps the groups: those that this wish owns (and which of them are
        # demands, not preferences), that count it, that keep it away, and inverse groups that it
        # owns because it keeps others away.
        self.owns: list[Group] = []
        self.demands: frozenset[Group] = frozenset()
        self.counted_by: list[Group] = []
        self.kept_away_by: list[Group] = []
        self.keeps_away: list[Group] = []

    def can_repeat(self) -> bool:
        """Tell whether what fits on one new node fits on any number of nodes like it."""
        if self.needs.exclusive or self.needs.alternatives:
            return False
        return all(
            group.is_hostname and group.kind is not GroupKind.AFFINITY
            for group in (*self.owns, *self.kept_away_by)
        )

    def reach(self, key: str) -> tuple[Requirement | None, ...]:
        """Give what each alternative of the node affinity that is left says of one label."""
        known = self._reach.get(key)
        if known is None:
            base = Requirements.from_labels(self.spec.node_selector)
            terms = required_terms(self.spec)
            known = self._reach[key] = (
                tuple(
                    base.with_all(read_requirement(one) for one in term.match_expressions).get(key)
                    for term in terms
                )
                if terms
                else (base.get(key),)
            )
        return known


class WishSource(msgspec.Struct, frozen=True):
    """The parts of a pod that a wish is made from."""

    namespace: str
    labels: Mapping[str, str]
    spec: PodSpec
    needs: VolumeNeeds


class Shape:
    """Pods that ask for the same and for the same amounts."""

    __slots__ = ("amounts", "ladder", "number", "pods", "requests", "skip_drafts", "skip_hosts")

    def __init__(self, number: int, ladder: "Ladder", requests: Resources) -> None:
        self.number = number
        self.ladder = ladder
        self.requests = requests
        self.amounts: tuple[int, ...] = ()
        self.pods: list[Pod] = []
        # Refusals that stay true for the rest of the pass, per level of relaxation.
        self.skip_drafts: dict[int, int] = {}
        self.skip_hosts: dict[int, int] = {}


class Ladder:
    """A wish and what is left of it as its preferences are given up, one rung at a time."""

    def __init__(self, source: WishSource, maker: "WishMaker") -> None:
        self._maker = maker
        self.source = source
        spec = source.spec if maker.respect else without_preferences(source.spec)
        self._rungs: list[Wish] = [maker.make(source, spec, 0)]
        self._last_resorts: list[PodSpec] | None = None
        self._plain_count: int | None = None

    def __getitem__(self, level: int) -> Wish:
        return self._rungs[level]

    def rung(self, level: int) -> Wish | None:
        """Give the wish at a level, or nothing when there is no more to give up."""
        while len(self._rungs) <= level:
            fewer = self._fewer()
            if fewer is None:
                return None
            self._rungs.append(self._maker.make(self.source, fewer, len(self._rungs)))
        return self._rungs[level]

    def _fewer(self) -> PodSpec | None:
        if self._last_resorts is None:
            fewer = relax(self._rungs[-1].spec, soft_taints=self._maker.soft_taints)
            if fewer is not None:
                return fewer
            # Alternatives are given up before preferences are. One that would have done without
            # the preferences gets its chance at the end.
            self._last_resorts = bare_alternatives(self._rungs[0].spec, self._rungs[-1].spec)
            self._plain_count = len(self._rungs)
        return self._last_resorts.pop(0) if self._last_resorts else None

    def rungs(self, *, last_resorts: bool = True) -> Iterator[Wish]:
        """Go down the ladder from all wishes to bare demands, and to alternatives without wishes."""
        level = 0
        while (wish := self.rung(level)) is not None:
            if not last_resorts and level == self._plain_count:
                return
            yield wish
            level += 1


class WishMaker:
    """Makes wishes and tells whoever keeps the groups about them."""

    def __init__(
        self,
        registry: "WishRegistry",
        *,
        respect: bool,
        soft_taints: bool,
        first_number: int = 0,
    ) -> None:
        self.registry = registry
        self.first_number = first_number
        self.respect = respect
        self.soft_taints = soft_taints
        self.wishes: list[Wish] = []

    def make(self, source: WishSource, spec: PodSpec, level: int) -> Wish:
        """Make one wish and register it with its groups."""
        wish = Wish(self.first_number + len(self.wishes), source, spec, level)
        self.wishes.append(wish)
        self.registry.register(wish)
        return wish


class WishRegistry(Protocol):
    """Whoever wants to know of each new wish."""

    def register(self, wish: Wish) -> None:
        """Take note of a wish."""


def strict_requirements(spec: PodSpec) -> list[Requirement]:
    """Give the node selector and the first required term, one by one: what must hold."""
    found = list(Requirements.from_labels(spec.node_selector).values())
    for term in required_terms(spec)[:1]:
        found += [read_requirement(one) for one in term.match_expressions]
    return found


def required_terms(spec: PodSpec) -> tuple[NodeSelectorTerm, ...]:
    """Give the alternatives of the required node affinity."""
    node = spec.affinity.node_affinity if spec.affinity else None
    if node is None or node.required is None:
        return ()
    return node.required.node_selector_terms


def _heaviest_preference(spec: PodSpec) -> list[Requirement] | None:
    node = spec.affinity.node_affinity if spec.affinity else None
    if node is None or not node.preferred:
        return []
    heaviest = max(node.preferred, key=lambda term: term.weight)
    try:
        return [read_requirement(one) for one in heaviest.preference.match_expressions]
    except BadRequirement:
        return None


def group_keys(wish: Wish, namespaces: "NamespaceReader") -> Iterator[tuple[GroupKey, bool]]:
    """Give every neighbour constraint that a wish carries, and whether it is a demand."""
    spec = wish.spec
    for constraint in spec.topology_spread_constraints:
        yield _spread_key(wish, constraint), constraint.when_unsatisfiable == "DoNotSchedule"
    affinity = spec.affinity
    if affinity is None:
        return
    for pods, kind in (
        (affinity.pod_affinity, GroupKind.AFFINITY),
        (affinity.pod_anti_affinity, GroupKind.ANTI_AFFINITY),
    ):
        if pods is None:
            continue
        for term in pods.required:
            yield _term_key(wish, term, kind, namespaces), True
        for weighted in pods.preferred:
            yield _term_key(wish, weighted.pod_affinity_term, kind, namespaces), False


def inverse_keys(
    pod: "Wish | Pod", spec: PodSpec, namespaces: "NamespaceReader"
) -> Iterator[GroupKey]:
    """Give the inverse of every required anti-affinity that a pod carries."""
    anti = spec.affinity.pod_anti_affinity if spec.affinity else None
    for term in anti.required if anti else ():
        yield _term_key(pod, term, GroupKind.INVERSE, namespaces)


def _spread_key(wish: Wish, constraint: TopologySpreadConstraint) -> GroupKey:
    selector = narrow_selector(
        read_selector(constraint.label_selector), wish.labels, constraint.match_label_keys
    )
    affinity: tuple[Requirements, ...] | None = None
    if (constraint.node_affinity_policy or "Honor") == "Honor":
        base = Requirements.from_labels(wish.spec.node_selector)
        if wish.terms:
            affinity = tuple(
                base.with_all(Requirements.from_expressions(term.match_expressions).values())
                for term in wish.terms
            )
        elif base:
            affinity = (base,)
    tolerations = None
    if (constraint.node_taints_policy or "Ignore") == "Honor":
        tolerations = wish.spec.tolerations
    filtered = affinity is not None or tolerations is not None
    return GroupKey(
        kind=GroupKind.SPREAD,
        key=constraint.topology_key,
        namespaces=frozenset((wish.namespace,)),
        selector=selector,
        max_skew=constraint.max_skew,
        min_domains=constraint.min_domains,
        nodes=NodeFilter(affinity, tolerations) if filtered else None,
    )


def _term_key(
    pod: "Wish | Pod", term: PodAffinityTerm, kind: GroupKind, namespaces: "NamespaceReader"
) -> GroupKey:
    if isinstance(pod, Wish):
        namespace, labels = pod.namespace, pod.labels
    else:
        namespace, labels = pod.metadata.namespace or "default", pod.metadata.labels
    selector = read_selector(term.label_selector)
    selector = narrow_selector(selector, labels, term.match_label_keys)
    selector = narrow_selector(selector, labels, term.mismatch_label_keys, "NotIn")
    return GroupKey(
        kind=kind,
        key=term.topology_key,
        namespaces=namespaces.read(namespace, term),
        selector=selector,
    )


class NamespaceReader:
    """Reads which namespaces an affinity term is about."""

    def __init__(self, labels_by_name: Mapping[str, Mapping[str, str]]) -> None:
        self._labels = labels_by_name
        self._selected: dict[Selector, frozenset[str]] = {}

    def read(self, own: str, term: PodAffinityTerm) -> frozenset[str] | None:
        """Give the namespaces by name, or nothing for all of them."""
        if term.namespace_selector is None:
            return frozenset(term.namespaces) if term.namespaces else frozenset((own,))
        selector = read_selector(term.namespace_selector)
        if selector == Selector():
            return None
        if selector == NOTHING:
            return frozenset(term.namespaces)
        if selector not in self._selected:
            self._selected[selector] = frozenset(
                name for name, labels in self._labels.items() if selector.selects(labels)
            )
        return self._selected[selector] | frozenset(term.namespaces)
