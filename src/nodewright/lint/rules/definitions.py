"""Fields that are right, and that the CustomResourceDefinition beside them does not know yet."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.lint.finding import Finding
from nodewright.lint.raw import dig, items, mapping, text
from nodewright.lint.stream import Stream
from nodewright.model.kinds import BY_NAME
from nodewright.model.path import Path, show_path
from nodewright.model.schema_unknown import unknown_fields
from nodewright.state.manifests import Manifest

_OPEN: Final = "x-kubernetes-preserve-unknown-fields"


def check(stream: Stream) -> Iterator[Finding]:
    """Yield objects that are ahead of the definitions in the same stream."""
    definitions = stream.of_kind("CustomResourceDefinition")
    schemas = dict(_schemas(definitions))
    if not schemas:
        return
    for manifest in stream.manifests:
        kind = BY_NAME.get((manifest.api_version, manifest.kind))
        schema = schemas.get((manifest.api_version, manifest.kind))
        if kind is None or schema is None:
            continue
        wrong = {one.path for one in unknown_fields(manifest.raw, kind.struct)}
        spec = mapping(dig(schema, ("properties", "spec")))
        for path in _missing(manifest.raw.get("spec"), spec, ("spec",)):
            if path not in wrong:
                yield Finding(
                    "NW-3037",
                    manifest,
                    path,
                    f"the definition of {manifest.kind} in these files does not know "
                    f"{show_path(path)}",
                    "apply the definitions of this version first: nodewright crds | kubectl apply "
                    "--server-side -f -",
                    on="key",
                )


def _schemas(definitions: tuple[Manifest, ...]) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    for definition in definitions:
        spec = mapping(definition.raw.get("spec"))
        group, kind = text(spec.get("group")), text(mapping(spec.get("names")).get("kind"))
        for version in items(spec.get("versions")):
            schema = dig(version, ("schema", "openAPIV3Schema"))
            if isinstance(schema, dict):
                yield (f"{group}/{text(mapping(version).get('name'))}", kind), schema


def _missing(value: Any, schema: dict[str, Any], path: Path) -> Iterator[Path]:
    if isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _missing(entry, mapping(schema.get("items")), (*path, index))
    if not isinstance(value, dict) or schema.get(_OPEN):
        return
    properties, others = schema.get("properties"), schema.get("additionalProperties")
    if properties is None and others is None:
        return
    for key, entry in value.items():
        inner = mapping(properties).get(key, others)
        if inner is None or inner is False:
            yield (*path, key)
        else:
            yield from _missing(entry, mapping(inner), (*path, key))
