"""Neighbours: spread, affinity and anti-affinity as counters on domains.

A group is one constraint shared by all pods that write it alike. It counts, per domain of its key,
the pods that it selects (or, for the inverse of anti-affinity, the pods that carry it). A domain of
`kubernetes.io/hostname` is one node: an existing node's name, or the number of a draft. The
rules themselves (`rules/spread.py`, `rules/affinity.py`, `rules/anti_affinity.py`) read the counters.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

import msgspec

from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.core.scheduling.selectors import Selector
from nodewright.model.labels import HOSTNAME
from nodewright.model.metadata import Taint, Toleration
from nodewright.model.requirements import Requirements

type Domain = str | int
"""A label value, or the number of a draft (a node without a name yet)."""

NOTHING_UNDEFINED: Final[frozenset[str]] = frozenset()


class GroupKind(Enum):
    """What a group asks for."""

    SPREAD = "spread"
    AFFINITY = "affinity"
    ANTI_AFFINITY = "anti-affinity"
    INVERSE = "inverse anti-affinity"


class NodeFilter(msgspec.Struct, frozen=True, cache_hash=True):
    """Which nodes take part in a spread: by the pod's own node affinity, and by its tolerations."""

    affinity: tuple[Requirements, ...] | None = None
    tolerations: tuple[Toleration, ...] | None = None

    def admits(self, labels: Requirements, taints: Iterable[Taint]) -> bool:
        """Tell whether a node with these labels and taints takes part."""
        if self.affinity is not None and all(
            labels.clash(term, NOTHING_UNDEFINED) is not None for term in self.affinity
        ):
            return False
        return self.admits_taints(taints)

    def admits_taints(self, taints: Iterable[Taint]) -> bool:
        """Tell whether taints keep a node out."""
        return self.tolerations is None or first_untolerated(taints, self.tolerations) is None


class GroupKey(msgspec.Struct, frozen=True, cache_hash=True):
    """What makes two constraints the same one."""

    kind: GroupKind
    key: str
    namespaces: frozenset[str] | None
    selector: Selector
    max_skew: int = 0
    min_domains: int | None = None
    nodes: NodeFilter | None = None


class Group:
    """One constraint with its counters."""

    __slots__ = (
        "_least",
        "adrift",
        "counts",
        "doubtful",
        "hosts_at_limit",
        "hosts_over_limit",
        "is_hostname",
        "key",
        "kind",
        "limit",
        "number",
        "spec",
        "total",
        "universe",
    )

    def __init__(self, number: int, spec: GroupKey, universe: Iterable[str]) -> None:
        self.number = number
        self.spec = spec
        self.kind = spec.kind
        self.key = spec.key
        self.is_hostname = spec.key == HOSTNAME
        self.universe: dict[Domain, None] = dict.fromkeys(sorted(universe))
        self.counts: dict[Domain, int] = {}
        # Pods on planned nodes whose domain is still open: they are somewhere, and nobody knows where.
        self.adrift = 0
        # Of those counted, the pods on planned nodes that may turn out not to take part.
        self.doubtful: dict[Domain, int] = {}
        self.total = 0
        self._least: int | None = None
        # For hostname groups: the drafts whose count has reached, or gone past, what a pod that
        # counts itself (or does not) may still join; one AND-NOT then rules them all out.
        self.limit = spec.max_skew if spec.kind is GroupKind.SPREAD else 1
        self.hosts_at_limit = 0
        self.hosts_over_limit = 0

    def selects(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Tell whether a pod is one of those that the constraint is about."""
        spaces = self.spec.namespaces
        return (spaces is None or namespace in spaces) and self.spec.selector.selects(labels)

    def record(self, domain: Domain, pods: int) -> None:
        """Count pods in a domain; a negative number takes them back."""
        count = self.counts.get(domain, 0) + pods
        self.counts[domain] = count
        self.total += pods
        self._least = None
        self.universe.setdefault(domain)
        if self.is_hostname and isinstance(domain, int):
            limit, before = self.limit, count - pods
            if (before >= limit) is not (count >= limit):
                self.hosts_at_limit ^= 1 << domain
            if (before > limit) is not (count > limit):
                self.hosts_over_limit ^= 1 << domain

    def doubt(self, domain: Domain, pods: int) -> None:
        """Note that so many of the pods in a domain may turn out not to be counted."""
        self.doubtful[domain] = self.doubtful.get(domain, 0) + pods
        self._least = None

    def count(self, domain: Domain) -> int:
        """Give how many pods are counted in a domain."""
        return self.counts.get(domain, 0)

    def surely(self, domain: Domain) -> int:
        """Give how many pods are counted in a domain whatever the planned nodes turn out to be."""
        count = self.counts.get(domain, 0)
        return count - self.doubtful.get(domain, 0) if self.doubtful else count

    def least(self) -> int:
        """Give the lowest count of any domain that is certain."""
        if self._least is None:
            self._least = min(map(self.surely, self.universe), default=0)
        return self._least
