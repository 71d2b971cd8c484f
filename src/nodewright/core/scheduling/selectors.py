"""Label selectors, as Kubernetes reads them."""

from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.model.metadata import LabelSelector

_OPERATORS: Final = frozenset({"In", "NotIn", "Exists", "DoesNotExist"})


class Selector(msgspec.Struct, frozen=True, cache_hash=True):
    """A selector in a form that compares equal when it selects alike."""

    equals: frozenset[tuple[str, str]] = frozenset()
    expressions: frozenset[tuple[str, str, frozenset[str]]] = frozenset()
    nothing: bool = False

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Tell whether labels match."""
        if self.nothing:
            return False
        for key, value in self.equals:
            if labels.get(key) != value:
                return False
        for key, operator, values in self.expressions:
            present = key in labels
            match operator:
                case "In":
                    if not present or labels[key] not in values:
                        return False
                case "NotIn":
                    if present and labels[key] in values:
                        return False
                case "Exists":
                    if not present:
                        return False
                case _:
                    if present:
                        return False
        return True


NOTHING: Final = Selector(nothing=True)


def read_selector(selector: LabelSelector | None) -> Selector:
    """Read a selector; none at all, or one that cannot be read, selects nothing."""
    if selector is None:
        return NOTHING
    expressions = []
    for expression in selector.match_expressions:
        needs_values = expression.operator in ("In", "NotIn")
        if expression.operator not in _OPERATORS or needs_values != bool(expression.values):
            return NOTHING
        expressions.append((expression.key, expression.operator, frozenset(expression.values)))
    return Selector(frozenset(selector.match_labels.items()), frozenset(expressions))


def narrow_selector(
    selector: Selector, labels: Mapping[str, str], match_keys: tuple[str, ...], operator: str = "In"
) -> Selector:
    """Add `key In [value]` (or NotIn) for those keys that the pod itself has."""
    if selector.nothing:
        return selector
    more = {(key, operator, frozenset((labels[key],))) for key in match_keys if key in labels}
    return Selector(selector.equals, selector.expressions | more)
