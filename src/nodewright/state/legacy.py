"""Karpenter's older objects in a snapshot, read as what they are called today.

Provisioners, AWSNodeTemplates, Machines and the kinds of `v1beta1` are converted together, because
pools and classes exchange fields. Nodes and pods that speak of them by their old names are read under
the new ones. Whoever took the snapshot is told what was converted, and what has no meaning today.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

import msgspec

from nodewright.convert.notes import LOST, REFUSED, Note
from nodewright.convert.renames import (
    ANNOTATIONS,
    rename_annotations,
    rename_label,
    rename_metadata,
    rename_requirement,
    rename_taint,
)
from nodewright.convert.stream import LegacyObject, Made, convert_legacy
from nodewright.model.kinds import BY_STRUCT, LEGACY
from nodewright.model.legacy import PROVISIONER_NAME
from nodewright.model.metadata import NodeSelectorTerm
from nodewright.model.node import Node
from nodewright.model.pod import NodeAffinity, Pod, PodSpec

LEGACY_KINDS: Final = cast(
    "Mapping[tuple[str, str], type[LegacyObject]]",
    {(one.api_version, one.kind): one.struct for one in LEGACY},
)


class Found(msgspec.Struct, frozen=True):
    """An older object and where in the snapshot it is."""

    object: LegacyObject
    path: str

    @property
    def source(self) -> str:
        """The name that a conversion calls it by."""
        return f"{BY_STRUCT[type(self.object)].kind}/{self.object.metadata.name}"


class Today(msgspec.Struct, frozen=True):
    """What older objects became, each with the place it came from, and what to say about it."""

    made: tuple[tuple[Made, str], ...]
    warnings: tuple[str, ...]


def bring_up_to_date(found: Sequence[Found], existing: Iterable[str]) -> Today:
    """Convert older objects; `existing` names the objects of today (`NodePool/default`)."""
    conversion = convert_legacy([one.object for one in found], existing=existing)
    paths = {one.source: one.path for one in found}
    targets: dict[str, list[str]] = {}
    for made in conversion.made:
        kind = BY_STRUCT[type(made.object)].kind
        targets.setdefault(made.source, []).append(f"{kind} {made.object.metadata.name}")
    warnings = [_warning(one, targets.get(one.source, [])) for one in found]
    warnings += [
        f"{_place(note, paths)}: {note.message}"
        for note in conversion.notes
        if note.kind in (LOST, REFUSED)
    ]
    made_at = tuple((made, paths[made.source]) for made in conversion.made)
    return Today(made_at, tuple(warnings))


def _warning(one: Found, targets: Sequence[str]) -> str:
    kind = BY_STRUCT[type(one.object)]
    name = f"{kind.kind} {one.object.metadata.name} of {kind.api_version}"
    if not targets:
        return f"{one.path}: {name} could not be converted; left out"
    return f"{one.path}: {name} is planned with as {' and '.join(targets)}"


def _place(note: Note, paths: dict[str, str]) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in note.path)
    return f"{paths[note.source]}{''.join(steps)}"


def rename_on_node(node: Node) -> Node:
    """Give a node with today's names of labels and taints."""
    return msgspec.structs.replace(
        node,
        metadata=rename_metadata(node.metadata),
        spec=msgspec.structs.replace(
            node.spec, taints=tuple(rename_taint(taint) for taint in node.spec.taints)
        ),
    )


def rename_on_pod(pod: Pod) -> Pod:
    """Give a pod that asks for nodes and for peace under today's names."""
    metadata = pod.metadata
    if not metadata.annotations.keys().isdisjoint(ANNOTATIONS):
        annotations = rename_annotations(metadata.annotations)
        metadata = msgspec.structs.replace(metadata, annotations=annotations)
    spec = _renamed_spec(pod.spec)
    if metadata is pod.metadata and spec is pod.spec:
        return pod
    return msgspec.structs.replace(pod, metadata=metadata, spec=spec)


def _renamed_spec(spec: PodSpec) -> PodSpec:
    if PROVISIONER_NAME in spec.node_selector:
        selector = {rename_label(key): value for key, value in spec.node_selector.items()}
        spec = msgspec.structs.replace(spec, node_selector=selector)
    affinity = spec.affinity.node_affinity if spec.affinity else None
    if spec.affinity is None or affinity is None or not _names_a_provisioner(affinity):
        return spec
    required = affinity.required
    renamed = NodeAffinity(
        required=required
        and msgspec.structs.replace(
            required, node_selector_terms=tuple(map(_renamed_term, required.node_selector_terms))
        ),
        preferred=tuple(
            msgspec.structs.replace(one, preference=_renamed_term(one.preference))
            for one in affinity.preferred
        ),
    )
    return msgspec.structs.replace(
        spec, affinity=msgspec.structs.replace(spec.affinity, node_affinity=renamed)
    )


def _names_a_provisioner(affinity: NodeAffinity) -> bool:
    terms = [one.preference for one in affinity.preferred]
    if affinity.required is not None:
        terms += affinity.required.node_selector_terms
    return any(
        expression.key == PROVISIONER_NAME
        for term in terms
        for expression in term.match_expressions
    )


def _renamed_term(term: NodeSelectorTerm) -> NodeSelectorTerm:
    return msgspec.structs.replace(
        term, match_expressions=tuple(map(rename_requirement, term.match_expressions))
    )
