"""The OpenAPI page: every route with what it takes and gives, made from the structs themselves."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import msgspec

from nodewright.web.answers.shared import Problem

type Json = dict[str, Any]

_REF: Final = "#/components/schemas/{name}"
_JSON: Final = "application/json"
_WHY: Final[Mapping[str, str]] = {
    "400": "What was asked for cannot be read.",
    "401": "A token is needed, and none or a wrong one was given.",
    "403": "Whoever asks may not see this, or called the server by another name.",
    "404": "There is no such thing.",
    "413": "What was sent is too long.",
    "415": "What was sent is not JSON.",
    "429": "As many are asking as may; try again.",
    "503": "The cluster is not known yet, or as many are asking as may.",
}


def _text() -> Mapping[str, Any]:
    return {"type": "string", "maxLength": 400}


class Parameter(msgspec.Struct, frozen=True):
    """Something that a route takes: in its path or its query."""

    name: str
    about: str
    place: str = "query"
    schema: Mapping[str, Any] = msgspec.field(default_factory=_text)
    is_repeated: bool = False


class RouteDoc(msgspec.Struct, frozen=True):
    """What is to be said of a route."""

    path: str
    name: str
    about: str
    gives: type[msgspec.Struct] | None
    method: str = "get"
    takes: tuple[Parameter, ...] = ()
    body: type[msgspec.Struct] | None = None
    media: str = _JSON
    failures: tuple[str, ...] = ("400", "401", "403", "503")


def write_openapi(routes: Sequence[RouteDoc]) -> Json:
    """Write the page."""
    given = [one for route in routes for one in (route.gives, route.body) if one is not None]
    found: set[type[msgspec.Struct]] = {Problem, *given}
    kinds = sorted(found, key=lambda one: one.__name__)
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    refs = dict(zip(kinds, schemas, strict=True))
    paths: Json = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method] = _operation(route, refs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Nodewright",
            "version": version("nodewright"),
            "description": "What a Nodewright controller sees, decides and did. Nothing is changed.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"bearer": []}],
    }


def _operation(route: RouteDoc, refs: Mapping[type[msgspec.Struct], Json]) -> Json:
    media: Json = {} if route.gives is None else {"schema": refs[route.gives]}
    responses: Json = {
        "200": {"description": "The answer.", "content": {route.media: media}},
    }
    if route.method == "get" and route.media == _JSON:
        responses["304"] = {"description": "Nothing has changed since what If-None-Match names."}
    for status in route.failures:
        content = {_JSON: {"schema": refs[Problem]}}
        responses[status] = {"description": _WHY[status], "content": content}
    operation: Json = {"operationId": route.name, "summary": route.about, "responses": responses}
    if route.takes:
        operation["parameters"] = [_parameter(one) for one in route.takes]
    if route.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {_JSON: {"schema": refs[route.body]}},
        }
    return operation


def _parameter(one: Parameter) -> Json:
    schema = dict(one.schema)
    if one.is_repeated:
        schema = {"type": "array", "items": schema, "maxItems": 8}
    return {
        "name": one.name,
        "in": one.place,
        "description": one.about,
        "required": one.place == "path",
        "schema": schema,
    }
