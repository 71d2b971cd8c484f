"""EKS: clusters and what hangs on them, and the roles that are handed to the service."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nodewright.sandbox.iam.actions.launch import passing
from nodewright.sandbox.iam.actions.needs import (
    Ask,
    Lookup,
    Need,
    Rule,
    Thing,
    arn_of,
    look,
    need,
    new,
    read_tags,
    tag_keys,
)
from nodewright.sandbox.iam.context import Values

_CLUSTER = ("clusterName", "name")


def _on_cluster(*roles: tuple[str, str]) -> Rule:
    """Make the rule of a call on a cluster that hands the roles under some parameters to services."""

    def rule(ask: Ask, lookup: Lookup) -> Iterator[Need]:
        cluster = look(ask, lookup, "eks:cluster", _cluster_name(ask.params))
        yield need(ask, f"eks:{ask.operation}", thing=cluster, keys=_keys(ask.params))
        for parameter, service in roles:
            if ask.params.get(parameter):
                yield passing(ask, lookup, str(ask.params[parameter]), service)

    return rule


def _on_child(kind: str, parameter: str, *roles: tuple[str, str]) -> Rule:
    """Make the rule of a call on something of a cluster that exists."""

    def rule(ask: Ask, lookup: Lookup) -> Iterator[Need]:
        cluster, name = _cluster_name(ask.params), str(ask.params.get(parameter) or "*")
        thing = look(ask, lookup, f"eks:{kind}", f"{cluster}/{name}")
        if not thing.exists:
            # Its ARN ends in an id that nobody knows before it is there.
            thing = Thing(arn_of(ask, f"eks:{kind}", f"{cluster}/{_path(name)}/*"), exists=False)
        yield need(ask, f"eks:{ask.operation}", thing=thing, keys=_keys(ask.params))
        for role, service in roles:
            if ask.params.get(role):
                yield passing(ask, lookup, str(ask.params[role]), service)

    return rule


def _path(name: str) -> str:
    """Give the part of an ARN that names a child; access entries are named by kind, account and name."""
    if not name.startswith("arn:"):
        return name
    account, resource = name.split(":", 5)[4:]
    kind, _, rest = resource.partition("/")
    return f"{kind}/{account}/{rest.rsplit('/', 1)[-1]}"


def _new_cluster(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    made = new(ask, "eks:cluster", str(ask.params.get("name") or "*"))
    yield need(ask, "eks:CreateCluster", thing=made, keys=_keys(ask.params))
    if ask.params.get("roleArn"):
        yield passing(ask, lookup, str(ask.params["roleArn"]), "eks.amazonaws.com")


def _tag(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    arn = str(ask.params.get("resourceArn") or "*")
    found = lookup.find("eks:any", arn) or Thing(arn)
    keys: dict[str, Values] = dict(tag_keys(read_tags(ask.params.get("tags"))))
    if ask.params.get("tagKeys"):
        keys["aws:TagKeys"] = tuple(ask.params["tagKeys"])
    yield need(ask, f"eks:{ask.operation}", thing=found, keys=keys)


def _cluster_name(params: Mapping[str, Any]) -> str:
    return next((str(params[name]) for name in _CLUSTER if params.get(name)), "*")


def _keys(params: Mapping[str, Any]) -> dict[str, Values]:
    access = params.get("accessConfig") or {}
    keys: dict[str, Values] = {}
    for name, value in (
        ("eks:clusterName", params.get("clusterName")),
        ("eks:principalArn", params.get("principalArn")),
        ("eks:accessEntryType", params.get("type")),
        ("eks:username", params.get("username")),
        ("eks:policyArn", params.get("policyArn")),
        ("eks:accessScope", (params.get("accessScope") or {}).get("type")),
        ("eks:authenticationMode", access.get("authenticationMode")),
    ):
        if value:
            keys[name] = str(value)
    for name, several in (
        ("eks:kubernetesGroups", params.get("kubernetesGroups")),
        ("eks:namespaces", (params.get("accessScope") or {}).get("namespaces")),
    ):
        if several:
            keys[name] = tuple(several)
    keys.update(tag_keys(read_tags(params.get("tags"))))
    return keys


_EKS, _PODS = "eks.amazonaws.com", "pods.eks.amazonaws.com"
_FARGATE = "eks-fargate-pods.amazonaws.com"

RULES: Final[dict[str, Rule]] = {
    "eks.CreateCluster": _new_cluster,
    **{
        f"eks.{operation}": _on_cluster()
        for operation in (
            "DescribeCluster", "DeleteCluster", "UpdateClusterConfig", "UpdateClusterVersion",
            "ListNodegroups", "ListFargateProfiles", "ListAddons", "ListAccessEntries",
            "CreateAccessEntry", "ListPodIdentityAssociations", "DescribeUpdate", "ListUpdates",
        )
    },
    "eks.CreateNodegroup": _on_cluster(("nodeRole", _EKS)),
    "eks.CreateFargateProfile": _on_cluster(("podExecutionRoleArn", _FARGATE)),
    "eks.CreateAddon": _on_cluster(("serviceAccountRoleArn", _EKS)),
    "eks.CreatePodIdentityAssociation": _on_cluster(("roleArn", _PODS)),
    **{
        f"eks.{operation}": _on_child("nodegroup", "nodegroupName")
        for operation in (
            "DescribeNodegroup", "DeleteNodegroup", "UpdateNodegroupConfig",
            "UpdateNodegroupVersion",
        )
    },
    **{
        f"eks.{operation}": _on_child("fargateprofile", "fargateProfileName")
        for operation in ("DescribeFargateProfile", "DeleteFargateProfile")
    },
    **{
        f"eks.{operation}": _on_child("addon", "addonName", ("serviceAccountRoleArn", _EKS))
        for operation in ("DescribeAddon", "DeleteAddon", "UpdateAddon")
    },
    **{
        f"eks.{operation}": _on_child("access-entry", "principalArn")
        for operation in (
            "DescribeAccessEntry", "DeleteAccessEntry", "UpdateAccessEntry",
            "AssociateAccessPolicy", "DisassociateAccessPolicy", "ListAssociatedAccessPolicies",
        )
    },
    **{
        f"eks.{operation}": _on_child("podidentityassociation", "associationId", ("roleArn", _PODS))
        for operation in (
            "DescribePodIdentityAssociation", "DeletePodIdentityAssociation",
            "UpdatePodIdentityAssociation",
        )
    },
    "eks.TagResource": _tag,
    "eks.UntagResource": _tag,
    "eks.ListTagsForResource": _tag,
}  # fmt: skip
