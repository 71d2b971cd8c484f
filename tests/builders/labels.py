"""What pods and nodes say about each other: selectors, taints, spreads and terms."""

import msgspec

from nodewright.model.labels import (
    HOSTNAME,
    ZONE,
)
from nodewright.model.metadata import (
    LabelSelector,
    LabelSelectorRequirement,
    NodeSelectorRequirement,
    Taint,
    Toleration,
)
from nodewright.model.pod import (
    PodAffinityTerm,
    TopologySpreadConstraint,
)

type Amount = str | int | float
type Want = NodeSelectorRequirement


def want(key: str, operator: str = "Exists", *values: str, at_least: int | None = None) -> Want:
    """One expression on node labels; `at_least` is `minValues`."""
    return NodeSelectorRequirement(key=key, operator=operator, values=values, min_values=at_least)


def a_selector(*expressions: tuple[str, ...], **labels: str) -> LabelSelector:
    """A label selector: `a_selector(app="web")`, `a_selector(("tier", "In", "a", "b"))`."""
    return LabelSelector(
        match_labels=labels,
        match_expressions=tuple(
            LabelSelectorRequirement(key=key, operator=operator, values=tuple(values))
            for key, operator, *values in expressions
        ),
    )


def a_taint(key: str, value: str = "", effect: str = "NoSchedule") -> Taint:
    """A taint."""
    return Taint(key=key, value=value, effect=effect)


def tolerating(key: str = "", value: str | None = None, effect: str = "") -> Toleration:
    """A toleration: of a value, of any value of a key, or of everything."""
    if value is None:
        return Toleration(key=key, operator="Exists", effect=effect)
    return Toleration(key=key, operator="Equal", value=value, effect=effect)


def a_spread(key: str = ZONE, skew: int = 1, **extra: object) -> TopologySpreadConstraint:
    """A spread that must hold; selector `app=web` unless `selector` says otherwise."""
    selector = extra.pop("selector", a_selector(app="web"))
    return msgspec.structs.replace(
        TopologySpreadConstraint(max_skew=skew, topology_key=key),
        label_selector=selector,
        **extra,
    )


def a_term(key: str = HOSTNAME, **extra: object) -> PodAffinityTerm:
    """A term of pod affinity or anti-affinity; selector `app=web` unless `selector` says so."""
    selector = extra.pop("selector", a_selector(app="web"))
    return msgspec.structs.replace(
        PodAffinityTerm(topology_key=key), label_selector=selector, **extra
    )
