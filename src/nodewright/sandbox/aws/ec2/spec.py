"""What is to be launched: a launch template, the call's own words and a fleet's override, merged.

The later word wins: override over call over template. Network interfaces, when given, carry groups
and subnet themselves, and then nothing else may. The template's user data, profile, volumes, metadata
options, placement, reservation and market hold as they stand.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError
from nodewright.sandbox.aws.ec2.tags import read_specifications

# Parameters of RunInstances that a launch template may hold under the same name.
_SHARED: Final[tuple[str, ...]] = (
    "BlockDeviceMappings", "CapacityReservationSpecification", "CpuOptions", "EbsOptimized",
    "IamInstanceProfile", "ImageId", "InstanceMarketOptions", "InstanceType", "KeyName",
    "MetadataOptions", "Monitoring", "NetworkInterfaces", "Placement", "SecurityGroupIds",
    "SecurityGroups", "UserData",
)  # fmt: skip


class Template(msgspec.Struct, frozen=True):
    """A version of a launch template."""

    template_id: str
    name: str
    version: str
    data: dict[str, Any]
    instance_tags: dict[str, str] = {}


class Spec(msgspec.Struct, frozen=True):
    """Everything about a launch but how many."""

    wishes: dict[str, Any]
    tags: dict[str, dict[str, str]]
    template: Template | None = None
    subnet_id: str = ""
    zone: str = ""

    @property
    def instance_type(self) -> str:
        """The type that is asked for."""
        return str(self.wishes.get("InstanceType", "m1.small"))

    @property
    def is_reserved(self) -> bool:
        """Whether it may run in a capacity reservation that it names, and nowhere else."""
        asked = self.wishes.get("CapacityReservationSpecification") or {}
        return bool(asked.get("CapacityReservationTarget"))

    @property
    def is_block(self) -> bool:
        """Whether it is bought as part of a capacity block."""
        asked = self.wishes.get("InstanceMarketOptions") or {}
        return bool(asked.get("MarketType") == "capacity-block")

    @property
    def interfaces(self) -> list[dict[str, Any]]:
        """The interfaces that are asked for, perhaps none."""
        return list(self.wishes.get("NetworkInterfaces") or ())

    @property
    def group_ids(self) -> list[str]:
        """The security groups of the first interface, perhaps none."""
        first = next(iter(self.interfaces), None)
        if first is not None and first.get("Groups"):
            return list(first["Groups"])
        return list(self.wishes.get("SecurityGroupIds") or ())


def read_template(account: Account, region: str, asked: Mapping[str, Any]) -> Template:
    """Find the version of a launch template that is asked for."""
    backend = account.inside.backend("ec2", region)
    name, template_id = asked.get("LaunchTemplateName"), asked.get("LaunchTemplateId")
    found = next(
        (
            one
            for one in backend.launch_templates.values()
            if one.id == template_id or (name and one.name == name)
        ),
        None,
    )
    if found is None and template_id:
        raise AwsError(
            "InvalidLaunchTemplateId.NotFound",
            f"The specified launch template, with template ID {template_id}, does not exist.",
        )
    if found is None:
        raise AwsError(
            "InvalidLaunchTemplateName.NotFoundException",
            f"The specified launch template, with template name {name}, does not exist.",
        )
    wanted = str(asked.get("Version") or "$Default")
    number = {
        "$Latest": found.latest_version_number,
        "$Default": found.default_version_number,
    }.get(wanted, wanted)
    if not str(number).isdecimal() or not 1 <= int(number) <= len(found.versions):
        raise AwsError(
            "InvalidLaunchTemplateId.VersionNotFound",
            f"Could not find launch template version {wanted} for launch template ID {found.id}.",
        )
    data = _plain(found.get_version(int(number)).data)
    tags = read_specifications(data.get("TagSpecifications"))
    return Template(found.id, found.name, str(number), data, tags.get("instance", {}))


def merge(
    template: Template | None,
    params: Mapping[str, Any],
    override: Mapping[str, Any] | None = None,
) -> Spec:
    """Give the launch that a template, a call and an override ask for together."""
    wishes: dict[str, Any] = (
        {name: template.data[name] for name in _SHARED if name in template.data} if template else {}
    )
    wishes.update({name: _plain(params[name]) for name in _SHARED if name in params})
    asked = override or {}
    wishes.update({name: asked[name] for name in ("InstanceType", "ImageId") if asked.get(name)})
    if asked.get("Placement"):
        wishes["Placement"] = {**wishes.get("Placement", {}), **asked["Placement"]}
    tags = read_specifications(template.data.get("TagSpecifications")) if template else {}
    for kind, more in read_specifications(params.get("TagSpecifications")).items():
        tags[kind] = {**tags.get(kind, {}), **more}
    first: dict[str, Any] = next(iter(wishes.get("NetworkInterfaces") or ()), {})
    subnet = asked.get("SubnetId") or params.get("SubnetId") or first.get("SubnetId") or ""
    zone = asked.get("AvailabilityZone") or wishes.get("Placement", {}).get("AvailabilityZone", "")
    return Spec(wishes, tags, template, str(subnet), str(zone))


def _plain(value: Any) -> Any:
    """Copy moto's parameters into plain values, its own string types among them."""
    if isinstance(value, Mapping):
        # moto notes some of what was not asked for, such as user data, as nothing.
        return {str(key): _plain(one) for key, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, bool | int | float | str) else str(value)
