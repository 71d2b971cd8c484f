"""Fields that a kind does not have: what was meant, or where it stands today."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.lint.finding import Edit, Finding, Remove, Rename
from nodewright.lint.guess import is_sure
from nodewright.lint.moved import advice_on
from nodewright.lint.raw import dig, mapping
from nodewright.lint.stream import Stream
from nodewright.model.kinds import BY_NAME
from nodewright.model.metadata import Struct
from nodewright.model.path import Path, show_path
from nodewright.model.schema_openapi import Schema, schema_of
from nodewright.model.schema_unknown import UnknownField, unknown_fields
from nodewright.state.manifests import Manifest

_TYPES: Final[dict[str, type]] = {
    "object": dict,
    "array": list,
    "boolean": bool,
    "integer": int,
    "string": str,
}


def check(stream: Stream) -> Iterator[Finding]:
    """Yield every field that the API server would refuse or drop."""
    for manifest in stream.manifests:
        kind = BY_NAME.get((manifest.api_version, manifest.kind))
        if kind is None:
            continue
        for unknown in unknown_fields(manifest.raw, kind.struct):
            if unknown.path[0] != "status":
                yield _finding(manifest, kind.struct, unknown)


def _finding(manifest: Manifest, struct: type[Struct], unknown: UnknownField) -> Finding:
    path, value = unknown.path, dig(manifest.raw, unknown.path)
    key, parent = str(path[-1]), path[:-1]
    if len(path) > 1 and isinstance(parent[-1], int) and parent[-2] == "requirements":
        return _stray(manifest, unknown, value)
    where = show_path(parent) if parent else manifest.kind
    message = f"unknown field {key} in {where}"
    advice = advice_on(manifest.kind, manifest.api_version, path)
    if advice or not unknown.candidates:
        return Finding("NW-2101", manifest, path, message, advice, on="key")
    guess = unknown.candidates[0]
    edits: tuple[Edit, ...] = ()
    siblings = mapping(dig(manifest.raw, parent))
    if is_sure(key, guess) and guess not in siblings and _takes(struct, (*parent, guess), value):
        edits = (Rename(path, guess),)
    advice = f"it belongs into {guess}" if "." in guess else f"did you mean {guess}?"
    return Finding("NW-2101", manifest, path, message, advice, edits, on="key")


def _stray(manifest: Manifest, unknown: UnknownField, value: Any) -> Finding:
    path, key = unknown.path, str(unknown.path[-1])
    siblings = mapping(dig(manifest.raw, path[:-1]))
    guess = unknown.candidates[0] if unknown.candidates else ""
    edits: tuple[Edit, ...] = ()
    if value in (None, [], {}):
        advice = "remove it: requirements stand side by side, each with key, operator and values"
        edits = (Remove(path),)
    elif "." not in guess and is_sure(key, guess) and guess not in siblings:
        advice, edits = f"did you mean {guess}?", (Rename(path, guess),)
    else:
        advice = "move what stands under it one level out, then remove it"
    message = f"{key} does not belong inside a requirement"
    return Finding("NW-3027", manifest, path, message, advice, edits, on="key")


def _takes(struct: type[Struct], path: Path, value: Any) -> bool:
    schema: Schema = schema_of(struct)
    for part in path:
        schema = (
            schema.get("items", {})
            if isinstance(part, int)
            else mapping(schema.get("properties")).get(part, {})
        )
    kind = _TYPES.get(schema.get("type", ""))
    return kind is not None and isinstance(value, kind)
