"""Karpenter's older objects of a live cluster, read as what they are called today.

They are converted together whenever one of them changes, and nothing is written: the objects that
come out live in memory, marked with what they were. An object of today keeps a name that both want.
The kinds of `v1beta1` are looked at only where the cluster does not serve them as `v1`, since they
are the same objects.
"""

import re
from typing import Any, Final

import msgspec

from nodewright.convert.nodeclass import ConvertOptions
from nodewright.convert.notes import CHECK, LOST, REFUSED
from nodewright.convert.stream import Conversion, LegacyObject, convert_legacy
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kinds import BY_STRUCT
from nodewright.model.labels import AWS_GROUP, INSTANCE_TYPE
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.older import CONVERTED_FROM, OlderObject, OlderStatus
from nodewright.model.resource import (
    AWS_NODE_TEMPLATES,
    BETA_NODE_CLASSES,
    BETA_NODE_POOLS,
    MACHINES,
    NODE_CLASSES,
    NODE_POOLS,
    PROVISIONERS,
    Resource,
)
from nodewright.state.mirror import Mirror

_TODAY: Final[dict[str, Resource[Any]]] = {
    BETA_NODE_POOLS.name: NODE_POOLS,
    BETA_NODE_CLASSES.name: NODE_CLASSES,
}
_READ: Final[tuple[Resource[Any], ...]] = (
    PROVISIONERS, AWS_NODE_TEMPLATES, MACHINES, BETA_NODE_POOLS, BETA_NODE_CLASSES,
)  # fmt: skip
_PARTS: Final = (
    (re.compile(r"^[a-z]+$"), f"{AWS_GROUP}/instance-category"),
    (re.compile(r"^[a-z]+[0-9]+[a-z-]*$"), f"{AWS_GROUP}/instance-family"),
)
# Structs are replaced field by field; mypy knows them only as their base.
_replace: Any = msgspec.structs.replace


class Older(msgspec.Struct, frozen=True):
    """What the older objects of a cluster are today."""

    objects: tuple[OlderObject, ...] = ()
    node_pools: tuple[NodePool, ...] = ()
    node_classes: tuple[EC2NodeClass, ...] = ()
    node_claims: tuple[NodeClaim, ...] = ()


_NONE: Final = Older()


def read_older(mirror: Mirror) -> Older:
    """Give the older objects that a mirror holds as what they are today."""
    there = [one for one in _READ if mirror.has(one) and mirror.count(one)]
    watched = [one for one in there if not _is_served_today(mirror, one)]
    if not watched:
        return _NONE
    found: Older = mirror.derive(
        "older", (*watched, NODE_POOLS, NODE_CLASSES), lambda: _convert(mirror, watched)
    )
    return found


def _is_served_today(mirror: Mirror, resource: Resource[Any]) -> bool:
    today = _TODAY.get(resource.name)
    return today is not None and mirror.is_known(today)


def _convert(mirror: Mirror, watched: list[Resource[Any]]) -> Older:
    objects: list[LegacyObject] = [one for kind in watched for one in mirror.all(kind)]
    existing = [
        f"{kind.kind}/{one.metadata.name}"
        for kind in (NODE_POOLS, NODE_CLASSES)
        for one in mirror.all(kind)
    ]
    options = ConvertOptions(kubernetes_minor=mirror.kubernetes_minor)
    conversion = convert_legacy(objects, options, existing)
    sources = {f"{BY_STRUCT[type(one)].kind}/{one.metadata.name}": one for one in objects}
    pools: list[NodePool] = []
    classes: list[EC2NodeClass] = []
    claims: list[NodeClaim] = []
    read_as: dict[str, list[str]] = {}
    for made in conversion.made:
        thing = _marked(made.object, sources[made.source])
        match thing:
            case NodePool():
                thing, sentences = correct_types(thing)
                read_as.setdefault(made.source, []).extend(sentences)
                pools.append(thing)
            case EC2NodeClass():
                classes.append(thing)
            case NodeClaim():
                claims.append(thing)
    told = tuple(
        _describe(source, one, conversion, read_as.get(source, []))
        for source, one in sources.items()
    )
    return Older(told, tuple(pools), tuple(classes), tuple(claims))


def _marked(thing: Any, source: Any) -> Any:
    kind = BY_STRUCT[type(source)]
    mark = {CONVERTED_FROM: f"{kind.api_version}/{kind.kind}"}
    metadata = _replace(thing.metadata, annotations={**thing.metadata.annotations, **mark})
    return _replace(thing, metadata=metadata)


def _describe(
    source: str, one: LegacyObject, conversion: Conversion, read_as: list[str]
) -> OlderObject:
    kind = BY_STRUCT[type(one)]
    notes = [note for note in conversion.notes if note.source == source]
    status = getattr(one, "status", None)
    return OlderObject(
        api_version=kind.api_version,
        kind=kind.kind,
        metadata=one.metadata,
        status=OlderStatus(tuple(getattr(status, "conditions", ()))),
        became=tuple(
            f"{BY_STRUCT[type(made.object)].kind} {made.object.metadata.name}"
            for made in conversion.made
            if made.source == source
        ),
        refused="; ".join(note.message for note in notes if note.kind == REFUSED),
        lost=(*(note.message for note in notes if note.kind in (LOST, CHECK)), *read_as),
    )


def correct_types(pool: NodePool) -> tuple[NodePool, list[str]]:
    """Read names of instance types that are categories or families as what they are.

    Guides of that time show `node.kubernetes.io/instance-type In [c, m]`, and no type has such a
    name: the pool would make no node, and the old YAML would not work as it is.
    """
    written = pool.spec.template.spec.requirements
    sentences: list[str] = []
    read: list[NodeSelectorRequirement] = []
    for one in written:
        key = _meant(one)
        read.append(one if key is None else _replace(one, key=key))
        if key is not None:
            values = ", ".join(one.values)
            sentences.append(f"no instance type is called {values}: read as {key.split('/')[1]}")
    if not sentences:
        return pool, []
    spec = _replace(pool.spec.template.spec, requirements=tuple(read))
    template = _replace(pool.spec.template, spec=spec)
    return _replace(pool, spec=_replace(pool.spec, template=template)), sentences


def _meant(one: NodeSelectorRequirement) -> str | None:
    if one.key != INSTANCE_TYPE or one.operator != "In" or not one.values:
        return None
    for pattern, key in _PARTS:
        if all(pattern.match(value) for value in one.values):
            return key
    return None
