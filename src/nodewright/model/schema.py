"""What a field of a resource means and may hold, said once, next to the field.

A field's type is annotated with `about(...)`: a sentence for `kubectl explain`, the bounds of its
OpenAPI schema, and rules. A rule exists twice in one place: as CEL for the API server, and as a
Python predicate that judges the same value offline, so that both can be held against each other.
msgspec does not enforce any of it while decoding: a live object that an older API server let
through must still be readable. `schema_openapi` makes schemas of it, `admission` judges by them.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

RULES: Final = "x-kubernetes-validations"
QUALIFIED_NAME_PATTERN: Final = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"
)
LABEL_VALUE_PATTERN: Final = r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$"
KEY_LENGTH_MAX: Final = 316
LABEL_VALUE_LENGTH_MAX: Final = 63


class Rule(msgspec.Struct, frozen=True):
    """What a value must satisfy: for the API server, for a person, and for us."""

    cel: str
    message: str
    holds: Callable[[Any], bool]


class ChangeRule(msgspec.Struct, frozen=True):
    """What a new value must satisfy in the light of the old one."""

    cel: str
    message: str
    holds: Callable[[Any, Any], bool]


def about(
    description: str,
    *rules: Rule | ChangeRule,
    required: bool = False,
    needs: tuple[str, ...] = (),
    **schema: Any,
) -> msgspec.Meta:
    """Annotate a field: its sentence, its rules, whether it must be written, its bounds.

    `needs` names the fields inside that must be written, for structs that other kinds share.
    """
    if needs:
        schema["required"] = sorted(needs)
    if rules:
        schema[RULES] = list(rules)
    if description:
        schema["description"] = description
    return msgspec.Meta(extra={"schema": schema, "required": required})
