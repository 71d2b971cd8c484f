"""Settings changed by their path: `nodepool/general.spec.disruption.consolidateAfter=5m`.

The path names a kind and an object (`*` for all of the kind), then fields and places in lists. The value is
read as YAML, so that `5m` is a text, `3` a number and `[a, b]` a list. What is not there yet is made, but a
kind or an object must be.
"""

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import yaml

from nodewright.forecast.setup import CODE
from nodewright.model.errors import UserError

_PLACE: Final = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_ADVICE: Final = "write it as kind/name.field.field=value"


def edit(
    objects: Sequence[Mapping[str, Any]], changes: Sequence[str]
) -> tuple[Mapping[str, Any], ...]:
    """Give the objects with every change made."""
    found: list[Any] = [copy.deepcopy(dict(one)) for one in objects]
    for change in changes:
        target, equals, text = change.partition("=")
        kind, slash, rest = target.partition("/")
        name, dot, path = rest.partition(".")
        if not (equals and slash and dot and path):
            raise UserError(f"--set {change}: this is no setting", code=CODE, advice=_ADVICE)
        meant = [one for one in found if _is_meant(one, kind, name)]
        if not meant:
            known = ", ".join(sorted({_called(one) for one in found}))
            raise UserError(
                f"--set {change}: there is no {kind}/{name}", code=CODE, advice=f"known are {known}"
            )
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise UserError(f"--set {change}: the value is no YAML: {error}", code=CODE) from None
        for one in meant:
            _put(one, path, value, change)
    return tuple(found)


def _is_meant(one: Mapping[str, Any], kind: str, name: str) -> bool:
    own = str(one.get("metadata", {}).get("name", ""))
    return str(one.get("kind", "")).lower() == kind.lower() and name in ("*", own)


def _called(one: Mapping[str, Any]) -> str:
    return f"{str(one.get('kind', '')).lower()}/{one.get('metadata', {}).get('name', '')}"


def _put(one: Any, path: str, value: object, change: str) -> None:
    steps = [field or int(place) for field, place in _PLACE.findall(path)]
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(step, int):
            if not isinstance(one, list) or step >= len(one):
                raise UserError(f"--set {change}: there is no place [{step}]", code=CODE)
        elif not isinstance(one, dict):
            raise UserError(f"--set {change}: {step} is no field of a text or list", code=CODE)
        if following is None:
            one[step] = value
        elif isinstance(step, int):
            one = one[step]
        else:
            one = one.setdefault(step, {})
