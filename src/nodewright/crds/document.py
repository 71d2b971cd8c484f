"""A definition as the document that `kubectl apply` takes, in a fixed order."""

import inspect
from typing import Any, Final

import yaml

from nodewright.crds.definitions import CURRENT, KWOK, LEGACY, Column, Definition
from nodewright.model.schema import RULES, ChangeRule, Rule
from nodewright.model.schema_openapi import Schema, schema_of

_FIELD_ORDER: Final = (
    "description",
    "type",
    "format",
    "default",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "maxProperties",
    "items",
    "additionalProperties",
    "properties",
    "required",
)
_WIDTH: Final = 110


def definitions(*, legacy: bool = False, kwok: bool = False) -> list[dict[str, Any]]:
    """Give the CustomResourceDefinitions, the legacy two and KWOK's last where they are wanted."""
    wanted = (*CURRENT, *(LEGACY if legacy else ()), *(KWOK if kwok else ()))
    return [write_definition(one) for one in wanted]


def write_definition(definition: Definition) -> dict[str, Any]:
    """Give one CustomResourceDefinition as plain values."""
    kind = definition.kind.kind
    names: dict[str, Any] = {
        "categories": ["karpenter"],
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": definition.plural,
    }
    if definition.short_names:
        names["shortNames"] = list(definition.short_names)
    names["singular"] = kind.lower()
    subresources: dict[str, Any] = {"status": {}}
    if definition.scale is not None:
        subresources["scale"] = {
            "specReplicasPath": definition.scale.spec,
            "statusReplicasPath": definition.scale.status,
        }
    version = {
        "name": definition.version,
        "served": True,
        "storage": True,
        "additionalPrinterColumns": [_column(column) for column in definition.columns],
        "schema": {"openAPIV3Schema": _root(definition)},
        "subresources": subresources,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": definition.name},
        "spec": {
            "group": definition.group,
            "names": names,
            "scope": "Namespaced" if definition.namespaced else "Cluster",
            "versions": [version],
        },
    }


def as_yaml(document: dict[str, Any]) -> str:
    """Write a document as YAML, keys in their order, without anchors."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=_WIDTH, allow_unicode=True)


class _Dumper(yaml.SafeDumper):
    """Repeats what occurs twice instead of pointing at it: people read these files."""

    def ignore_aliases(self, data: Any) -> bool:
        """Never point."""
        del data
        return True


def _column(column: Column) -> dict[str, Any]:
    written: dict[str, Any] = {"name": column.name, "type": column.type, "jsonPath": column.path}
    if column.wide:
        written["priority"] = 1
    return written


def _root(definition: Definition) -> Schema:
    struct = definition.kind.struct
    schema = schema_of(struct)
    properties: Schema = {
        "apiVersion": {"description": "The API version of this object.", "type": "string"},
        "kind": {"description": "The kind of this object.", "type": "string"},
        "metadata": {"type": "object"},
    }
    for name, part in schema["properties"].items():
        if name != "metadata":
            properties[name] = _written(part)
    return {
        "description": inspect.cleandoc(struct.__doc__ or ""),
        "type": "object",
        "properties": properties,
        "required": sorted(schema.get("required", [])),
    }


def _written(schema: Schema) -> Schema:
    written: Schema = {}
    names = [name for name in _FIELD_ORDER if name in schema]
    for name in [*names, *sorted(set(schema) - set(names))]:
        value = schema[name]
        if name == "properties":
            written[name] = {key: _written(value[key]) for key in sorted(value)}
        elif name in ("items", "additionalProperties"):
            written[name] = _written(value)
        elif name == RULES:
            written[name] = [_rule(rule) for rule in value]
        else:
            written[name] = value
    return written


def _rule(rule: Rule | ChangeRule) -> dict[str, str]:
    return {"rule": rule.cel, "message": rule.message}
