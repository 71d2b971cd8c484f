"""Structural OpenAPI v3 schemas, made from the structs and what `about(...)` says of their fields.

The rules stay objects in `x-kubernetes-validations`: whoever writes a definition for the API server
takes their CEL, whoever judges offline takes their predicate.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import inspect

type Schema = dict[str, Any]

INT_OR_STRING: Final = "x-kubernetes-int-or-string"
OPEN: Final = "x-kubernetes-preserve-unknown-fields"
QUANTITY_PATTERN: Final = (
    r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"
)


@cache
def schema_of(struct: type[msgspec.Struct]) -> Schema:
    """Give the structural OpenAPI schema of a struct, rules included; do not change it."""
    return _schema(inspect.type_info(struct))


def _schema(info: inspect.Type) -> Schema:
    if isinstance(info, inspect.Metadata):
        return _merged(_schema(info.type), (info.extra or {}).get("schema", {}))
    if isinstance(info, inspect.StructType):
        return _object(info)
    if isinstance(info, inspect.DictType):
        value = _schema(info.value_type)
        return {"type": "object", "additionalProperties": value} if value else _open_object()
    if isinstance(info, inspect.VarTupleType | inspect.ListType):
        return {"type": "array", "items": _schema(info.item_type)}
    if isinstance(info, inspect.UnionType):
        return _union(info)
    return _scalar(info)


def _scalar(info: inspect.Type) -> Schema:
    match info:
        case inspect.StrType():
            return {"type": "string"}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType():
            return {"type": "integer", "format": "int64"}
        case inspect.FloatType():
            return {"type": "number"}
        case inspect.AnyType() | inspect.CustomType():
            return {}
        case _:
            raise AssertionError(f"no schema for {info!r}")


def _union(info: inspect.UnionType) -> Schema:
    kinds = [kind for kind in info.types if not isinstance(kind, inspect.NoneType)]
    if len(kinds) == 1:
        return _schema(kinds[0])
    # A number or a text is how Kubernetes lets a quantity be written; no other union is used.
    assert all(isinstance(k, inspect.StrType | inspect.IntType | inspect.FloatType) for k in kinds)
    return {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": QUANTITY_PATTERN,
        INT_OR_STRING: True,
    }


def _open_object() -> Schema:
    return {"type": "object", OPEN: True}


def _object(info: inspect.StructType) -> Schema:
    properties: Schema = {}
    required: list[str] = []
    for field in info.fields:
        if isinstance(field.type, inspect.Metadata) and (field.type.extra or {}).get("required"):
            required.append(field.encode_name)
        properties[field.encode_name] = _schema(field.type)
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = sorted(required)
    return schema


def _merged(base: Mapping[str, Any], extra: Mapping[str, Any]) -> Schema:
    merged = dict(base)
    for name, value in extra.items():
        known = merged.get(name)
        if isinstance(known, dict) and isinstance(value, dict):
            merged[name] = _merged(known, value)
        elif value is None:
            merged.pop(name, None)
        else:
            merged[name] = value
    return merged
