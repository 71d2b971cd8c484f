"""Access entries: who may come in without aws-auth, and with which of EKS's policies."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.eks.clusters import MODES, Extras, extras
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles
from nodewright.sandbox.aws.sts import find_role

ADMIN_POLICY: Final = "AmazonEKSClusterAdminPolicy"
POLICIES: Final = (
    "AmazonEKSAdminPolicy", "AmazonEKSAdminViewPolicy", ADMIN_POLICY, "AmazonEKSEditPolicy",
    "AmazonEKSViewPolicy",
)  # fmt: skip
TYPES: Final = ("STANDARD", "EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "EC2")
_NODE_USER: Final = "system:node:{{EC2PrivateDNSName}}"
_NODE_GROUPS: Final = {
    "EC2_LINUX": ["system:nodes"],
    "EC2_WINDOWS": ["eks:kube-proxy-windows", "system:nodes"],
    "FARGATE_LINUX": ["system:bootstrappers", "system:nodes", "system:node-proxier"],
}
_PAGE: Final = 100


def add_entry(account: Account, region: str, name: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """Make an access entry."""
    more = extras(account, region, name)
    arn = str(wanted["principalArn"])
    kind = str(wanted.get("type") or "STANDARD")
    if kind not in TYPES:
        raise AwsError("InvalidParameterException", f"The type {kind} is not valid")
    if arn in more.entries:
        raise AwsError(
            "ResourceInUseException",
            "The specified access entry resource is already in use on this cluster.",
            409,
        )
    if ":role/" in arn and find_role(account, arn) is None:
        raise AwsError(
            "InvalidParameterException", "The specified principalArn is invalid: invalid principal."
        )
    is_node = kind != "STANDARD"
    if is_node and wanted.get("kubernetesGroups"):
        raise AwsError(
            "InvalidRequestException",
            f"The kubernetesGroups cannot be set for an access entry of type {kind}",
        )
    now = moment(account.clock.now_ms())
    kind_of_principal, _, rest = arn.split(":", 5)[5].partition("/")
    session = (
        f"arn:{account.partition}:sts::{account.account_id}:assumed-role/{rest}/{{{{SessionName}}}}"
    )
    user = session if kind_of_principal == "role" else arn
    entry = {
        "clusterName": name,
        "principalArn": arn,
        "kubernetesGroups": _NODE_GROUPS.get(kind) or list(wanted.get("kubernetesGroups") or ()),
        "accessEntryArn": f"arn:{account.partition}:eks:{region}:{account.account_id}:access-entry/"
        f"{name}/{kind_of_principal}/{account.account_id}/{rest}/{account.number():08x}",
        "createdAt": now,
        "modifiedAt": now,
        "tags": dict(wanted.get("tags") or {}),
        "username": _NODE_USER if is_node else str(wanted.get("username") or user),
        "type": kind,
    }
    more.entries[arn] = entry
    return entry


def add_policy(account: Account, more: Extras, arn: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """Give an entry one of EKS's policies."""
    now = moment(account.clock.now_ms())
    policy: dict[str, Any] = {
        "policyArn": str(wanted["policyArn"]),
        "accessScope": {"namespaces": [], **wanted["accessScope"]},
        "associatedAt": now,
        "modifiedAt": now,
    }
    more.policies.setdefault(arn, {})[policy["policyArn"]] = policy
    return policy


@handles("eks", "CreateAccessEntry")
def create_entry(account: Account, call: Call) -> dict[str, Any]:
    """Make an access entry, where the cluster takes them."""
    name = str(call.params["clusterName"])
    _require_mode(extras(account, call.region, name))
    return {"accessEntry": add_entry(account, call.region, name, call.params)}


@handles("eks", "DescribeAccessEntry", "UpdateAccessEntry")
def describe_entry(account: Account, call: Call) -> dict[str, Any]:
    """Describe an access entry, after changing it if asked."""
    _, entry = _find(account, call)
    if call.operation.startswith("Update"):
        for one in ("kubernetesGroups", "username"):
            if call.params.get(one) is not None:
                entry[one] = call.params[one]
        entry["modifiedAt"] = moment(account.clock.now_ms())
    return {"accessEntry": entry}


@handles("eks", "DeleteAccessEntry")
def delete_entry(account: Account, call: Call) -> dict[str, Any]:
    """Take an access entry away."""
    more, entry = _find(account, call)
    del more.entries[entry["principalArn"]]
    more.policies.pop(entry["principalArn"], None)
    return {}


@handles("eks", "ListAccessEntries")
def list_entries(account: Account, call: Call) -> dict[str, Any]:
    """List the principals that have an entry."""
    more = extras(account, call.region, str(call.params["clusterName"]))
    _require_mode(more)
    wanted = call.params.get("associatedPolicyArn")
    names = [
        one for one in sorted(more.entries) if not wanted or wanted in more.policies.get(one, {})
    ]
    size = int(call.params.get("maxResults") or _PAGE)
    some, token = page(names, call.params.get("nextToken"), size, "InvalidParameterException")
    return with_token({"accessEntries": some}, "nextToken", token)


@handles("eks", "AssociateAccessPolicy")
def associate_policy(account: Account, call: Call) -> dict[str, Any]:
    """Give an entry one of EKS's policies."""
    more, entry = _find(account, call)
    if str(call.params["policyArn"]).rsplit("/", 1)[-1] not in POLICIES:
        raise AwsError("InvalidParameterException", "The policyArn parameter format is not valid")
    if entry["type"] != "STANDARD":
        raise AwsError(
            "InvalidRequestException", "Only an access entry of type STANDARD takes a policy"
        )
    policy = add_policy(account, more, entry["principalArn"], call.params)
    return {
        "clusterName": entry["clusterName"],
        "principalArn": entry["principalArn"],
        "associatedAccessPolicy": policy,
    }


@handles("eks", "DisassociateAccessPolicy")
def disassociate_policy(account: Account, call: Call) -> dict[str, Any]:
    """Take a policy from an entry."""
    more, entry = _find(account, call)
    more.policies.get(entry["principalArn"], {}).pop(str(call.params["policyArn"]), None)
    return {}


@handles("eks", "ListAssociatedAccessPolicies")
def list_associated(account: Account, call: Call) -> dict[str, Any]:
    """List the policies of an entry."""
    more, entry = _find(account, call)
    return {
        "clusterName": entry["clusterName"],
        "principalArn": entry["principalArn"],
        "associatedAccessPolicies": list(more.policies.get(entry["principalArn"], {}).values()),
    }


@handles("eks", "ListAccessPolicies")
def list_policies(account: Account, call: Call) -> dict[str, Any]:
    """List EKS's policies."""
    del call
    root = f"arn:{account.partition}:eks::aws:cluster-access-policy"
    return {"accessPolicies": [{"name": one, "arn": f"{root}/{one}"} for one in POLICIES]}


def _require_mode(more: Extras) -> None:
    if more.access.get("authenticationMode", MODES[0]) == MODES[0]:
        raise AwsError(
            "InvalidRequestException",
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to "
            "perform this operation.",
        )


def _find(account: Account, call: Call) -> tuple[Extras, dict[str, Any]]:
    more = extras(account, call.region, str(call.params["clusterName"]))
    _require_mode(more)
    entry = more.entries.get(str(call.params["principalArn"]))
    if entry is None:
        raise AwsError(
            "ResourceNotFoundException",
            "The specified principalArn could not be found. You can view your available access "
            "entries with 'list-access-entries'.",
            404,
        )
    return more, entry
