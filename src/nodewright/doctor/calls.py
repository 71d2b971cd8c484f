"""Every call that doctor makes of AWS: those of an installation, more to look with, and more to mend with."""

from typing import Final

from nodewright.aws.calls import Call
from nodewright.install.calls import TABLE as INSTALLING
from nodewright.install.calls import Entry, Scope

_ACTIONS: Final = {"elb": "elasticloadbalancing", "elbv2": "elasticloadbalancing"}
_LOOKS: Final[dict[str, tuple[str, ...]]] = {
    "ec2": (
        "DescribeImages",
        "DescribeNetworkInterfaces",
        "DescribeRouteTables",
        "DescribeVolumes",
        "DescribeVpcEndpoints",
        "GetConsoleOutput",
        "GetEbsDefaultKmsKeyId",
        "GetEbsEncryptionByDefault",
    ),
    "eks": ("DescribeAddonVersions",),
    "elb": ("DescribeInstanceHealth", "DescribeLoadBalancers", "DescribeTags"),
    "elbv2": ("DescribeLoadBalancers", "DescribeTags"),
    "iam": ("GetRolePolicy", "ListRolePolicies"),
    "kms": ("DescribeKey", "GetKeyPolicy"),
    "ssm": ("GetParameter",),
}
_MENDS: Final[dict[str, tuple[str, ...]]] = {
    "ec2": (
        "AuthorizeSecurityGroupEgress",
        "AuthorizeSecurityGroupIngress",
        "RevokeSecurityGroupEgress",
        "RevokeSecurityGroupIngress",
    ),
    "eks": ("UpdateAccessEntry", "UpdateAddon"),
    "iam": ("DeleteRolePolicy", "PutRolePolicy"),
    "kms": ("PutKeyPolicy",),
}


def _rows(operations: dict[str, tuple[str, ...]]) -> dict[str, Entry]:
    return {
        f"{service}.{operation}": Entry(
            Call(service, operation, ()),
            ((Scope.ANYWHERE, f"{_ACTIONS.get(service, service)}:{operation}"),),
        )
        for service, names in operations.items()
        for operation in names
    }


TABLE: Final[dict[str, Entry]] = {**INSTALLING, **_rows(_LOOKS), **_rows(_MENDS)}
"""The whole table, by service and operation."""


def looking_actions() -> tuple[str, ...]:
    """Name the actions that a policy must allow for a run that changes nothing."""
    return tuple(
        sorted(
            {action for one in TABLE.values() if one.call.is_look for _, action in one.needs}
            | {"iam:SimulatePrincipalPolicy"}
        )
    )
