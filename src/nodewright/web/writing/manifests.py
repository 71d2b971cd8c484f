"""Pools, classes and policies as manifests to be edited; what nobody may see is left out of them.

User data may hold anything, so a class shows a mark in its place, which stands for what is really there.
Annotations are left out: tools keep whole copies of objects in them.
"""

from typing import Any, Final

import msgspec
import yaml

from nodewright.model.instant import print_instant
from nodewright.model.kinds import BY_STRUCT
from nodewright.model.world import World
from nodewright.web.answers.whatif import Manifest, Manifests

HIDDEN: Final = "(user data is not shown; this line stands for it)"
MANIFESTS_MAX: Final = 500


def write_manifests(world: World, revision: int) -> Manifests:
    """Write every object that can be edited."""
    things: list[Any] = [*world.node_pools, *world.node_classes, *world.node_policies]
    found = []
    for thing in things[:MANIFESTS_MAX]:
        kind = BY_STRUCT[type(thing)]
        text = yaml.safe_dump(
            {
                "apiVersion": kind.api_version,
                "kind": kind.kind,
                "metadata": _metadata(thing),
                "spec": _spec(thing),
            },
            sort_keys=False,
            allow_unicode=True,
        )
        found.append(Manifest(kind.kind, thing.metadata.name, text))
    return Manifests(revision, print_instant(world.now_ms), tuple(found))


def _metadata(thing: Any) -> dict[str, Any]:
    labels = dict(thing.metadata.labels)
    return {"name": thing.metadata.name} | ({"labels": labels} if labels else {})


def _spec(thing: Any) -> dict[str, Any]:
    spec: dict[str, Any] = msgspec.to_builtins(thing.spec)
    if spec.get("userData"):
        spec["userData"] = HIDDEN
    return spec
