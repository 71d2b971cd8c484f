"""IAM beside moto's: service-linked roles with their right names, and instance profiles' tags and paths."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.pages import page
from nodewright.sandbox.aws.registry import handles

# The names that AWS gives; where a service is not here, its first word is taken.
LINKED: Final = {
    "autoscaling.amazonaws.com": "AWSServiceRoleForAutoScaling",
    "ec2fleet.amazonaws.com": "AWSServiceRoleForEC2Fleet",
    "eks-fargate.amazonaws.com": "AWSServiceRoleForAmazonEKSForFargate",
    "eks-nodegroup.amazonaws.com": "AWSServiceRoleForAmazonEKSNodegroup",
    "eks.amazonaws.com": "AWSServiceRoleForAmazonEKS",
    "elasticloadbalancing.amazonaws.com": "AWSServiceRoleForElasticLoadBalancing",
    "spot.amazonaws.com": "AWSServiceRoleForEC2Spot",
    "spotfleet.amazonaws.com": "AWSServiceRoleForEC2SpotFleet",
}
_PAGE: Final = 100


def make_linked_role(account: Account, service: str, suffix: str) -> dict[str, Any]:
    """Make a service-linked role and give it as IAM describes it."""
    word = service.partition(".")[0]
    name = LINKED.get(service, f"AWSServiceRoleFor{word.capitalize()}")
    if suffix:
        name = f"{name}_{suffix}"
    backend = account.inside.backend("iam", account.region)
    if any(one.name == name for one in backend.roles.values()):
        raise AwsError(
            "InvalidInput",
            f"Service role name {name} has been taken in this account, please try a different suffix.",
        )
    asked = {"AWSServiceName": service, **({"CustomSuffix": suffix} if suffix else {})}
    answer = account.inside.ask(account.region, "iam", "CreateServiceLinkedRole", asked)
    role = next(one for one in backend.roles.values() if one.id == answer["Role"]["RoleId"])
    role.name = name
    made: dict[str, Any] = account.inside.ask(account.region, "iam", "GetRole", {"RoleName": name})[
        "Role"
    ]
    return made


@handles("iam", "CreateServiceLinkedRole")
def create_linked_role(account: Account, call: Call) -> dict[str, Any]:
    """Make a service-linked role."""
    service = str(call.params["AWSServiceName"])
    suffix = str(call.params.get("CustomSuffix") or "")
    return {"Role": make_linked_role(account, service, suffix)}


@handles("iam", "RemoveRoleFromInstanceProfile")
def remove_role(account: Account, call: Call) -> dict[str, Any]:
    """Take a role out of an instance profile; one that is not in it is not found."""
    name, role = str(call.params["InstanceProfileName"]), str(call.params["RoleName"])
    asked = {"InstanceProfileName": name}
    profile = account.inside.ask(call.region, "iam", "GetInstanceProfile", asked)["InstanceProfile"]
    if role not in {one["RoleName"] for one in profile["Roles"]}:
        raise AwsError(
            "NoSuchEntity", f"Instance Profile {name} does not have the role {role}.", 404
        )
    account.inside.ask(call.region, "iam", "RemoveRoleFromInstanceProfile", call.params)
    return {}


@handles("iam", "ListInstanceProfileTags")
def list_profile_tags(account: Account, call: Call) -> dict[str, Any]:
    """List the tags of an instance profile."""
    asked = {"InstanceProfileName": call.params["InstanceProfileName"]}
    profile = account.inside.ask(call.region, "iam", "GetInstanceProfile", asked)["InstanceProfile"]
    tags = sorted(profile.get("Tags") or (), key=_by_key)
    size = int(call.params.get("MaxItems") or _PAGE)
    some, more = page(tags, call.params.get("Marker"), size, "InvalidInput")
    answer: dict[str, Any] = {"Tags": some, "IsTruncated": more is not None}
    return {**answer, "Marker": more} if more else answer


@handles("iam", "ListInstanceProfiles")
def list_profiles(account: Account, call: Call) -> dict[str, Any]:
    """List the instance profiles under a path, without their tags."""
    known = account.inside.ask(call.region, "iam", "ListInstanceProfiles", {})["InstanceProfiles"]
    prefix = str(call.params.get("PathPrefix") or "/")
    found = [
        {field: value for field, value in one.items() if field != "Tags"}
        for one in known
        if str(one["Path"]).startswith(prefix)
    ]
    size = int(call.params.get("MaxItems") or _PAGE)
    some, more = page(found, call.params.get("Marker"), size, "InvalidInput")
    answer: dict[str, Any] = {"InstanceProfiles": some, "IsTruncated": more is not None}
    return {**answer, "Marker": more} if more else answer


def _by_key(tag: dict[str, str]) -> str:
    return tag["Key"]
