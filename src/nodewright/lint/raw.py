"""Plain values of manifests, taken for what they should be: a wrong type counts as empty.

Whoever wrote a number in the place of a list is told so by the rule about types; every other rule
goes on as if nothing stood there.
"""

from typing import Any

import msgspec

from nodewright.model.path import Path


def mapping(value: Any) -> dict[str, Any]:
    """Give a mapping, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Give a list, or an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """Give a text, or an empty one."""
    return value if isinstance(value, str) else ""


def word(value: Any) -> str:
    """Give a scalar as it would read in quotes, or an empty text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""


def without_nulls(value: Any) -> Any:
    """Give a value without the fields that hold nothing, as the API server drops them."""
    if isinstance(value, dict):
        return {key: without_nulls(entry) for key, entry in value.items() if entry is not None}
    return [without_nulls(entry) for entry in value] if isinstance(value, list) else value


def read_as[T](value: Any, struct: type[T]) -> T:
    """Read a plain value as a struct, nulls left out; raises `msgspec.ValidationError`."""
    try:
        return msgspec.convert(value, struct)
    except msgspec.ValidationError:
        return msgspec.convert(without_nulls(value), struct)


def dig(value: Any, path: Path) -> Any:
    """Follow a path into plain values; what is not there is None."""
    for part in path:
        if isinstance(part, str) and isinstance(value, dict):
            value = value.get(part)
        elif isinstance(part, int) and isinstance(value, list) and 0 <= part < len(value):
            value = value[part]
        else:
            return None
    return value
