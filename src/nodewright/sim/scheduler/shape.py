"""Pods as the scheduler sees them: what differs only in name is one shape, worked out once."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from nodewright.core.scheduling.requests import pod_requests
from nodewright.core.scheduling.rules.ports import HostPort, host_ports
from nodewright.core.scheduling.selectors import (
    Selector,
    narrow_selector,
    read_selector,
)
from nodewright.model.labels import HOSTNAME, ZONE
from nodewright.model.pod import Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint
from nodewright.sim.daemons import pinned_node

type Namespaces = frozenset[str] | None
"""The namespaces that a term looks at; nothing means all of them."""

SHAPES_MAX: Final = 20_000
_MIB: Final = 1024**2 * 1000
CPU_DEFAULT: Final = 100
MEMORY_DEFAULT: Final = 200 * _MIB


class Term(msgspec.Struct, frozen=True, cache_hash=True):
    """Pods to be near to or away from, within one domain."""

    key: str
    selector: Selector
    namespaces: Namespaces
    weight: int = 0

    def selects(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Tell whether a pod is meant."""
        if self.namespaces is not None and namespace not in self.namespaces:
            return False
        return self.selector.selects(labels)


class Spread(msgspec.Struct, frozen=True):
    """One spread constraint."""

    term: Term
    max_skew: int
    min_domains: int | None = None
    honors_affinity: bool = True
    honors_taints: bool = False


class Shape:
    """What the scheduler must know of a pod, the same for all pods that differ only in name."""

    __slots__ = (
        "affinity", "anti_affinity", "failed_at", "hard_spread", "has_volumes", "labels",
        "namespace", "nonzero", "number", "pinned", "ports", "preferred", "priority", "requests",
        "soft_spread", "spec", "static_key",
    )  # fmt: skip

    def __init__(self, number: int, pod: Pod, selector: Selector | None, spaces: "Spaces") -> None:
        spec = pod.spec
        self.number = number
        self.spec = spec
        self.namespace = pod.metadata.namespace
        self.labels = pod.metadata.labels
        self.requests = pod_requests(spec, pod.status)
        self.nonzero = (
            self.requests.get("cpu", CPU_DEFAULT), self.requests.get("memory", MEMORY_DEFAULT),
        )  # fmt: skip
        self.priority = spec.priority or 0
        self.ports: tuple[HostPort, ...] = host_ports(spec)
        self.pinned = pinned_node(spec)
        self.has_volumes = any(v.persistent_volume_claim or v.ephemeral for v in spec.volumes)
        self.static_key = _static_key(spec)
        self.failed_at: tuple[int, int] | None = None
        self._read_neighbours(spec, spaces)
        self._read_spread(spec, selector)

    @property
    def has_neighbours(self) -> bool:
        """Whether other pods decide where it may run."""
        return bool(self.affinity or self.anti_affinity or self.hard_spread)

    def _read_neighbours(self, spec: PodSpec, spaces: "Spaces") -> None:
        near = spec.affinity.pod_affinity if spec.affinity else None
        far = spec.affinity.pod_anti_affinity if spec.affinity else None

        def read(term: PodAffinityTerm, weight: int = 0) -> Term:
            return self._term(term, spaces, weight)

        self.affinity = tuple(read(one) for one in near.required) if near else ()
        self.anti_affinity = tuple(read(one) for one in far.required) if far else ()
        wishes = [read(one.pod_affinity_term, one.weight) for one in near.preferred] if near else []
        if far:
            wishes += [read(one.pod_affinity_term, -one.weight) for one in far.preferred]
        self.preferred = tuple(wishes)

    def _term(self, term: PodAffinityTerm, spaces: "Spaces", weight: int) -> Term:
        selector = narrow_selector(
            read_selector(term.label_selector), self.labels, term.match_label_keys
        )
        selector = narrow_selector(selector, self.labels, term.mismatch_label_keys, "NotIn")
        return Term(term.topology_key, selector, spaces(term, self.namespace), weight)

    def _read_spread(self, spec: PodSpec, default: Selector | None) -> None:
        own = frozenset((self.namespace,))
        hard: list[Spread] = []
        soft: list[Spread] = []
        for one in spec.topology_spread_constraints:
            spread = self._constraint(one, own)
            (hard if one.when_unsatisfiable == "DoNotSchedule" else soft).append(spread)
        if not spec.topology_spread_constraints and default is not None:
            soft = [
                Spread(Term(HOSTNAME, default, own), 3),
                Spread(Term(ZONE, default, own), 5),
            ]
        self.hard_spread, self.soft_spread = tuple(hard), tuple(soft)

    def _constraint(self, one: TopologySpreadConstraint, own: frozenset[str]) -> Spread:
        selector = narrow_selector(
            read_selector(one.label_selector), self.labels, one.match_label_keys
        )
        return Spread(
            Term(one.topology_key, selector, own),
            one.max_skew,
            one.min_domains,
            honors_affinity=(one.node_affinity_policy or "Honor") == "Honor",
            honors_taints=(one.node_taints_policy or "Ignore") == "Honor",
        )


type Spaces = Callable[[PodAffinityTerm, str], Namespaces]


def _static_key(spec: PodSpec) -> bytes:
    affinity = spec.affinity.node_affinity if spec.affinity else None
    return msgspec.json.encode(
        (spec.node_selector, affinity, spec.tolerations), order="deterministic"
    )
