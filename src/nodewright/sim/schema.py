"""The rules of our custom resources, as the API server would enforce them from their definitions.

Bounds, patterns and rules are those that stand beside the fields. Whether a required field was
written is not asked: a struct cannot tell a missing value from an empty one.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from nodewright.model.path import Path, show_path
from nodewright.model.schema import RULES, ChangeRule
from nodewright.model.schema_openapi import Schema, schema_of


def find_violations(new: msgspec.Struct, old: msgspec.Struct | None) -> list[str]:
    """Tell every rule that an object breaks, by itself or as a change of the old one."""
    before = msgspec.to_builtins(old) if old is not None else None
    after = msgspec.to_builtins(new)
    schema = schema_of(type(new))["properties"]
    found: list[str] = []
    for part in ("spec",):
        if part in schema:
            value = after.get(part, {})
            earlier = before.get(part, {}) if before is not None else None
            found += _walk(schema[part], value, earlier, (part,))
    return found


def _walk(schema: Schema, value: Any, old: Any, path: Path) -> Iterator[str]:
    for rule in schema.get(RULES, ()):
        if isinstance(rule, ChangeRule):
            if old is not None and not rule.holds(value, old):
                yield f"{show_path(path)}: {rule.message}"
        elif not rule.holds(value):
            yield f"{show_path(path)}: {rule.message}"
    if isinstance(value, Mapping):
        yield from _walk_object(schema, value, old, path)
    elif isinstance(value, list | tuple):
        yield from _bounds(schema, len(value), "Items", path)
        items = schema.get("items", {})
        for index, one in enumerate(value):
            yield from _walk(items, one, None, (*path, index))
    elif isinstance(value, str):
        yield from _check_text(schema, value, path)
    elif isinstance(value, int) and not (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
    ):
        yield f"{show_path(path)}: {value} is out of range"


def _walk_object(schema: Schema, value: Mapping[str, Any], old: Any, path: Path) -> Iterator[str]:
    yield from _bounds(schema, len(value), "Properties", path)
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties")
    for name, one in value.items():
        inner = properties.get(name, others)
        if isinstance(inner, dict):
            earlier = old.get(name) if isinstance(old, Mapping) else None
            yield from _walk(inner, one, earlier, (*path, name))


def _check_text(schema: Schema, value: str, path: Path) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"{show_path(path)}: {value!r} is none of {', '.join(schema['enum'])}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{show_path(path)}: {value!r} does not match {schema['pattern']}"
    yield from _bounds(schema, len(value), "Length", path)


def _bounds(schema: Schema, size: int, what: str, path: Path) -> Iterator[str]:
    if not schema.get(f"min{what}", size) <= size <= schema.get(f"max{what}", size):
        yield f"{show_path(path)}: {size} is a wrong number of {what.lower()}"
