"""Security group selectors that may put two groups with the cluster's tag on one node."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.lint.finding import Finding
from nodewright.lint.raw import items, mapping, text
from nodewright.lint.stream import Stream
from nodewright.lint.views import NodeClass
from nodewright.model.path import Path

OWNED_PREFIX: Final = "kubernetes.io/cluster/"
_DISCOVERY: Final = "karpenter.sh/discovery"
_EXTRA: Final = "an extra group (eksctl's attachIDs) belongs in a second term by id: - id: sg-…"


def check(stream: Stream) -> Iterator[Finding]:
    """Yield selectors by the cluster's tag, and second selectors beside them."""
    for node_class in stream.classes:
        if node_class.era == "v1alpha":
            yield from _check_selector(node_class)
        else:
            yield from _check_terms(node_class)


def _check_selector(node_class: NodeClass) -> Iterator[Finding]:
    selector = mapping(node_class.spec.get("securityGroupSelector"))
    for key in selector:
        if key.startswith(OWNED_PREFIX):
            yield _by_owned_tag(node_class, ("spec", "securityGroupSelector", key), key)


def _check_terms(node_class: NodeClass) -> Iterator[Finding]:
    field = "securityGroupSelectorTerms"
    at: Path = ("spec", field)
    terms = [mapping(term) for term in items(node_class.spec.get(field))]
    owned = [index for index, term in enumerate(terms) if _owned_key(term)]
    if not owned:
        return
    first = owned[0]
    others = [
        index for index, term in enumerate(terms) if index != first and not text(term.get("id"))
    ]
    path = (*at, first, "tags", _owned_key(terms[first]))
    if not others:
        yield _by_owned_tag(node_class, path, _owned_key(terms[first]))
        return
    other = (*at, others[0])
    yield Finding(
        "NW-3002",
        node_class.manifest,
        other,
        f"this term and the one by {path[-1]} can find two groups that the cluster owns, and a "
        "node gets both",
        f"select the cluster's group by one tag only; {_EXTRA}",
    )


def _by_owned_tag(node_class: NodeClass, path: Path, key: str) -> Finding:
    cluster = key.removeprefix(OWNED_PREFIX)
    return Finding(
        "NW-3002",
        node_class.manifest,
        path,
        f"every group with the tag {key} goes on each node; with two of them load balancers find "
        "no targets",
        f"safe while one group has the tag; else select {_DISCOVERY}: {cluster}. {_EXTRA}",
        on="key",
        lowered_to="info",
    )


def _owned_key(term: dict[str, Any]) -> str:
    tags = mapping(term.get("tags"))
    return next((key for key in tags if key.startswith(OWNED_PREFIX)), "")
