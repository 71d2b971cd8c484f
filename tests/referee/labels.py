"""Label logic on concrete labels only: is this expression true of this node, yes or no.

Open sets (`Exists`, `NotIn`, bounds) are never reasoned about. They are probed: `values_of` lists
every value that matters (those that anybody names, the edges of bounds, and two that nobody names)
and keeps those that all sides allow.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from nodewright.model.labels import normalize_key
from nodewright.model.metadata import LabelSelector, NodeSelectorRequirement, NodeSelectorTerm
from nodewright.model.pod import Pod
from nodewright.model.requirements import Requirement

type Labels = Mapping[str, str]

_NAMED_BY_NOBODY = ("73190", "nobody-names-this")


def normalized(labels: Labels) -> dict[str, str]:
    """Labels under today's keys; a label that already has today's key wins."""
    renamed = {normalize_key(key): value for key, value in labels.items()}
    renamed.update({key: value for key, value in labels.items() if normalize_key(key) == key})
    return renamed


def whole_number(text: str) -> int | None:
    """The number that a label value is, or nothing."""
    try:
        return int(text) if text.strip() == text and "_" not in text else None
    except ValueError:
        return None


def expression_holds(expression: NodeSelectorRequirement, labels: Labels) -> bool:
    """Whether one expression is true of a node with exactly these labels."""
    value = labels.get(normalize_key(expression.key))
    match expression.operator:
        case "In":
            return value is not None and value in expression.values
        case "NotIn":
            return value is None or value not in expression.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    number = None if value is None else whole_number(value)
    bound = whole_number(expression.values[0])
    if number is None or bound is None:
        return False
    match expression.operator:
        case "Gt":
            return number > bound
        case "Gte":
            return number >= bound
        case "Lt":
            return number < bound
        case "Lte":
            return number <= bound
    return False


def term_holds(term: NodeSelectorTerm, labels: Labels, node_name: str = "") -> bool:
    """Whether all expressions of a term are true, and its fields name the node."""
    named = all(
        field.key == "metadata.name"
        and (node_name in field.values) == (field.operator == "In")
        and bool(node_name)
        for field in term.match_fields
    )
    return named and all(expression_holds(one, labels) for one in term.match_expressions)


def required_terms(pod: Pod) -> tuple[NodeSelectorTerm, ...]:
    """The alternatives of a pod's required node affinity; none means no demand."""
    affinity = pod.spec.affinity
    if affinity is None or affinity.node_affinity is None:
        return ()
    required = affinity.node_affinity.required
    return required.node_selector_terms if required else ()


def preferred_terms(pod: Pod) -> tuple[NodeSelectorTerm, ...]:
    """What a pod would like of its node's labels, one by one."""
    affinity = pod.spec.affinity
    if affinity is None or affinity.node_affinity is None:
        return ()
    return tuple(one.preference for one in affinity.node_affinity.preferred)


def pod_accepts(pod: Pod, labels: Labels, node_name: str = "") -> bool:
    """Whether a node with exactly these labels is what the pod demands."""
    for key, value in pod.spec.node_selector.items():
        if labels.get(normalize_key(key)) != value:
            return False
    terms = required_terms(pod)
    return not terms or any(term_holds(term, labels, node_name) for term in terms)


def keys_of(pod: Pod) -> set[str]:
    """Every label key that the pod's demands look at."""
    keys = {normalize_key(key) for key in pod.spec.node_selector}
    for term in required_terms(pod):
        keys |= {normalize_key(one.key) for one in term.match_expressions}
    return keys


def values_named(pods: Iterable[Pod]) -> dict[str, set[str]]:
    """Every value that these pods' demands name, with its neighbours if it is a number."""
    named: dict[str, set[str]] = {}
    for pod in pods:
        for key, value in pod.spec.node_selector.items():
            named.setdefault(normalize_key(key), set()).add(value)
        for term in required_terms(pod):
            for one in term.match_expressions:
                named.setdefault(normalize_key(one.key), set()).update(_around(one.values))
    return named


def _around(values: Iterable[str]) -> set[str]:
    around = set(values)
    for value in list(around):
        number = whole_number(value)
        if number is not None:
            around |= {str(number - 1), str(number + 1)}
    return around


def allows(requirement: Requirement, value: str) -> bool:
    """Whether a requirement lets a label have this value."""
    if requirement.complement == (value in requirement.values):
        return False
    if requirement.low is None and requirement.high is None:
        return True
    number = whole_number(value)
    if number is None:
        return False
    if requirement.low is not None and number < requirement.low:
        return False
    return requirement.high is None or number <= requirement.high


def forbids_label(requirement: Requirement) -> bool:
    """Whether the label must not be there."""
    return not requirement.complement and not requirement.values


def accepts_missing(requirement: Requirement) -> bool:
    """Whether a node without the label satisfies the requirement."""
    if requirement.complement:
        bounded = requirement.low is not None or requirement.high is not None
        return bool(requirement.values) and not bounded and not requirement.exists
    return not requirement.values


def values_of(sides: Sequence[Requirement], probes: Iterable[str] = ()) -> list[str]:
    """Every value worth looking at that all sides allow."""
    candidates = set(_NAMED_BY_NOBODY)
    closed = [side for side in sides if not side.complement]
    if closed:
        candidates = set(closed[0].values)
    else:
        candidates |= set(probes)
        for side in sides:
            edges = [str(edge) for edge in (side.low, side.high) if edge is not None]
            candidates |= _around(edges) | set(side.values)
    return sorted(value for value in candidates if all(allows(side, value) for side in sides))


@lru_cache(maxsize=100_000)
def can_meet(left: Requirement, right: Requirement) -> bool:
    """Whether one label can satisfy both."""
    if accepts_missing(left) and accepts_missing(right):
        return True
    return bool(values_of((left, right)))


def selector_holds(selector: LabelSelector | None, labels: Labels) -> bool:
    """Whether a label selector picks an object with these labels; no selector picks nothing."""
    if selector is None:
        return False
    if any(labels.get(key) != value for key, value in selector.match_labels.items()):
        return False
    for one in selector.match_expressions:
        value = labels.get(one.key)
        match one.operator:
            case "In":
                holds = value is not None and value in one.values
            case "NotIn":
                holds = value is None or value not in one.values
            case "Exists":
                holds = value is not None
            case "DoesNotExist":
                holds = value is None
            case _:
                return False
        if not holds:
            return False
    return True
