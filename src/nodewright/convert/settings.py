"""The `karpenter-global-settings` ConfigMap as values; Helm values of that time have the same keys."""

import json
from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.convert.notes import CHECK, Notebook
from nodewright.model.legacy import GlobalSettings

_TRUE: Final = ("true", "1", "t")
_TEXTS: Final = {
    "clusterName": "cluster_name",
    "clusterEndpoint": "cluster_endpoint",
    "clusterCABundle": "cluster_ca_bundle",
    "defaultInstanceProfile": "default_instance_profile",
    "vmMemoryOverheadPercent": "vm_memory_overhead_percent",
    "interruptionQueueName": "interruption_queue_name",
    "assumeRoleARN": "assume_role_arn",
    "assumeRoleDuration": "assume_role_duration",
}
_FLAGS: Final = {
    "enablePodENI": "enable_pod_eni",
    "enableENILimitedPodDensity": "enable_eni_limited_pod_density",
    "isolatedVPC": "isolated_vpc",
}
_PREFIX: Final = "aws."


def read_settings(data: Mapping[str, str], book: Notebook) -> GlobalSettings:
    """Read the `aws.` keys of the ConfigMap; what cannot be read stays at its default."""
    found: dict[str, object] = {}
    for key, value in data.items():
        if not key.startswith(_PREFIX):
            continue
        name = key.removeprefix(_PREFIX)
        if name in _TEXTS and value:
            found[_TEXTS[name]] = value
        elif name in _FLAGS and value:
            found[_FLAGS[name]] = value.lower() in _TRUE
        elif name == "reservedENIs" and value.isascii() and value.isdecimal():
            found["reserved_enis"] = int(value)
        elif name == "tags" or name.startswith("tags."):
            tags = found.setdefault("tags", {})
            assert isinstance(tags, dict)
            tags.update(_read_tags(name, value, book))
    return msgspec.structs.replace(GlobalSettings(), **found)


def _read_tags(name: str, value: str, book: Notebook) -> dict[str, str]:
    if name.startswith("tags."):
        return {name.removeprefix("tags."): value}
    try:
        tags = json.loads(value or "{}")
    except ValueError:
        tags = None
    if not isinstance(tags, dict):
        book.add(CHECK, f"aws.tags is no JSON object and was left out: {value[:60]}", ("data",))
        return {}
    return {str(key): str(entry) for key, entry in tags.items()}
