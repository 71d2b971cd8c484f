"""Karpenter's older objects: Provisioners, templates and the kinds of `v1beta1`."""

import msgspec

from nodewright.model.kinds import BY_NAME, SETTINGS


def an_object(api_version, kind, name, **fields):
    known = BY_NAME.get((api_version, kind), SETTINGS)
    return msgspec.convert({"metadata": {"name": name}, **fields}, known.struct)


def a_provisioner(name="default", **spec):
    spec.setdefault("providerRef", {"name": "default"})
    spec = {key: value for key, value in spec.items() if value is not None}
    return an_object("karpenter.sh/v1alpha5", "Provisioner", name, spec=spec)


def a_template(name="default", **spec):
    spec = {
        "subnetSelector": {"karpenter.sh/discovery": "c"},
        "securityGroupSelector": {"karpenter.sh/discovery": "c"},
        **spec,
    }
    spec = {key: value for key, value in spec.items() if value is not None}
    return an_object("karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate", name, spec=spec)


def a_beta_pool(name="default", disruption=None, **template):
    template.setdefault(
        "nodeClassRef", {"apiVersion": "karpenter.k8s.aws/v1beta1", "name": "default"}
    )
    spec = {"template": {"spec": template}, "disruption": disruption or {}}
    return an_object("karpenter.sh/v1beta1", "NodePool", name, spec=spec)


def a_beta_class(name="default", **spec):
    spec = {"amiFamily": "AL2", "role": "r", **spec}
    return an_object("karpenter.k8s.aws/v1beta1", "EC2NodeClass", name, spec=spec)
