"""The objects of a stream as rules look at them: the same questions to every era of the API.

A NodePool of v1, one of v1beta1 and a Provisioner of v1alpha5 put the same wishes in different
places. A view knows the places, keeps the paths for findings, and takes whatever is written: a view
never fails, since the rule about types has already said what is wrong.
"""

from functools import cached_property
from typing import Any, Final, Literal

import msgspec

from nodewright.lint.raw import dig, items, mapping, text, word
from nodewright.model.labels import (
    ARCH,
    AWS_GROUP,
    CAPACITY_TYPE,
    INSTANCE_TYPE,
    ON_DEMAND,
    OS,
    normalize_key,
)
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.path import Path
from nodewright.model.requirements import BadRequirement, Requirement, read_requirement
from nodewright.state.manifests import Manifest

type Era = Literal["v1", "v1beta1", "v1alpha"]

POOL_KINDS: Final[dict[tuple[str, str], Era]] = {
    ("karpenter.sh/v1", "NodePool"): "v1",
    ("karpenter.sh/v1beta1", "NodePool"): "v1beta1",
    ("karpenter.sh/v1alpha5", "Provisioner"): "v1alpha",
}
CLASS_KINDS: Final[dict[tuple[str, str], Era]] = {
    ("karpenter.k8s.aws/v1", "EC2NodeClass"): "v1",
    ("karpenter.k8s.aws/v1beta1", "EC2NodeClass"): "v1beta1",
    ("karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate"): "v1alpha",
}
CATEGORY: Final = f"{AWS_GROUP}/instance-category"
FAMILY: Final = f"{AWS_GROUP}/instance-family"
GENERATION: Final = f"{AWS_GROUP}/instance-generation"
_DEFAULTS: Final = ((OS, "linux"), (ARCH, "amd64"), (CAPACITY_TYPE, ON_DEMAND))
_MACHINE_KEYS: Final = {INSTANCE_TYPE, FAMILY, CATEGORY, GENERATION}
_TEMPLATE: Final[Path] = ("spec", "template", "spec")
POD_PATHS: Final[dict[str, Path]] = {
    "Pod": ("spec",),
    "Deployment": _TEMPLATE,
    "ReplicaSet": _TEMPLATE,
    "StatefulSet": _TEMPLATE,
    "DaemonSet": _TEMPLATE,
    "Job": _TEMPLATE,
    "CronJob": ("spec", "jobTemplate", *_TEMPLATE),
}
_GROUPS: Final = {"Pod": ("v1",), "Job": ("batch/v1",), "CronJob": ("batch/v1",)}


class Wish(msgspec.Struct, frozen=True):
    """One requirement as written: its place, key, operator and values as text."""

    path: Path
    key: str
    operator: str
    values: tuple[str, ...]
    min_values: int | None = None
    is_default: bool = False

    @property
    def known_key(self) -> str:
        """The key by its name of today."""
        return normalize_key(self.key)

    def read(self) -> Requirement | None:
        """Give the set of values that it allows, or nothing where it cannot be read."""
        expression = NodeSelectorRequirement(self.key, self.operator, self.values, self.min_values)
        try:
            return read_requirement(expression)
        except BadRequirement:
            return None

    def __str__(self) -> str:
        """Write it as people say it: `zone In [a, b]`."""
        values = f" [{', '.join(self.values)}]" if self.values else ""
        added = " (the default of its time)" if self.is_default else ""
        return f"{self.key} {self.operator}{values}{added}"


def read_wishes(value: Any, at: Path) -> tuple[Wish, ...]:
    """Read a list of requirements or match expressions."""
    return tuple(
        Wish(
            (*at, index),
            text(entry.get("key")),
            text(entry.get("operator")),
            tuple(word(one) for one in items(entry.get("values"))),
            entry["minValues"] if isinstance(entry.get("minValues"), int) else None,
        )
        for index, entry in enumerate(items(value))
        if isinstance(entry, dict)
    )


class Pool(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A NodePool or Provisioner."""

    manifest: Manifest
    era: Era

    @property
    def name(self) -> str:
        """Its name."""
        return self.manifest.name

    @property
    def spec(self) -> dict[str, Any]:
        """Its whole spec."""
        return mapping(self.manifest.raw.get("spec"))

    @property
    def at(self) -> Path:
        """Where the wishes about nodes stand."""
        return ("spec",) if self.era == "v1alpha" else ("spec", "template", "spec")

    @cached_property
    def node(self) -> dict[str, Any]:
        """The wishes about nodes."""
        return mapping(dig(self.manifest.raw, self.at))

    @cached_property
    def wishes(self) -> tuple[Wish, ...]:
        """Its requirements."""
        return read_wishes(self.node.get("requirements"), (*self.at, "requirements"))

    @cached_property
    def effective_wishes(self) -> tuple[Wish, ...]:
        """Its requirements, with those that the webhooks of its time added."""
        if self.era != "v1alpha":
            return self.wishes
        known = {wish.known_key for wish in self.wishes} | set(map(normalize_key, self.labels))
        path = (*self.at, "requirements")
        added: list[tuple[str, str, tuple[str, ...]]] = [
            (key, "In", (value,)) for key, value in _DEFAULTS if key not in known
        ]
        if not known & _MACHINE_KEYS:
            added += [(CATEGORY, "In", ("c", "m", "r")), (GENERATION, "Gt", ("2",))]
        defaults = (Wish(path, *one, is_default=True) for one in added)
        return (*self.wishes, *defaults)

    @property
    def labels_at(self) -> Path:
        """Where the labels of its nodes stand."""
        return (
            ("spec", "labels")
            if self.era == "v1alpha"
            else ("spec", "template", "metadata", "labels")
        )

    @property
    def labels(self) -> dict[str, Any]:
        """The labels of its nodes."""
        return mapping(dig(self.manifest.raw, self.labels_at))

    def taints(self, field: str = "taints") -> tuple[tuple[Path, dict[str, Any]], ...]:
        """Its taints (or startupTaints), each with its place."""
        return tuple(
            ((*self.at, field, index), taint)
            for index, taint in enumerate(items(self.node.get(field)))
            if isinstance(taint, dict)
        )

    @property
    def class_path(self) -> Path:
        """Where the name of its class stands."""
        if self.era == "v1alpha":
            return ("spec", "providerRef", "name")
        return (*self.at, "nodeClassRef", "name")

    @property
    def class_name(self) -> str:
        """The name of its class, or nothing."""
        return text(dig(self.manifest.raw, self.class_path))

    @property
    def is_of_ec2(self) -> bool:
        """Whether its class is an EC2NodeClass (or AWSNodeTemplate), as far as it says."""
        if self.era == "v1alpha":
            return True
        kind = dig(self.manifest.raw, (*self.at, "nodeClassRef", "kind"))
        return kind in (None, "", "EC2NodeClass")

    @property
    def limits(self) -> Any:
        """Its limits as written."""
        if self.era == "v1alpha":
            return dig(self.spec, ("limits", "resources"))
        return self.spec.get("limits")

    @property
    def weight(self) -> int:
        """Its weight; unset counts as 0."""
        weight = self.spec.get("weight")
        return weight if isinstance(weight, int) else 0

    @property
    def is_static(self) -> bool:
        """Whether it keeps a fixed number of nodes."""
        return self.spec.get("replicas") is not None


class NodeClass(msgspec.Struct, frozen=True, eq=False, dict=True):
    """An EC2NodeClass or AWSNodeTemplate."""

    manifest: Manifest
    era: Era

    @property
    def name(self) -> str:
        """Its name."""
        return self.manifest.name

    @property
    def spec(self) -> dict[str, Any]:
        """Its whole spec."""
        return mapping(self.manifest.raw.get("spec"))


class PodView(msgspec.Struct, frozen=True, eq=False):
    """A pod, or the pod that a workload makes."""

    manifest: Manifest
    path: Path

    @property
    def spec(self) -> dict[str, Any]:
        """The pod's spec."""
        return mapping(dig(self.manifest.raw, self.path))

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata that the pod gets."""
        return mapping(dig(self.manifest.raw, (*self.path[:-1], "metadata")))

    @property
    def metadata_path(self) -> Path:
        """Where that metadata stands."""
        return (*self.path[:-1], "metadata")

    @property
    def tolerations(self) -> list[Any]:
        """Its tolerations."""
        return items(self.spec.get("tolerations"))


def pod_path(manifest: Manifest) -> Path | None:
    """Tell where the pod of a workload stands, or nothing if the object makes no pods."""
    groups = _GROUPS.get(manifest.kind, ("apps/v1",))
    return POD_PATHS.get(manifest.kind) if manifest.api_version in groups else None
