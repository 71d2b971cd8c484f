"""What the API server would say to an object, told without one.

It does what the server does, in its order: drop unknown fields and nulls, fill in defaults, check
types and bounds, then the rules. The rules are judged by their Python side; the accept and refuse
cases of the definitions hold both sides against each other on a real server. A schema is made into
a tree of judges once, since thousands of objects are held against the same one.
"""

import re
from collections.abc import Mapping
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
_ANYTHING: Final = ((object,), "anything")
_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[-+][0-9]{2}:[0-9]{2})"
)
_INT32_MAX: Final = 2**31 - 1

type _Found = list[tuple[Path, str]]


def admit(raw: Any, struct: type[msgspec.Struct], old: Any = None) -> list[Problem]:
    """Tell everything that the API server would refuse in a new object, or in a change of `old`."""
    judge = _judge_of(struct)
    found = judge.check(judge.prepare(raw), judge.prepare(old) if old is not None else None)
    return [Problem(path, message, REFUSED_BY_SERVER) for path, message in found]


@cache
def _judge_of(struct: type[msgspec.Struct]) -> "_Judge":
    schema = schema_of(struct)
    parts = {name: part for name, part in schema["properties"].items() if name != "metadata"}
    return _Judge({**schema, "properties": parts})


class _Judge:
    """One node of a schema, made ready to judge values."""

    def __init__(self, schema: Schema) -> None:
        mixed = ((int, str), "a number or text")
        kinds = _TYPES[schema["type"]] if "type" in schema else _ANYTHING
        self.kinds, self.kind_name = mixed if schema.get(INT_OR_STRING) else kinds
        self.takes_bool = bool in self.kinds or object in self.kinds
        self.schema = schema
        self.default = schema.get("default")
        self.enum = schema.get("enum")
        self.pattern = _compiled(schema["pattern"]) if "pattern" in schema else None
        self.is_open = bool(schema.get(OPEN))
        self.required = schema.get("required", ())
        self.fields = {name: _Judge(part) for name, part in schema.get("properties", {}).items()}
        self.defaulted = [(n, one) for n, one in self.fields.items() if one.default is not None]
        entries = schema.get("additionalProperties")
        self.entries = _Judge(entries) if isinstance(entries, dict) else None
        self.items = _Judge(schema["items"]) if "items" in schema else None
        self.rules = [rule for rule in schema.get(RULES, ()) if isinstance(rule, Rule)]
        self.changes = [rule for rule in schema.get(RULES, ()) if isinstance(rule, ChangeRule)]

    def prepare(self, value: Any) -> Any:
        """Give the value as the server stores it: no nulls, nothing unknown, defaults filled in."""
        if isinstance(value, dict):
            if self.fields:
                kept = {
                    name: self.fields[name].prepare(part)
                    for name, part in value.items()
                    if part is not None and name in self.fields
                }
                for name, judge in self.defaulted:
                    if name not in kept:
                        kept[name] = judge.prepare(judge.default)
                return kept
            if self.entries is not None:
                return {name: part for name, part in value.items() if part is not None}
        elif isinstance(value, list) and self.items is not None:
            return [self.items.prepare(item) for item in value]
        return value

    def check(self, value: Any, old: Any) -> _Found:
        """Tell what is wrong with a prepared value, with paths from here on."""
        is_right = isinstance(value, self.kinds) and (
            self.takes_bool or not isinstance(value, bool)
        )
        if not is_right:
            return [((), f"must be {self.kind_name}, not {value!r:.40}")]
        found: _Found = []
        if isinstance(value, str):
            found += self._check_text(value)
        elif isinstance(value, dict):
            found += self._check_object(value, old)
        elif isinstance(value, list):
            found += self._check_list(value)
        elif isinstance(value, int | float):
            found += self._check_number(value)
        if not found:
            found += [((), rule.message) for rule in self.rules if not rule.holds(value)]
            if type(old) is type(value):
                changes = (rule for rule in self.changes if not rule.holds(value, old))
                found += [((), rule.message) for rule in changes]
        return found

    def _check_object(self, value: dict[str, Any], old: Any) -> _Found:
        found = self._check_size(len(value), "minProperties", "maxProperties", "entries")
        found += [((name,), f"{name} is required") for name in self.required if name not in value]
        if self.is_open:
            return found
        before = old if isinstance(old, dict) else {}
        for name, part in value.items():
            judge = self.fields.get(name) or self.entries
            if judge is None:
                continue
            for path, message in judge.check(part, before.get(name)):
                found.append(((name, *path), message))
        return found

    def _check_list(self, value: list[Any]) -> _Found:
        found = self._check_size(len(value), "minItems", "maxItems", "items")
        if self.items is not None:
            for index, item in enumerate(value):
                for path, message in self.items.check(item, None):
                    found.append(((index, *path), message))
        return found

    def _check_text(self, value: str) -> _Found:
        found: _Found = []
        if self.enum is not None and value not in self.enum:
            found.append(((), f"{value[:60]!r} is none of {', '.join(self.enum)}"))
        if self.pattern is not None and not self.pattern.search(value):
            found.append(((), f"{value[:60]!r} does not match {self.schema['pattern']}"))
        if self.schema.get("format") == "date-time" and not _DATE_TIME.fullmatch(value):
            found.append(((), f"{value[:60]!r} is no time like 2026-01-31T12:00:00Z"))
        return found + self._check_size(len(value), "minLength", "maxLength", "characters")

    def _check_number(self, value: float) -> _Found:
        low, high = self.schema.get("minimum"), self.schema.get("maximum")
        if high is None and self.schema.get("format") == "int32":
            high = _INT32_MAX
        if low is not None and value < low:
            return [((), f"{value} is less than {low}")]
        if high is not None and value > high:
            return [((), f"{value} is more than {high}")]
        return []

    def _check_size(self, size: int, least: str, most: str, what: str) -> _Found:
        schema = self.schema
        if size < schema.get(least, 0):
            return [((), f"needs at least {schema[least]} {what}")]
        if size > schema.get(most, size):
            return [((), f"has {size} {what}, and may have {schema[most]} at most")]
        return []


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Go's `$` is the very end; Python's would let a line feed pass.
    return re.compile(re.sub(r"(?<!\\)\$(?=\)|\||$)", r"\\Z", pattern))
