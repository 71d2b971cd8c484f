"""What the chart was told, wherever it was told.

Helm values of both eras, the settings ConfigMap and the controller's own environment put it in
different places; the questions are the same: which cluster, which queue.
"""

from functools import cached_property
from typing import Any, Final

import msgspec

from nodewright.lint.raw import dig, items, mapping, word
from nodewright.lint.views import pod_path
from nodewright.model.path import Path
from nodewright.state.manifests import Manifest

SETTINGS_NAME: Final = "karpenter-global-settings"
CONTROLLERS: Final = ("karpenter", "nodewright")

_VALUES_KEYS: Final = frozenset(
    {"settings", "controller", "serviceAccount", "clusterName", "clusterEndpoint", "webhook", "aws"}
)
_POD_KEYS: Final = frozenset({"affinity", "tolerations", "replicas", "nodeSelector"})
_CLUSTER_NAMES: Final[tuple[Path, ...]] = (
    ("settings", "clusterName"),
    ("settings", "aws", "clusterName"),
    ("clusterName",),
    ("data", "aws.clusterName"),
    ("data", "clusterName"),
)
_QUEUES: Final[tuple[Path, ...]] = (
    ("settings", "interruptionQueue"),
    ("settings", "aws", "interruptionQueueName"),
    ("settings", "aws", "interruptionQueue"),
    ("data", "aws.interruptionQueueName"),
    ("data", "aws.interruptionQueue"),
)
_CLUSTER_ENV: Final = "CLUSTER_NAME"
_QUEUE_ENVS: Final = ("INTERRUPTION_QUEUE", "INTERRUPTION_QUEUE_NAME")


class ChartSettings(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One object that configures the controller."""

    manifest: Manifest
    environment: dict[str, tuple[Path, str]]

    @cached_property
    def cluster_name(self) -> tuple[Path, str]:
        """The cluster's name and where it stands; empty where it is not set."""
        return self._first(_CLUSTER_NAMES, (_CLUSTER_ENV,))

    @cached_property
    def queue(self) -> tuple[Path, str]:
        """The interruption queue and where it stands; empty where it is not set."""
        return self._first(_QUEUES, _QUEUE_ENVS)

    def _first(self, paths: tuple[Path, ...], names: tuple[str, ...]) -> tuple[Path, str]:
        for path in paths:
            if value := word(dig(self.manifest.raw, path)):
                return path, value
        for name in names:
            if name in self.environment:
                return self.environment[name]
        return (), ""


def looks_like_values(manifest: Manifest) -> bool:
    """Tell whether a document is the values of Karpenter's chart (or of ours)."""
    if manifest.kind or manifest.api_version:
        return False
    keys = set(manifest.raw)
    return bool(keys & _VALUES_KEYS) or len(keys & _POD_KEYS) >= 2


def is_controller(manifest: Manifest) -> bool:
    """Tell whether a deployment runs the autoscaler."""
    if manifest.kind != "Deployment":
        return False
    labels = mapping(dig(manifest.raw, ("metadata", "labels")))
    named = (labels.get("app.kubernetes.io/name"), manifest.name)
    return any(name in CONTROLLERS for name in named)


def find_settings(manifest: Manifest) -> ChartSettings | None:
    """Give what an object tells the controller, or nothing if it tells nothing."""
    if looks_like_values(manifest):
        return ChartSettings(manifest, {})
    if manifest.kind == "ConfigMap" and manifest.name == SETTINGS_NAME:
        return ChartSettings(manifest, {})
    if is_controller(manifest):
        return ChartSettings(manifest, _environment(manifest))
    return None


def _environment(manifest: Manifest) -> dict[str, tuple[Path, str]]:
    at = pod_path(manifest)
    if at is None:
        return {}
    found: dict[str, tuple[Path, str]] = {}
    for index, container in enumerate(items(dig(manifest.raw, (*at, "containers")))):
        for place, entry in enumerate(items(mapping(container).get("env"))):
            name: Any = mapping(entry).get("name")
            path: Path = (*at, "containers", index, "env", place, "value")
            if isinstance(name, str):
                found[name] = (path, word(mapping(entry).get("value")))
    return found
