"""The fields of every resource as pages of the documentation, written from the definitions."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.crds.definitions import CURRENT, KWOK, LEGACY, Definition
from nodewright.crds.document import write_definition

_EVERYWHERE: Final = ("apiVersion", "kind", "metadata")
_RULES: Final = (
    ("enum", "one of {}"),
    ("pattern", "matches `{}`"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("minLength", "{} characters or more"),
    ("maxLength", "up to {} characters"),
    ("minItems", "{} items or more"),
    ("maxItems", "up to {} items"),
    ("maxProperties", "up to {} entries"),
)


def resource_documents() -> dict[str, str]:
    """Give the pages by file name: one for each kind, and the list of all of them."""
    pages: dict[str, str] = {}
    lines = ["# Resources", "", "| kind | API version | what |", "| --- | --- | --- |"]
    for definition in (*CURRENT, *LEGACY, *KWOK):
        kind, schema = definition.kind, _schema(definition)
        name = f"{kind.kind.lower()}.md"
        about = schema.get("description", "")
        lines.append(f"| [`{kind.kind}`]({name}) | `{kind.api_version}` | {about} |")
        pages[name] = _page(definition, schema)
    pages["index.md"] = "\n".join(lines) + "\n"
    return pages


def _schema(definition: Definition) -> dict[str, Any]:
    (version,) = write_definition(definition)["spec"]["versions"]
    schema: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return schema


def _page(definition: Definition, schema: dict[str, Any]) -> str:
    kind = definition.kind
    lines = [
        f"# {kind.kind}",
        "",
        f"`apiVersion: {kind.api_version}`, `kind: {kind.kind}`. {schema.get('description', '')}",
        "",
        "| field | type | what |",
        "| --- | --- | --- |",
    ]
    for field, one, is_required in _fields(schema, ""):
        lines.append(f"| `{field}` | {_type(one)} | {_about(one, is_required=is_required)} |")
    return "\n".join(lines) + "\n"


def _fields(schema: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Give every field below a schema with its path, parents first."""
    required = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        if not path and name in _EVERYWHERE:
            continue
        place = f"{path}.{name}" if path else name
        yield place, one, name in required
        yield from _fields(one, place)
        yield from _fields(one.get("items", {}), f"{place}[]")
        inner = one.get("additionalProperties")
        if isinstance(inner, dict):
            yield from _fields(inner, f"{place}.*")


def _type(schema: dict[str, Any]) -> str:
    if "items" in schema:
        return f"list of {_type(schema['items'])}"
    inner = schema.get("additionalProperties")
    if isinstance(inner, dict):
        return f"map of {_type(inner)}"
    if schema.get("x-kubernetes-int-or-string"):
        return "integer or string"
    kind: str = schema.get("type", "anything")
    return kind


def _about(schema: dict[str, Any], *, is_required: bool) -> str:
    """Say what a field means, and what may stand in it."""
    words = [schema.get("description", "").strip()]
    if is_required:
        words.append("Required.")
    if "default" in schema:
        words.append(f"Default: `{_plain(schema['default'])}`.")
    inner = schema.get("items", schema)
    rules = [
        words_of.format(_choices(one[rule]))
        for one in ((schema,) if inner is schema else (schema, inner))
        for rule, words_of in _RULES
        if rule in one
    ]
    if rules:
        words.append(f"Must be: {'; '.join(rules)}.")
    return " ".join(word for word in words if word).replace("|", "\\|").replace("\n", " ")


def _choices(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(f"`{_plain(one)}`" for one in value)
    return str(value)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
