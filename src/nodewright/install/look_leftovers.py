"""Finds what was made while clusters ran: what gone ones have left, and what our controller has made.

A node role of Karpenter is a leftover if no cluster has the name that it ends in. It is used as long as a
machine has one of its profiles. A launch template says by a tag for which cluster it was made.
"""

import re
from typing import Final

from nodewright.aws.tags import CLUSTER_NAME, OURS, read_tags
from nodewright.install.asking import Asking
from nodewright.install.found import Leftover, MadeProfile
from nodewright.install.names import Names
from nodewright.install.resources.leftovers import POLICY, PROFILE
from nodewright.model.labels import EC2NODECLASS

_ROLE: Final = re.compile(r"(?:eksctl-)?(?:Karpenter|Nodewright)NodeRole-(.+)")
_KEYS: Final = (CLUSTER_NAME, "karpenter.k8s.aws/cluster", OURS)
_PAGE: Final = 1000
_LIVING: Final = ["pending", "running", "shutting-down", "stopping", "stopped"]


async def look_leftovers(asking: Asking, clusters: frozenset[str]) -> tuple[Leftover, ...]:
    """Find the leftovers of clusters that are not among those that are there."""
    found = []
    for one in await asking.list("iam.ListRoles", "Roles", MaxItems=_PAGE):
        named = _ROLE.fullmatch(str(one["RoleName"]))
        if named and named.group(1) not in clusters:
            found.append(await _role(asking, str(one["RoleName"]), named.group(1)))
    keyed = [{"Name": "tag-key", "Values": list(_KEYS)}]
    told = await asking.list("ec2.DescribeLaunchTemplates", "LaunchTemplates", Filters=keyed)
    for one in told:
        tags = read_tags(one.get("Tags"))
        cluster = next((tags[key] for key in _KEYS if key in tags), "")
        if cluster and cluster not in clusters:
            found.append(Leftover("launch template", str(one["LaunchTemplateName"]), cluster))
    return tuple(sorted(found, key=lambda one: (one.kind, one.name)))


async def look_made(
    asking: Asking, names: Names
) -> tuple[tuple[MadeProfile, ...], tuple[str, ...]]:
    """Find the profiles and the launch templates that the controller of a cluster has made."""
    path = f"/karpenter/{names.region}/{names.cluster}/"
    listed = await asking.list("iam.ListInstanceProfiles", "InstanceProfiles", PathPrefix=path)
    profiles = []
    for one in sorted(listed, key=lambda one: str(one["InstanceProfileName"])):
        name = str(one["InstanceProfileName"])
        told = await asking.find("iam.GetInstanceProfile", InstanceProfileName=name)
        tags = read_tags((told or {}).get("InstanceProfile", {}).get("Tags"))
        if not names.is_ours(tags):
            continue
        roles = tuple(str(role["RoleName"]) for role in one.get("Roles") or ())
        used = await _used_by(asking, [str(one["Arn"])])
        profiles.append(MadeProfile(name, tags.get(EC2NODECLASS, ""), roles, used))
    ours = [{"Name": f"tag:{OURS}", "Values": [names.cluster]}]
    found = await asking.list("ec2.DescribeLaunchTemplates", "LaunchTemplates", Filters=ours)
    templates = sorted(str(one["LaunchTemplateId"]) for one in found)
    return tuple(profiles), tuple(templates)


async def _role(asking: Asking, name: str, cluster: str) -> Leftover:
    profiles = await asking.list(
        "iam.ListInstanceProfilesForRole", "InstanceProfiles", RoleName=name
    )
    attached = await asking.list("iam.ListAttachedRolePolicies", "AttachedPolicies", RoleName=name)
    parts = [f"{PROFILE}{one['InstanceProfileName']}" for one in profiles]
    parts += [f"{POLICY}{one['PolicyArn']}" for one in attached]
    used = await _used_by(asking, [str(one["Arn"]) for one in profiles])
    return Leftover("iam role", name, cluster, tuple(sorted(parts)), used)


async def _used_by(asking: Asking, profiles: list[str]) -> str:
    if not profiles:
        return ""
    filters = [
        {"Name": "iam-instance-profile.arn", "Values": profiles},
        {"Name": "instance-state-name", "Values": _LIVING},
    ]
    told = await asking.list("ec2.DescribeInstances", "Reservations", Filters=filters)
    machines = [one["InstanceId"] for group in told for one in group["Instances"]]
    return f"machine {machines[0]} uses it" if machines else ""
