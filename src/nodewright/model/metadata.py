"""The parts that all Kubernetes objects share: names, labels, owners, selectors, taints, conditions.

Structs are narrow on purpose: only fields that a decision reads. Decoding skips the rest, which is
where the speed of reading a large cluster comes from.
"""

from typing import Literal

import msgspec


class Struct(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A frozen value with Kubernetes' spelling of its fields."""


class OwnerReference(Struct, frozen=True):
    """Who made an object."""

    kind: str
    name: str
    api_version: str = ""
    uid: str = ""
    controller: bool = False
    block_owner_deletion: bool = False


class ObjectMeta(Struct, frozen=True):
    """Name, labels and life of an object."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: tuple[OwnerReference, ...] = ()
    finalizers: tuple[str, ...] = ()
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None


class LabelSelectorRequirement(Struct, frozen=True):
    """One expression of a label selector."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class LabelSelector(Struct, frozen=True):
    """A label selector: all labels and all expressions must hold; empty selects everything."""

    match_labels: dict[str, str] = {}
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()


type TaintEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class Taint(Struct, frozen=True):
    """A mark on a node that keeps pods away that do not tolerate it."""

    key: str
    effect: str = ""
    value: str = ""
    time_added: str | None = None


class Toleration(Struct, frozen=True):
    """What a pod puts up with. An empty key with Exists tolerates everything."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class Condition(Struct, frozen=True):
    """A status condition of any object."""

    type: str
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None
    observed_generation: int | None = None


class NodeSelectorRequirement(Struct, frozen=True):
    """One expression on node labels, as pods, volumes, pools and instance types write it."""

    key: str
    operator: str
    values: tuple[str, ...] = ()
    min_values: int | None = None


class NodeSelectorTerm(Struct, frozen=True):
    """Expressions that must all hold."""

    match_expressions: tuple[NodeSelectorRequirement, ...] = ()
    match_fields: tuple[NodeSelectorRequirement, ...] = ()
