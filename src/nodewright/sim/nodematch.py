"""Node selectors as the scheduler reads them: real labels, no aliases, names through matchFields."""

from collections.abc import Mapping

from nodewright.model.metadata import NodeSelectorRequirement, NodeSelectorTerm
from nodewright.model.node import Node
from nodewright.model.pod import PodSpec


def node_matches(spec: PodSpec, node: Node) -> bool:
    """Tell whether a node meets a pod's nodeSelector and one of its required affinity terms."""
    labels = node.metadata.labels
    for key, value in spec.node_selector.items():
        if labels.get(key) != value:
            return False
    affinity = spec.affinity.node_affinity if spec.affinity else None
    if affinity is None or affinity.required is None:
        return True
    return any(
        term_matches(term, labels, node.metadata.name)
        for term in affinity.required.node_selector_terms
    )


def term_matches(term: NodeSelectorTerm, labels: Mapping[str, str], name: str) -> bool:
    """Tell whether labels and name meet every expression of a term; an empty term meets none."""
    if not term.match_expressions and not term.match_fields:
        return False
    return all(_meets(one, labels) for one in term.match_expressions) and all(
        _meets(one, {"metadata.name": name}) for one in term.match_fields
    )


def _meets(expression: NodeSelectorRequirement, labels: Mapping[str, str]) -> bool:
    value = labels.get(expression.key)
    match expression.operator:
        case "In":
            return value is not None and value in expression.values
        case "NotIn":
            return value is None or value not in expression.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and _is_more(value, expression.values[0])
        case "Lt":
            return value is not None and _is_more(expression.values[0], value)
        case _:
            return False


def _is_more(left: str, right: str) -> bool:
    try:
        return int(left) > int(right)
    except ValueError:
        return False
