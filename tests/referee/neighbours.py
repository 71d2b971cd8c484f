"""Whom a pod's rules about other pods pick: selectors and namespaces, worked out once per term."""

from collections.abc import Iterable

import msgspec

from nodewright.model.labels import normalize_key
from nodewright.model.metadata import (
    LabelSelector,
    LabelSelectorRequirement,
    NodeSelectorTerm,
)
from nodewright.model.pod import Pod, PodAffinityTerm, TopologySpreadConstraint
from nodewright.model.world import World
from referee.board import Board
from referee.labels import (
    expression_holds,
    keys_of,
    normalized,
    pod_accepts,
    required_terms,
    selector_holds,
    term_holds,
)
from referee.places import Place

_EVERYWHERE = frozenset({"*"})


class Pick(msgspec.Struct, frozen=True):
    """Pods with these labels in these namespaces, compared within domains of a key."""

    key: str
    namespaces: frozenset[str]
    selector: bytes

    def takes(self, pod: Pod) -> bool:
        """Whether the pod is meant."""
        if self.namespaces != _EVERYWHERE and namespace_of(pod) not in self.namespaces:
            return False
        return selector_holds(_decode(self.selector), pod.metadata.labels)


_decoded: dict[bytes, LabelSelector | None] = {}


def _decode(selector: bytes) -> LabelSelector | None:
    if selector not in _decoded:
        _decoded[selector] = msgspec.json.decode(selector, type=LabelSelector | None)
    return _decoded[selector]


def namespace_of(pod: Pod) -> str:
    """The pod's namespace, `default` where none is written."""
    return pod.metadata.namespace or "default"


def pick_of_term(term: PodAffinityTerm, pod: Pod, world: World) -> Pick:
    """Whom a term of pod affinity or anti-affinity means."""
    selector = _with_label_keys(
        term.label_selector, pod, term.match_label_keys, term.mismatch_label_keys
    )
    return Pick(
        normalize_key(term.topology_key),
        _namespaces(term, pod, world),
        msgspec.json.encode(selector, order="deterministic"),
    )


def pick_of_spread(constraint: TopologySpreadConstraint, pod: Pod) -> Pick:
    """Whom a spread constraint counts."""
    selector = _with_label_keys(constraint.label_selector, pod, constraint.match_label_keys, ())
    return Pick(
        normalize_key(constraint.topology_key),
        frozenset({namespace_of(pod)}),
        msgspec.json.encode(selector, order="deterministic"),
    )


def _with_label_keys(
    selector: LabelSelector | None, pod: Pod, same: Iterable[str], other: Iterable[str]
) -> LabelSelector | None:
    if selector is None:
        return None
    added = [
        LabelSelectorRequirement(key=key, operator=operator, values=(pod.metadata.labels[key],))
        for keys, operator in ((same, "In"), (other, "NotIn"))
        for key in keys
        if key in pod.metadata.labels
    ]
    written = (*selector.match_expressions, *added)
    return msgspec.structs.replace(selector, match_expressions=tuple(dict.fromkeys(written)))


def _namespaces(term: PodAffinityTerm, pod: Pod, world: World) -> frozenset[str]:
    if term.namespace_selector is None:
        return frozenset(term.namespaces or {namespace_of(pod)})
    if not term.namespace_selector.match_labels and not term.namespace_selector.match_expressions:
        return _EVERYWHERE
    return frozenset(term.namespaces) | {
        one.metadata.name
        for one in world.namespaces
        if selector_holds(term.namespace_selector, one.metadata.labels)
    }


class Crowd:
    """Every pod that others look at, with its place; who is picked is remembered per term."""

    def __init__(self, board: Board) -> None:
        self.world = board.world
        self.bound: list[tuple[Pod, Place]] = list(board.bound())
        self.placed: list[tuple[Pod, Place]] = list(board.placed())
        self._picked: dict[Pick, dict[tuple[str, frozenset[tuple[str, str]]], bool]] = {}

    def is_picked(self, pick: Pick, pod: Pod) -> bool:
        """Whether a pick means a pod (pods with the same labels are asked once)."""
        answers = self._picked.setdefault(pick, {})
        kind = (namespace_of(pod), frozenset(pod.metadata.labels.items()))
        if kind not in answers:
            answers[kind] = pick.takes(pod)
        return answers[kind]


def terms_of(pod: Pod, kind: str) -> tuple[PodAffinityTerm, ...]:
    """Required terms of `pod_affinity` or `pod_anti_affinity`."""
    affinity = pod.spec.affinity
    part = getattr(affinity, kind) if affinity is not None else None
    return part.required if part is not None else ()


def kept_terms(pod: Pod, place: Place) -> tuple[NodeSelectorTerm, ...]:
    """Those alternatives of the pod's node affinity that hold where it was put."""
    terms = required_terms(pod)
    if len(terms) < 2:
        return terms
    sets = place.label_sets(keys_of(pod))
    kept = tuple(term for term in terms if sets and all(term_holds(term, one) for one in sets))
    return kept or terms


def alternatives(pod: Pod, place: Place) -> list[tuple[NodeSelectorTerm, ...]]:
    """The ways to read the pod's node affinity where it was put: each term that holds, and all."""
    kept = kept_terms(pod, place)
    return [kept, *((term,) for term in kept)]


def may_use(pod: Pod, terms: tuple[NodeSelectorTerm, ...], key: str, domain: str) -> bool:
    """Whether the pod's demands on this one key allow a domain."""
    wanted = normalized(pod.spec.node_selector).get(key)
    if wanted is not None and wanted != domain:
        return False
    here = {key: domain}
    return not terms or any(
        all(
            expression_holds(one, here)
            for one in term.match_expressions
            if normalize_key(one.key) == key
        )
        for term in terms
    )


def passes(pod: Pod, place: Place) -> bool:
    """Whether a place is, for certain, one whose labels the pod accepts."""
    sets = place.label_sets(keys_of(pod))
    return bool(sets) and all(pod_accepts(pod, labels) for labels in sets)


def sole_domain(place: Place, key: str) -> str | None:
    """The one domain that a place is certain to lie in, or nothing."""
    domains = place.domains(key)
    return next(iter(domains)) if len(domains) == 1 else None
