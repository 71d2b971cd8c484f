"""Finds what the controller of a cluster has made on its way: profiles for classes, and launch templates.

Such a thing carries our tag. A profile is used as long as a machine has it.
"""

from typing import Final

from nodewright.aws.tags import OURS, read_tags
from nodewright.install.asking import Asking
from nodewright.install.found import MadeProfile
from nodewright.install.names import Names
from nodewright.model.labels import EC2NODECLASS

BY_PROFILE: Final = "iam-instance-profile.arn"
_LIVING: Final = ["pending", "running", "shutting-down", "stopping", "stopped"]


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
        used = await machine_with(asking, BY_PROFILE, [str(one["Arn"])])
        profiles.append(MadeProfile(name, tags.get(EC2NODECLASS, ""), roles, used))
    ours = [{"Name": f"tag:{OURS}", "Values": [names.cluster]}]
    found = await asking.list("ec2.DescribeLaunchTemplates", "LaunchTemplates", Filters=ours)
    templates = sorted(str(one["LaunchTemplateId"]) for one in found)
    return tuple(profiles), tuple(templates)


async def machine_with(asking: Asking, name: str, values: list[str]) -> str:
    """Say which machine uses a thing, by the filter that finds such machines; nothing if none does."""
    if not values:
        return ""
    filters = [
        {"Name": name, "Values": values},
        {"Name": "instance-state-name", "Values": _LIVING},
    ]
    told = await asking.list("ec2.DescribeInstances", "Reservations", Filters=filters)
    machines = [one["InstanceId"] for group in told for one in group["Instances"]]
    return f"machine {machines[0]} uses it" if machines else ""
