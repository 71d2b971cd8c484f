"""Admission rules on requirements, labels, taints and class references, shared by several kinds.

The API server judges a key's domain by a bare suffix (`mykarpenter.sh/x` counts as ours), as
Karpenter's definitions do: an object that one of the two accepts must be accepted by the other.
The finer, dotted check belongs to run-time validation.
"""

import re
from typing import Annotated, Any, Final

from nodewright.model.labels import (
    AWS_GROUP,
    CAPACITY_TYPE,
    EC2NODECLASS,
    HOSTNAME,
    NODEPOOL,
    WELL_KNOWN,
)
from nodewright.model.metadata import Condition, NodeSelectorRequirement, Taint
from nodewright.model.schema import (
    KEY_LENGTH_MAX,
    LABEL_VALUE_LENGTH_MAX,
    LABEL_VALUE_PATTERN,
    QUALIFIED_NAME_PATTERN,
    Rule,
    about,
)

OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte")
BOUND_OPERATORS: Final = ("Gt", "Lt", "Gte", "Lte")
EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
REQUIREMENTS_MAX: Final = 100
VALUE_LENGTH_MAX: Final = 512
MIN_VALUES_MAX: Final = 50

AWS_KEYS: Final = tuple(
    sorted({key for key in WELL_KNOWN if key.startswith(f"{AWS_GROUP}/")} | {EC2NODECLASS})
)
_WHOLE_NUMBER: Final = re.compile(r"[0-9]{1,19}")
_DOMAIN_CEL: Final = "find('^[^/]+')"


def _listed(keys: tuple[str, ...]) -> str:
    return f"[{', '.join(f"'{key}'" for key in keys)}]"


def _foreign(key: str, domain: str, allowed: tuple[str, ...]) -> bool:
    return key in allowed or not key.split("/", 1)[0].endswith(domain)


def _key_conditions(allowed: tuple[str, ...]) -> tuple[tuple[str, str, Any], ...]:
    only = " and ".join(allowed)
    return (
        (
            f"{{key}} in {_listed(allowed)} || !{{key}}.{_DOMAIN_CEL}.endsWith('karpenter.sh')",
            f"keys in karpenter.sh belong to the autoscaler: use {only}, or a key of your own domain",
            lambda key: _foreign(key, "karpenter.sh", allowed),
        ),
        (
            f"{{key}} != '{HOSTNAME}'",
            f"{HOSTNAME} is given to each node by its kubelet: remove it",
            lambda key: key != HOSTNAME,
        ),
        (
            f"{{key}} in {_listed(AWS_KEYS)} || !{{key}}.{_DOMAIN_CEL}.endsWith('{AWS_GROUP}')",
            f"unknown key in {AWS_GROUP}: use a documented instance label or your own domain",
            lambda key: _foreign(key, AWS_GROUP, AWS_KEYS),
        ),
    )


def _on_each_key(judge: Any) -> Any:
    return lambda labels: all(judge(key) for key in labels)


def key_rules(*allowed: str) -> tuple[Rule, ...]:
    """Rules on one requirement key; of karpenter.sh only the given keys pass."""
    return tuple(
        Rule(cel.format(key="self"), message, judge)
        for cel, message, judge in _key_conditions(allowed)
    )


LABEL_RULES: Final = tuple(
    Rule(f"self.all(k, {cel.format(key='k')})", message, _on_each_key(judge))
    for cel, message, judge in _key_conditions((CAPACITY_TYPE,))
)
"""Rules on the label map of a NodePool's template."""


def _values(requirement: Any) -> list[Any]:
    return requirement.get("values") or []


def _bound_is_whole(requirement: Any) -> bool:
    if requirement.get("operator") not in BOUND_OPERATORS:
        return True
    values = _values(requirement)
    return len(values) == 1 and _WHOLE_NUMBER.fullmatch(str(values[0])) is not None


ITEM_RULES: Final = (
    Rule(
        "self.operator != 'In' || (has(self.values) && self.values.size() > 0)",
        "operator In needs at least one value: list the values, or use Exists",
        lambda r: r.get("operator") != "In" or bool(_values(r)),
    ),
    Rule(
        f"!(self.operator in {_listed(BOUND_OPERATORS)}) || (has(self.values) && "
        "self.values.size() == 1 && self.values[0].matches('^[0-9]{1,19}$'))",
        "operators Gt, Lt, Gte and Lte take exactly one whole number that is not negative, "
        'written as text (like "4")',
        _bound_is_whole,
    ),
)
MIN_VALUES_RULE: Final = Rule(
    "!(self.operator == 'In' && has(self.minValues)) || "
    "(has(self.values) && self.values.size() >= self.minValues)",
    "minValues asks for more values than operator In lists: add values or lower minValues",
    lambda r: r.get("operator") != "In" or len(_values(r)) >= (r.get("minValues") or 0),
)
NOT_IN_RULE: Final = Rule(
    "self.operator != 'NotIn' || (has(self.values) && self.values.size() > 0)",
    "operator NotIn needs at least one value: list the values, or use Exists",
    lambda r: r.get("operator") != "NotIn" or bool(_values(r)),
)


def _requirement_properties(*allowed: str) -> dict[str, Any]:
    return {
        "key": {
            "description": "The label key that the requirement is about.",
            "maxLength": KEY_LENGTH_MAX,
            "pattern": QUALIFIED_NAME_PATTERN,
            "x-kubernetes-validations": list(key_rules(*allowed)),
        },
        "operator": {
            "description": "How the label's value relates to the values.",
            "enum": list(OPERATORS),
        },
        "values": {
            "description": "The values; exactly one whole number for Gt, Lt, Gte and Lte, none "
            "for Exists and DoesNotExist.",
            "items": {"maxLength": VALUE_LENGTH_MAX},
            "x-kubernetes-list-type": "atomic",
        },
        "minValues": {
            "description": "At least this many different values of the label must be left among "
            "the instance types that a node may be launched as.",
            "minimum": 1,
            "maximum": MIN_VALUES_MAX,
        },
    }


_DESCRIPTION: Final = "A condition on one node label."
_NEEDED: Final = ("key", "operator")
_OVERLAY_PROPERTIES: Final = {
    **_requirement_properties(CAPACITY_TYPE, NODEPOOL),
    "minValues": None,
}

type PoolRequirement = Annotated[
    NodeSelectorRequirement,
    about(
        _DESCRIPTION,
        *ITEM_RULES,
        MIN_VALUES_RULE,
        properties=_requirement_properties(CAPACITY_TYPE),
        needs=_NEEDED,
    ),
]
type ClaimRequirement = Annotated[
    NodeSelectorRequirement,
    about(
        _DESCRIPTION,
        *ITEM_RULES,
        MIN_VALUES_RULE,
        properties=_requirement_properties(CAPACITY_TYPE, NODEPOOL),
        needs=_NEEDED,
    ),
]
type OverlayRequirement = Annotated[
    NodeSelectorRequirement,
    about(_DESCRIPTION, *ITEM_RULES, NOT_IN_RULE, properties=_OVERLAY_PROPERTIES, needs=_NEEDED),
]
type ResourceTaint = Annotated[
    Taint,
    about(
        "A taint that each node gets.",
        needs=("effect", "key"),
        properties={
            "key": {
                "description": "The taint's key.",
                "minLength": 1,
                "maxLength": KEY_LENGTH_MAX,
                "pattern": QUALIFIED_NAME_PATTERN,
            },
            "value": {
                "description": "The taint's value.",
                "maxLength": LABEL_VALUE_LENGTH_MAX,
                "pattern": LABEL_VALUE_PATTERN,
            },
            "effect": {
                "description": "What happens to pods that do not tolerate the taint.",
                "enum": list(EFFECTS),
            },
            "timeAdded": {"description": "When the taint was put on.", "format": "date-time"},
        },
    ),
]
type StatusCondition = Annotated[
    Condition,
    about(
        "One observation of the controllers.",
        needs=("lastTransitionTime", "message", "reason", "status", "type"),
        properties={
            "type": {
                "description": "What is observed.",
                "maxLength": KEY_LENGTH_MAX,
                "pattern": QUALIFIED_NAME_PATTERN,
            },
            "status": {
                "description": "Whether it holds.",
                "enum": ["True", "False", "Unknown"],
            },
            "reason": {"description": "Why, in one word.", "maxLength": 1024},
            "message": {"description": "Why, in a sentence.", "maxLength": 32768},
            "lastTransitionTime": {
                "description": "When the status last changed.",
                "format": "date-time",
            },
            "observedGeneration": {
                "description": "The generation of the object that was looked at.",
                "minimum": 0,
            },
        },
    ),
]
