"""Manifests as people write them, and what lint says of them."""

from textwrap import dedent

import yaml

from nodewright.lint.engine import lint
from nodewright.lint.stream import Told
from nodewright.state.manifests import read_manifests


def a_manifest(api_version, kind, name, **fields):
    """Give an object as text."""
    value = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}
    return yaml.safe_dump(value, sort_keys=False)


def a_requirement(key, *values, operator="In", **more):
    """Give one requirement."""
    return {"key": key, "operator": operator, "values": list(values), **more}


GENERAL = (
    a_requirement("karpenter.k8s.aws/instance-category", "c", "m", "r"),
    a_requirement("karpenter.k8s.aws/instance-generation", "4", operator="Gt"),
)


def a_pool_text(name="general", requirements=GENERAL, template=None, labels=None, **spec):
    """Give a healthy NodePool of v1 as text; what is named replaces what is healthy."""
    inner = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "general"},
        "requirements": list(requirements),
        **(template or {}),
    }
    whole = {"template": {"spec": inner}, "limits": {"cpu": "1000"}, **spec}
    if labels:
        whole["template"]["metadata"] = {"labels": labels}
    whole = {key: value for key, value in whole.items() if value is not None}
    return a_manifest("karpenter.sh/v1", "NodePool", name, spec=whole)


def a_class_text(name="general", **spec):
    """Give a healthy EC2NodeClass of v1 as text."""
    whole = {
        "role": "node",
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "prod"}}],
        "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "prod"}}],
        **spec,
    }
    whole = {key: value for key, value in whole.items() if value is not None}
    return a_manifest("karpenter.k8s.aws/v1", "EC2NodeClass", name, spec=whole)


def a_provisioner_text(name="general", requirements=(), **spec):
    """Give a healthy Provisioner of v1alpha5 as text."""
    whole = {
        "providerRef": {"name": "general"},
        "requirements": list(requirements),
        "limits": {"resources": {"cpu": "1000"}},
        **spec,
    }
    whole = {key: value for key, value in whole.items() if value is not None}
    return a_manifest("karpenter.sh/v1alpha5", "Provisioner", name, spec=whole)


def a_template_text(name="general", **spec):
    """Give a healthy AWSNodeTemplate of v1alpha1 as text."""
    whole = {
        "subnetSelector": {"karpenter.sh/discovery": "prod"},
        "securityGroupSelector": {"karpenter.sh/discovery": "prod"},
        "instanceProfile": "node",
        **spec,
    }
    return a_manifest("karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate", name, spec=whole)


def a_workload_text(kind="Deployment", name="web", namespace="shop", requests=None, **pod):
    """Give a workload as text; what is named goes into its pod's spec."""
    containers = [{"name": "main", "resources": {"requests": requests or {"cpu": "1"}}}]
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers, **pod}}
    value = {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template},
    }
    return yaml.safe_dump(value, sort_keys=False)


def a_node_text(name="n1", **labels):
    """Give a Node as text; underscores in label names stand for what a name cannot hold."""
    metadata = {"name": name, "labels": labels.pop("labels", labels)}
    return yaml.safe_dump({"apiVersion": "v1", "kind": "Node", "metadata": metadata})


def read_texts(*texts):
    """Read texts as one stream."""
    stream = "---\n".join(dedent(text) for text in texts)
    return read_manifests(stream.encode(), "test.yaml")


def findings_of(*texts, region="", kubernetes=None):
    """Give what lint says of texts that are looked at together."""
    return lint(read_texts(*texts), Told(region, kubernetes_minor=kubernetes))


def codes_of(*texts, region="", kubernetes=None):
    """Give the codes that lint finds, in order."""
    return [finding.code for finding in findings_of(*texts, region=region, kubernetes=kubernetes)]


def the_finding(code, *texts, region="", kubernetes=None):
    """Give the one finding with a code."""
    found = findings_of(*texts, region=region, kubernetes=kubernetes)
    (one,) = [finding for finding in found if finding.code == code]
    return one
