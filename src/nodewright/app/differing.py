"""A change of manifests read into a World, and what it would do as a document."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from nodewright.app.consolidating import Document, kept_document
from nodewright.app.manifests import Source
from nodewright.app.planning import money
from nodewright.core.disruption.change import Change
from nodewright.lint.raw import read_as
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.kinds import BY_NAME
from nodewright.model.metadata import Struct
from nodewright.model.nodepolicy import NodePolicy
from nodewright.model.nodepool import NodePool
from nodewright.model.wording import Language
from nodewright.model.world import World
from nodewright.state.builtin import MissingTypes, add_builtin_types
from nodewright.state.snapshot import Snapshot

_FIELDS: Final[dict[type[Struct], str]] = {
    NodePool: "node_pools",
    EC2NodeClass: "node_classes",
    NodePolicy: "node_policies",
}


class Edited(msgspec.Struct, frozen=True):
    """A World with manifests in it, and what they change: kind, name and fields, or that it is new."""

    world: World
    changes: tuple[tuple[str, str, tuple[str, ...]], ...]


def edit_world(taken: Snapshot, sources: Sequence[Source]) -> Edited:
    """Give the World as it would be with the pools, classes and policies of some manifests."""
    world = taken.world
    changes: list[tuple[str, str, tuple[str, ...]]] = []
    for source in sources:
        for manifest in source.manifests:
            kind = BY_NAME.get((manifest.api_version, manifest.kind))
            field = _FIELDS.get(kind.struct) if kind is not None else None
            if kind is None or field is None:
                continue
            try:
                read: Any = read_as(manifest.raw, kind.struct)
            except msgspec.ValidationError as error:
                raise UserError(
                    f"{manifest.kind} {manifest.name} cannot be read: {error}",
                    code="NW-9015",
                    where=manifest.where(),
                    advice="see nodewright lint",
                ) from None
            world, change = _put(world, field, manifest.kind, read)
            if change is not None:
                changes.append(change)
    if not changes and not any(one.manifests for one in sources):
        raise UserError("the files hold no object", code="NW-9015")
    return Edited(_with_types(world, taken), tuple(changes))


def _put(
    world: World, field: str, kind: str, read: Any
) -> tuple[World, tuple[str, str, tuple[str, ...]] | None]:
    name = read.metadata.name
    known = {one.metadata.name: one for one in getattr(world, field)}
    old = known.get(name)
    if old is None:
        grown: Any = {field: (*getattr(world, field), read)}
        return replace(world, **grown), (kind, name, ())
    paths = tuple(_differences(old.spec, read.spec))
    if not paths and old.metadata.labels == read.metadata.labels:
        return world, None
    changed = replace(
        old, spec=read.spec, metadata=replace(old.metadata, labels=read.metadata.labels)
    )
    swapped: Any = {field: tuple(changed if one is old else one for one in getattr(world, field))}
    return replace(world, **swapped), (kind, name, paths)


def _differences(old: Any, new: Any, path: str = "spec") -> list[str]:
    """Name the fields that differ; lists are compared as wholes."""
    if isinstance(old, msgspec.Struct) and type(old) is type(new):
        return [
            one
            for name, written in zip(
                old.__struct_fields__, old.__struct_encode_fields__, strict=True
            )
            for one in _differences(getattr(old, name), getattr(new, name), f"{path}.{written}")
        ]
    if isinstance(old, dict) and isinstance(new, dict):
        found: list[str] = []
        for key in sorted({*old, *new}):
            found += _differences(old.get(key), new.get(key), f"{path}.{key}")
        return found
    return [] if old == new else [path]


def _with_types(world: World, taken: Snapshot) -> World:
    classes = [one for one in world.node_classes if isinstance(one, EC2NodeClass)]
    filled = add_builtin_types(
        world.instance_types, world.node_pools, classes, taken.metadata.region
    )
    if isinstance(filled, MissingTypes):
        raise UserError(filled.sentence, code="NW-9010")
    return replace(world, instance_types=filled)


def change_document(edited: Edited, change: Change, language: Language = "en") -> Document:
    """Write down what a change would do."""
    hours = None if change.rounds_ms is None else round(change.rounds_ms / 3_600_000, 2)
    return {
        "changes": [
            {"kind": kind, "name": name, "fields": list(fields), "isNew": not fields}
            for kind, name, fields in edited.changes
        ],
        "drifts": dict(change.drifts),
        "nodePools": dict(change.by_pool),
        "blocked": {name: kept_document(one, language) for name, one in change.blocked.items()},
        "selectorsChanged": list(change.selectors),
        "hours": hours,
        "pricePerHour": {
            "before": money(change.price_before),
            "rolling": money(change.price_rolling),
            "after": money(change.price_after),
        },
    }
