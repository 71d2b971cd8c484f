"""Fields that a resource does not have: what was probably meant, and where it stands.

Decoding skips unknown fields, and so does an API server that is not asked to be strict, so a typo
would change the meaning of an object without a word.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

import msgspec

from nodewright.model.path import Path, show_path
from nodewright.model.schema_openapi import OPEN, Schema, schema_of

_CLOSE: Final = 0.7
_CANDIDATES_MAX: Final = 3
_TOP: Final = frozenset({"apiVersion", "kind", "metadata"})


class UnknownField(msgspec.Struct, frozen=True):
    """A field that does not exist, and what may have been meant, best first."""

    path: Path
    candidates: tuple[str, ...] = ()


def unknown_fields(raw: object, struct: type[msgspec.Struct]) -> list[UnknownField]:
    """Give every field of a raw object that its kind does not have, in the order of the object.

    A candidate is the name of a neighbour that is spelled alike, or, for a name that exists in
    another place of the kind, its full path there.
    """
    schema = schema_of(struct)
    if not isinstance(raw, dict):
        return []
    found = [
        UnknownField((name,), _spelled_alike(name, schema["properties"]))
        for name in raw
        if name not in _TOP and name not in schema["properties"]
    ]
    for name, part in schema["properties"].items():
        if name not in _TOP and name in raw:
            found += _walk(raw[name], part, (name,), schema)
    return found


def _walk(value: Any, schema: Schema, path: Path, root: Schema) -> Iterator[UnknownField]:
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _walk(item, schema["items"], (*path, index), root)
    if not isinstance(value, dict) or schema.get(OPEN):
        return
    if isinstance(schema.get("additionalProperties"), dict):
        for name, part in value.items():
            yield from _walk(part, schema["additionalProperties"], (*path, name), root)
    properties = schema.get("properties")
    if properties is None:
        return
    for name, part in value.items():
        if name in properties:
            yield from _walk(part, properties[name], (*path, name), root)
        else:
            candidates = _spelled_alike(name, properties) or _elsewhere(name, root)
            yield UnknownField((*path, name), candidates)


def _spelled_alike(name: str, properties: Mapping[str, Any]) -> tuple[str, ...]:
    lowered = {known.lower(): known for known in properties}
    close = get_close_matches(name.lower(), lowered, _CANDIDATES_MAX, _CLOSE)
    return tuple(lowered[one] for one in close)


def _elsewhere(name: str, root: Schema) -> tuple[str, ...]:
    places = [path for path in _paths(root, ()) if path[-1] == name and path[0] != "status"]
    return tuple(show_path(path) for path in places[:_CANDIDATES_MAX])


def _paths(schema: Schema, path: Path) -> Iterator[Path]:
    for name, part in schema.get("properties", {}).items():
        if path or name not in _TOP:
            yield (*path, name)
            yield from _paths(part, (*path, name))
    if "items" in schema:
        yield from _paths(schema["items"], path)
