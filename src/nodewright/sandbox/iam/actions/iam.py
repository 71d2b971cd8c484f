"""IAM's own calls: roles, profiles, policies, providers, and the passing of roles.

Things of IAM have paths in their ARNs, so those that exist are looked up by name. To put a role into
an instance profile is to hand it to EC2, which needs `iam:PassRole` besides.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nodewright.sandbox.iam.actions.launch import passing
from nodewright.sandbox.iam.actions.needs import (
    Ask,
    Lookup,
    Need,
    Rule,
    Thing,
    look,
    need,
    new,
    read_tags,
    tag_keys,
    values,
)
from nodewright.sandbox.iam.context import Values


def _existing(kind: str, parameter: str) -> Rule:
    def rule(ask: Ask, lookup: Lookup) -> Iterator[Need]:
        for name in values(ask.params, parameter):
            thing = look(ask, lookup, f"iam:{kind}", name)
            yield need(ask, f"iam:{ask.operation}", thing=thing, keys=_keys(ask.params))

    return rule


def _made(kind: str, parameter: str) -> Rule:
    def rule(ask: Ask, _: Lookup) -> Iterator[Need]:
        name = str(ask.params.get(parameter) or "*")
        path = str(ask.params.get("Path") or "/").lstrip("/")
        made = new(ask, f"iam:{kind}", f"{path}{name}")
        yield need(ask, f"iam:{ask.operation}", thing=made, keys=_keys(ask.params))
        tags = read_tags(ask.params.get("Tags"))
        if tags and kind in _TAGGED_APART:
            # By the time it is tagged it is there, with these tags.
            tagged = Thing(made.arn, tags)
            yield need(ask, f"iam:{_TAGGED_APART[kind]}", thing=tagged, keys=tag_keys(tags))

    return rule


def _keys(params: Mapping[str, Any]) -> dict[str, Values]:
    keys: dict[str, Values] = {}
    if params.get("PolicyArn"):
        keys["iam:PolicyARN"] = str(params["PolicyArn"])
    if params.get("PermissionsBoundary"):
        keys["iam:PermissionsBoundary"] = str(params["PermissionsBoundary"])
    keys.update(tag_keys(read_tags(params.get("Tags"))))
    if params.get("TagKeys"):
        keys["aws:TagKeys"] = tuple(params["TagKeys"])
    return keys


def _add_role(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    yield from _existing("instance-profile", "InstanceProfileName")(ask, lookup)
    for role in values(ask.params, "RoleName"):
        yield passing(ask, lookup, role, "ec2.amazonaws.com")


def _provider(ask: Ask, _: Lookup) -> Iterator[Need]:
    url = str(ask.params.get("Url") or "").removeprefix("https://")
    made = new(ask, "iam:oidc-provider", url or "*")
    yield need(ask, f"iam:{ask.operation}", thing=made, keys=_keys(ask.params))


def _service_role(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    service = str(ask.params.get("AWSServiceName") or "")
    found = lookup.find("iam:service-linked-role", service)
    made = found or new(ask, "iam:role", f"aws-service-role/{service}/*")
    yield need(
        ask,
        "iam:CreateServiceLinkedRole",
        thing=Thing(made.arn),
        keys={"iam:AWSServiceName": service},
    )


def _simulation(ask: Ask, _: Lookup) -> Iterator[Need]:
    source = str(ask.params.get("PolicySourceArn") or "*")
    yield need(ask, "iam:SimulatePrincipalPolicy", source)


# Tags given at birth need a second action for these kinds.
_TAGGED_APART: Final = {
    "role": "TagRole",
    "user": "TagUser",
    "policy": "TagPolicy",
    "instance-profile": "TagInstanceProfile",
}
_BY_PARAMETER: Final = {
    ("role", "RoleName"): (
        "GetRole", "DeleteRole", "UpdateRole", "UpdateAssumeRolePolicy", "PutRolePolicy",
        "GetRolePolicy", "DeleteRolePolicy", "ListRolePolicies", "AttachRolePolicy",
        "DetachRolePolicy", "ListAttachedRolePolicies", "ListInstanceProfilesForRole", "TagRole",
        "UntagRole", "ListRoleTags", "PutRolePermissionsBoundary",
        "DeleteRolePermissionsBoundary", "DeleteServiceLinkedRole",
    ),
    ("instance-profile", "InstanceProfileName"): (
        "GetInstanceProfile", "DeleteInstanceProfile", "RemoveRoleFromInstanceProfile",
        "TagInstanceProfile", "UntagInstanceProfile", "ListInstanceProfileTags",
    ),
    ("policy", "PolicyArn"): (
        "GetPolicy", "GetPolicyVersion", "CreatePolicyVersion", "DeletePolicyVersion",
        "SetDefaultPolicyVersion", "DeletePolicy", "ListPolicyVersions", "ListEntitiesForPolicy",
        "TagPolicy", "UntagPolicy", "ListPolicyTags",
    ),
    ("user", "UserName"): (
        "GetUser", "DeleteUser", "CreateAccessKey", "DeleteAccessKey", "ListAccessKeys",
        "PutUserPolicy", "GetUserPolicy", "DeleteUserPolicy", "ListUserPolicies",
        "AttachUserPolicy", "DetachUserPolicy", "ListAttachedUserPolicies", "TagUser",
        "ListGroupsForUser",
    ),
    ("group", "GroupName"): (
        "GetGroup", "DeleteGroup", "PutGroupPolicy", "GetGroupPolicy", "DeleteGroupPolicy",
        "AttachGroupPolicy", "DetachGroupPolicy", "AddUserToGroup", "RemoveUserFromGroup",
    ),
    ("oidc-provider", "OpenIDConnectProviderArn"): (
        "GetOpenIDConnectProvider", "DeleteOpenIDConnectProvider",
        "AddClientIDToOpenIDConnectProvider", "TagOpenIDConnectProvider",
        "UpdateOpenIDConnectProviderThumbprint",
    ),
}  # fmt: skip

RULES: Final[dict[str, Rule]] = {
    **{
        f"iam.{operation}": _existing(kind, parameter)
        for (kind, parameter), operations in _BY_PARAMETER.items()
        for operation in operations
    },
    "iam.CreateRole": _made("role", "RoleName"),
    "iam.CreateUser": _made("user", "UserName"),
    "iam.CreateGroup": _made("group", "GroupName"),
    "iam.CreatePolicy": _made("policy", "PolicyName"),
    "iam.CreateInstanceProfile": _made("instance-profile", "InstanceProfileName"),
    "iam.AddRoleToInstanceProfile": _add_role,
    "iam.CreateOpenIDConnectProvider": _provider,
    "iam.CreateServiceLinkedRole": _service_role,
    "iam.SimulatePrincipalPolicy": _simulation,
}
