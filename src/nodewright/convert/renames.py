"""Names that changed: labels, annotations, taints and conditions of the first resources."""

from typing import Final

import msgspec

from nodewright.model.hashing import (
    EC2NODECLASS_HASH,
    EC2NODECLASS_HASH_VERSION,
    NODEPOOL_HASH,
    NODEPOOL_HASH_VERSION,
)
from nodewright.model.labels import DISRUPTED_TAINT, DO_NOT_DISRUPT, NODEPOOL, normalize_key
from nodewright.model.legacy import PROVISIONER_NAME
from nodewright.model.metadata import Condition, NodeSelectorRequirement, ObjectMeta, Taint

LABELS: Final = {PROVISIONER_NAME: NODEPOOL}
ANNOTATIONS: Final = {
    "karpenter.sh/do-not-evict": DO_NOT_DISRUPT,
    "karpenter.sh/do-not-consolidate": DO_NOT_DISRUPT,
    "karpenter.sh/provisioner-hash": NODEPOOL_HASH,
    "karpenter.sh/provisioner-hash-version": NODEPOOL_HASH_VERSION,
    "karpenter.k8s.aws/nodetemplate-hash": EC2NODECLASS_HASH,
    "karpenter.k8s.aws/nodetemplate-hash-version": EC2NODECLASS_HASH_VERSION,
}
OLD_DISRUPTION_TAINT: Final = "karpenter.sh/disruption"
_CONDITION_PREFIX: Final = "Machine"
_OWNER_KINDS: Final = {"Provisioner": "NodePool", "Machine": "NodeClaim"}


def rename_label(key: str) -> str:
    """Give today's name of a label key, deprecated Kubernetes keys included."""
    return LABELS.get(key) or normalize_key(key)


def rename_labels(labels: dict[str, str]) -> dict[str, str]:
    """Give labels under today's names; a label that already has its new name wins."""
    return _renamed(labels, {key: rename_label(key) for key in labels})


def rename_annotations(annotations: dict[str, str]) -> dict[str, str]:
    """Give annotations under today's names; one that already has its new name wins."""
    return _renamed(annotations, ANNOTATIONS)


def _renamed(entries: dict[str, str], names: dict[str, str]) -> dict[str, str]:
    renamed = {names[key]: value for key, value in entries.items() if names.get(key, key) != key}
    return renamed | {key: value for key, value in entries.items() if names.get(key, key) == key}


def rename_metadata(metadata: ObjectMeta) -> ObjectMeta:
    """Give an object's metadata under today's names; owners keep their identity."""
    owners = tuple(
        msgspec.structs.replace(owner, kind=_OWNER_KINDS.get(owner.kind, owner.kind))
        for owner in metadata.owner_references
    )
    return msgspec.structs.replace(
        metadata,
        labels=rename_labels(metadata.labels),
        annotations=rename_annotations(metadata.annotations),
        owner_references=owners,
    )


def rename_taint(taint: Taint) -> Taint:
    """Give today's taint for the old mark of a node that is being disrupted."""
    if taint.key == OLD_DISRUPTION_TAINT and taint.value == "disrupting":
        return Taint(key=DISRUPTED_TAINT, effect="NoSchedule", time_added=taint.time_added)
    return taint


def rename_requirement(requirement: NodeSelectorRequirement) -> NodeSelectorRequirement:
    """Give a requirement on today's name of its label."""
    key = rename_label(requirement.key)
    if key == requirement.key:
        return requirement
    return msgspec.structs.replace(requirement, key=key)


def rename_condition(condition: Condition) -> Condition:
    """Give a condition without the word Machine in front."""
    name = condition.type.removeprefix(_CONDITION_PREFIX) or condition.type
    return msgspec.structs.replace(condition, type=name)
