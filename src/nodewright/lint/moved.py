"""Fields that moved or went between the versions of the API, and where they are today."""

from typing import Final

from nodewright.model.path import Path

_POOL: Final = {
    "providerRef": "v1 names the class in spec.template.spec.nodeClassRef",
    "provider": "v1 has no inline provider: make an EC2NodeClass",
    "requirements": "in a NodePool requirements stand in spec.template.spec.requirements",
    "taints": "in a NodePool taints stand in spec.template.spec.taints",
    "startupTaints": "in a NodePool startup taints stand in spec.template.spec.startupTaints",
    "labels": "in a NodePool labels stand in spec.template.metadata.labels",
    "annotations": "in a NodePool annotations stand in spec.template.metadata.annotations",
    "kubeletConfiguration": "v1 has kubelet settings in the EC2NodeClass (spec.kubelet)",
    "kubelet": "v1 has kubelet settings in the EC2NodeClass (spec.kubelet)",
    "consolidation": "v1 has spec.disruption.consolidationPolicy and consolidateAfter",
    "ttlSecondsAfterEmpty": "v1: spec.disruption with consolidationPolicy WhenEmpty and consolidateAfter",
    "ttlSecondsUntilExpired": "v1 has spec.template.spec.expireAfter",
    "expireAfter": "v1 has it in spec.template.spec.expireAfter",
    "apiVersion": "v1 has group (karpenter.k8s.aws) in its place",
    "nodeClassRef": "it belongs into spec.template.spec.nodeClassRef",
    "limits": "limits stand in spec.limits",
    "resources": "v1 lists resources right under spec.limits",
}
_CLASS: Final = {
    "subnetSelector": "v1 has a list of terms: subnetSelectorTerms, each with tags or an id",
    "securityGroupSelector": "v1 has a list of terms: securityGroupSelectorTerms",
    "amiSelector": "v1 has a list of terms: amiSelectorTerms, each with alias, id, name or tags",
    "launchTemplate": "v1 has no launch templates of your own: write its parts into the class",
    "launchTemplateName": "v1 has no launch templates of your own: write its parts into the class",
    "kubeletConfiguration": "it is called kubelet here",
}
_BETA_POOL: Final = {
    "expireAfter": "v1beta1 has it in spec.disruption.expireAfter",
    "group": "v1beta1 has apiVersion in its place",
}


def advice_on(kind: str, api_version: str, path: Path) -> str:
    """Say where a field that is unknown here stands today, or nothing."""
    name = str(path[-1])
    if kind == "NodePool":
        table = _BETA_POOL if api_version.endswith("beta1") else _POOL
        return table.get(name, "")
    if kind == "EC2NodeClass":
        return _CLASS.get(name, "")
    return ""
