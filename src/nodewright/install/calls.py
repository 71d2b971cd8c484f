"""Every call that an installation makes of AWS, with what a policy must allow for it.

As with the controller, a call is made by naming its entry, so none can be made that is not here, and the
policy of whoever installs is made from this table. The scope says on what the actions are needed.
"""

from enum import Enum
from typing import Final

import msgspec

from nodewright.aws.calls import Call


class Scope(Enum):
    """The statements of the installer's policy."""

    ANYWHERE = "ReadTheAccount"
    CLUSTER = "ReadTheCluster"
    PARTS = "ReadPartsOfTheCluster"
    IDENTITIES = "ReadIdentities"
    CALLER = "AskWhatTheCallerMay"
    ROLES = "MakeRoles"
    POLICIES = "MakePolicies"
    PROFILES = "MakeInstanceProfiles"
    PASSING = "HandRolesToServices"
    PROVIDER = "MakeTheIssuerKnown"
    SPOT = "MakeTheRoleOfSpot"
    QUEUE = "MakeTheQueue"
    QUEUES_READ = "ReadQueues"
    RULES = "MakeRules"
    RULES_READ = "ReadRules"
    ENTRANCE = "LetNodesAndPodsIn"
    NETWORK = "TagTheNetwork"
    LEFTOVERS = "RemoveLeftovers"


class Entry(msgspec.Struct, frozen=True):
    """A call, and each action that it needs with the scope of that action."""

    call: Call
    needs: tuple[tuple[Scope, str], ...]


def _rows(scope: Scope, service: str, *operations: str) -> dict[str, Entry]:
    return {
        f"{service}.{operation}": Entry(
            Call(service, operation, ()),
            ((scope, f"{service}:{operation}"), *_MORE.get(f"{service}.{operation}", ())),
        )
        for operation in operations
    }


# Tags at birth, and handing a role to a service, need actions of their own.
_MORE: Final[dict[str, tuple[tuple[Scope, str], ...]]] = {
    "iam.CreateRole": ((Scope.ROLES, "iam:TagRole"),),
    "iam.CreatePolicy": ((Scope.POLICIES, "iam:TagPolicy"),),
    "iam.CreateInstanceProfile": ((Scope.PROFILES, "iam:TagInstanceProfile"),),
    "iam.CreateOpenIDConnectProvider": ((Scope.PROVIDER, "iam:TagOpenIDConnectProvider"),),
    "iam.AddRoleToInstanceProfile": ((Scope.PASSING, "iam:PassRole"),),
    "sqs.CreateQueue": ((Scope.QUEUE, "sqs:TagQueue"),),
    "events.PutRule": ((Scope.RULES, "events:TagResource"),),
    "eks.CreateAccessEntry": ((Scope.ENTRANCE, "eks:TagResource"),),
    "eks.CreateAddon": ((Scope.ENTRANCE, "eks:TagResource"),),
    "eks.CreatePodIdentityAssociation": (
        (Scope.ENTRANCE, "eks:TagResource"),
        (Scope.PASSING, "iam:PassRole"),
    ),
    "eks.CreateFargateProfile": (
        (Scope.ENTRANCE, "eks:TagResource"),
        (Scope.PASSING, "iam:PassRole"),
    ),
}

TABLE: Final[dict[str, Entry]] = {
    # Everybody may ask who they are: no policy is needed.
    "sts.GetCallerIdentity": Entry(Call("sts", "GetCallerIdentity", ()), ()),
    **_rows(
        Scope.ANYWHERE,
        "ec2",
        "DescribeInstances",
        "DescribeLaunchTemplates",
        "DescribeLaunchTemplateVersions",
        "DescribeSecurityGroups",
        "DescribeSubnets",
    ),
    **_rows(Scope.ANYWHERE, "eks", "ListClusters"),
    **_rows(Scope.ANYWHERE, "events", "ListRuleNamesByTarget", "ListRules"),
    **_rows(
        Scope.ANYWHERE, "iam", "ListInstanceProfiles", "ListOpenIDConnectProviders", "ListRoles"
    ),
    **_rows(
        Scope.CLUSTER,
        "eks",
        "DescribeCluster",
        "ListAccessEntries",
        "ListAddons",
        "ListFargateProfiles",
        "ListNodegroups",
        "ListPodIdentityAssociations",
    ),
    **_rows(
        Scope.PARTS,
        "eks",
        "DescribeAccessEntry",
        "DescribeAddon",
        "DescribeFargateProfile",
        "DescribeNodegroup",
        "DescribePodIdentityAssociation",
    ),
    **_rows(
        Scope.IDENTITIES,
        "iam",
        "GetInstanceProfile",
        "GetOpenIDConnectProvider",
        "GetPolicy",
        "GetPolicyVersion",
        "GetRole",
        "ListAttachedRolePolicies",
        "ListInstanceProfilesForRole",
        "ListPolicyVersions",
        "ListRolePolicies",
    ),
    **_rows(Scope.CALLER, "iam", "SimulatePrincipalPolicy"),
    **_rows(
        Scope.ROLES,
        "iam",
        "AttachRolePolicy",
        "CreateRole",
        "DeleteRole",
        "DeleteRolePolicy",
        "DetachRolePolicy",
        "UpdateAssumeRolePolicy",
    ),
    **_rows(
        Scope.POLICIES,
        "iam",
        "CreatePolicy",
        "CreatePolicyVersion",
        "DeletePolicy",
        "DeletePolicyVersion",
    ),
    **_rows(
        Scope.PROFILES,
        "iam",
        "AddRoleToInstanceProfile",
        "CreateInstanceProfile",
        "DeleteInstanceProfile",
        "RemoveRoleFromInstanceProfile",
    ),
    **_rows(Scope.PROVIDER, "iam", "CreateOpenIDConnectProvider", "DeleteOpenIDConnectProvider"),
    **_rows(Scope.SPOT, "iam", "CreateServiceLinkedRole", "DeleteServiceLinkedRole"),
    **_rows(
        Scope.QUEUE,
        "sqs",
        "CreateQueue",
        "DeleteQueue",
        "SetQueueAttributes",
    ),
    **_rows(Scope.QUEUES_READ, "sqs", "GetQueueAttributes", "GetQueueUrl", "ListQueueTags"),
    **_rows(Scope.RULES, "events", "DeleteRule", "PutRule", "PutTargets", "RemoveTargets"),
    **_rows(
        Scope.RULES_READ,
        "events",
        "DescribeRule",
        "ListTagsForResource",
        "ListTargetsByRule",
    ),
    **_rows(
        Scope.ENTRANCE,
        "eks",
        "CreateAccessEntry",
        "CreateAddon",
        "CreateFargateProfile",
        "CreatePodIdentityAssociation",
        "DeleteAccessEntry",
        "DeleteAddon",
        "DeleteFargateProfile",
        "DeletePodIdentityAssociation",
        "UpdateNodegroupConfig",
        "UpdatePodIdentityAssociation",
    ),
    **_rows(Scope.NETWORK, "ec2", "CreateTags", "DeleteTags"),
    **_rows(Scope.LEFTOVERS, "ec2", "DeleteLaunchTemplate"),
}
"""The whole table, by service and operation."""
