"""What the API server would say to an object, told without one.

It does what the server does, in its order: drop unknown fields and nulls, fill in defaults, check
types and bounds, then the rules. The rules are judged by their Python side; the accept and refuse
cases of the definitions hold both sides against each other on a real server.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import msgspec

from nodewright.model.path import Path
from nodewright.model.schema import RULES, ChangeRule, Rule
from nodewright.model.schema_openapi import INT_OR_STRING, OPEN, Schema, schema_of
from nodewright.model.validation import Problem

REFUSED_BY_SERVER: Final = "NW-2030"
_TYPES: Final[Mapping[str, tuple[tuple[type, ...], str]]] = {
    "string": ((str,), "text"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
    "array": ((list, tuple), "a list"),
    "object": ((dict,), "an object"),
}
_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[-+][0-9]{2}:[0-9]{2})"
)
_INT32_MAX: Final = 2**31 - 1


def admit(raw: Any, struct: type[msgspec.Struct], old: Any = None) -> list[Problem]:
    """Tell everything that the API server would refuse in a new object, or in a change of `old`."""
    schema = schema_of(struct)
    problems: list[Problem] = []
    for name, part in schema["properties"].items():
        if name == "metadata":
            continue
        new = _prepared(raw.get(name), part) if isinstance(raw, dict) else None
        before = _prepared(old.get(name), part) if isinstance(old, dict) else None
        if new is None:
            if name in schema.get("required", ()):
                problems.append(_problem((name,), f"{name} is required"))
            continue
        problems += _check(new, part, (name,), before)
    return problems


def _problem(path: Path, message: str) -> Problem:
    return Problem(path, message, REFUSED_BY_SERVER)


def _prepared(value: Any, schema: Schema) -> Any:
    """Give the value as the server stores it: without nulls and unknown fields, with defaults."""
    if isinstance(value, dict) and "properties" in schema:
        kept = {}
        for name, part in schema["properties"].items():
            given = value.get(name)
            if given is None:
                given = part.get("default")
            if given is not None:
                kept[name] = _prepared(given, part)
        return kept
    if isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
        inner = schema["additionalProperties"]
        return {name: _prepared(part, inner) for name, part in value.items() if part is not None}
    if isinstance(value, list | tuple) and "items" in schema:
        return [_prepared(item, schema["items"]) for item in value]
    return value


def _check(value: Any, schema: Schema, path: Path, old: Any) -> list[Problem]:
    problems = list(_check_value(value, schema, path))
    if problems and _is_wrong_type(value, schema):
        return problems
    if isinstance(value, dict):
        problems += _check_object(value, schema, path, old)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            problems += _check(item, schema.get("items", {}), (*path, index), None)
    if not problems:
        problems += _check_rules(value, schema, path, old)
    return problems


def _check_object(value: dict[str, Any], schema: Schema, path: Path, old: Any) -> list[Problem]:
    problems = [
        _problem((*path, name), f"{name} is required")
        for name in schema.get("required", ())
        if name not in value
    ]
    if schema.get(OPEN):
        return problems
    fallback = schema.get("additionalProperties", {})
    for name, part in value.items():
        inner = schema.get("properties", {}).get(name, fallback)
        before = old.get(name) if isinstance(old, dict) else None
        problems += _check(part, inner, (*path, name), before)
    return problems


def _check_rules(value: Any, schema: Schema, path: Path, old: Any) -> Iterator[Problem]:
    for rule in schema.get(RULES, ()):
        is_broken = isinstance(rule, Rule) and not rule.holds(value)
        if isinstance(rule, ChangeRule) and old is not None:
            is_broken = not rule.holds(value, old)
        if is_broken:
            yield _problem(path, rule.message)


def _is_wrong_type(value: Any, schema: Schema) -> bool:
    if schema.get(INT_OR_STRING):
        return isinstance(value, bool) or not isinstance(value, int | str)
    if "type" not in schema:
        return False
    kinds, _ = _TYPES[schema["type"]]
    return not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)


def _check_value(value: Any, schema: Schema, path: Path) -> Iterator[Problem]:
    if _is_wrong_type(value, schema):
        wanted = "a number or text" if INT_OR_STRING in schema else _TYPES[schema["type"]][1]
        yield _problem(path, f"must be {wanted}, not {value!r:.40}")
    elif isinstance(value, str):
        yield from _check_text(value, schema, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _check_number(value, schema, path)
    elif isinstance(value, list):
        yield from _check_size(len(value), schema, path, ("minItems", "maxItems", "items"))
    elif isinstance(value, dict):
        yield from _check_size(
            len(value), schema, path, ("minProperties", "maxProperties", "entries")
        )


def _check_text(value: str, schema: Schema, path: Path) -> Iterator[Problem]:
    if "enum" in schema and value not in schema["enum"]:
        yield _problem(path, f"{value[:60]!r} is none of {', '.join(schema['enum'])}")
    if "pattern" in schema and not _compiled(schema["pattern"]).search(value):
        yield _problem(path, f"{value[:60]!r} does not match {schema['pattern']}")
    if schema.get("format") == "date-time" and not _DATE_TIME.fullmatch(value):
        yield _problem(path, f"{value[:60]!r} is no time like 2026-01-31T12:00:00Z")
    yield from _check_size(len(value), schema, path, ("minLength", "maxLength", "characters"))


def _check_number(value: float, schema: Schema, path: Path) -> Iterator[Problem]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if schema.get("format") == "int32":
        high = _INT32_MAX if high is None else high
    if low is not None and value < low:
        yield _problem(path, f"{value} is less than {low}")
    if high is not None and value > high:
        yield _problem(path, f"{value} is more than {high}")


def _check_size(
    size: int, schema: Schema, path: Path, names: tuple[str, str, str]
) -> Iterator[Problem]:
    least, most, what = names
    if size < schema.get(least, 0):
        yield _problem(path, f"needs at least {schema[least]} {what}")
    if most in schema and size > schema[most]:
        yield _problem(path, f"has {size} {what}, and may have {schema[most]} at most")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Go's `$` is the very end; Python's would let a line feed pass.
    return re.compile(re.sub(r"(?<!\\)\$(?=\)|\||$)", r"\\Z", pattern))
