"""Launches: everything that RunInstances and CreateFleet touch, one question for each.

A launch makes an instance, its volumes and interfaces and perhaps a spot request, and uses a template,
image, subnet, groups and more; policies may speak about each of them. What the template says counts
as if the request said it, tags included. A profile with a role needs `iam:PassRole` on it. EC2 looks
at what a fleet's machines need only when it starts them, so those needs are marked.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from nodewright.sandbox.iam.actions.ec2 import specified_tags, tagging
from nodewright.sandbox.iam.actions.needs import (
    Ask,
    Lookup,
    Need,
    Rule,
    arn_of,
    look,
    need,
    new,
    tag_keys,
    values,
)
from nodewright.sandbox.iam.context import Values


class Launch(msgspec.Struct, frozen=True):
    """One way in which a call may start machines: the data in force, and its template if any."""

    data: Mapping[str, Any]
    template_data: Mapping[str, Any]
    template_name: str = ""

    def tags(self, kind: str, asked: Mapping[str, Any]) -> dict[str, str]:
        """Give the tags that a kind of thing is born with; the request's word goes before."""
        return {**specified_tags(self.template_data, kind), **specified_tags(asked, kind)}


def _run_instances(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    wanted = ask.params.get("LaunchTemplate") or {}
    template = lookup.template(wanted) if wanted else {}
    name = next(values(wanted, "LaunchTemplateId", "LaunchTemplateName"), "")
    launch = Launch({**template, **ask.params}, template, name)
    yield from _needs(ask, lookup, [launch], "ec2:RunInstances")
    yield from _birth_tags(ask, [launch])
    yield from _passing(ask, lookup, [launch])


def _create_fleet(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    launches = list(_fleet_launches(ask, lookup))
    fleet, tags = new(ask, "ec2:fleet"), specified_tags(ask.params, "fleet")
    yield need(ask, "ec2:CreateFleet", thing=fleet, keys=tag_keys(tags))
    yield from _needs(ask, lookup, launches, "ec2:CreateFleet")
    yield from tagging(ask, fleet, tags, "CreateFleet")
    later = (
        *_needs(ask, lookup, launches, "ec2:RunInstances"),
        *_birth_tags(ask, launches),
        *_passing(ask, lookup, launches),
    )
    for one in later:
        yield msgspec.structs.replace(one, at_launch=True)


def _fleet_launches(ask: Ask, lookup: Lookup) -> Iterator[Launch]:
    capacity = ask.params.get("TargetCapacitySpecification") or {}
    spot = capacity.get("DefaultTargetCapacityType") == "spot"
    market = {"InstanceMarketOptions": {"MarketType": "spot"}} if spot else {}
    for config in ask.params.get("LaunchTemplateConfigs") or ():
        wanted = config.get("LaunchTemplateSpecification") or {}
        template = lookup.template(wanted)
        name = next(values(wanted, "LaunchTemplateId", "LaunchTemplateName"), "")
        overrides: Sequence[Mapping[str, Any]] = config.get("Overrides") or ({},)
        for override in overrides:
            yield Launch({**template, **override, **market}, template, name)


def _needs(ask: Ask, lookup: Lookup, launches: Sequence[Launch], action: str) -> Iterator[Need]:
    """Yield what an action needs on everything that is used or made.

    A fleet may have hundreds of overrides of one template, so what they share is asked once.
    """
    seen: set[object] = set()
    for launch in launches:
        for kind, name in _used(launch):
            if (launch.template_name, kind, name) in seen:
                continue
            seen.add((launch.template_name, kind, name))
            thing = look(ask, lookup, f"ec2:{kind}", name)
            yield need(ask, action, thing=thing, keys=_template_keys(ask, lookup, launch))
    for launch in launches:
        for kind, keys in _made(ask, lookup, launch):
            if (launch.template_name, kind, tuple(keys.items())) in seen:
                continue
            seen.add((launch.template_name, kind, tuple(keys.items())))
            known = {
                **_template_keys(ask, lookup, launch),
                **keys,
                **tag_keys(launch.tags(kind, ask.params)),
            }
            yield need(ask, action, thing=new(ask, f"ec2:{kind}"), keys=known)


def _used(launch: Launch) -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of everything that a launch uses."""
    data = launch.data
    interfaces = data.get("NetworkInterfaces") or ()
    placement = data.get("Placement") or {}
    reserved = (data.get("CapacityReservationSpecification") or {}).get(
        "CapacityReservationTarget"
    ) or {}
    named: dict[str, list[Any]] = {
        "launch-template": [launch.template_name],
        "image": [data.get("ImageId")],
        "subnet": [data.get("SubnetId"), *(one.get("SubnetId") for one in interfaces)],
        "security-group": [
            *(data.get("SecurityGroupIds") or ()),
            *(group for one in interfaces for group in one.get("Groups") or ()),
        ],
        "network-interface": [one.get("NetworkInterfaceId") for one in interfaces],
        "key-pair": [data.get("KeyName")],
        "placement-group": [placement.get("GroupId") or placement.get("GroupName")],
        "capacity-reservation": [reserved.get("CapacityReservationId")],
        "snapshot": [ebs.get("SnapshotId") for ebs in _volumes(data)],
    }
    for kind, names in named.items():
        yield from ((kind, str(name)) for name in names if name)


def _made(ask: Ask, lookup: Lookup, launch: Launch) -> Iterator[tuple[str, dict[str, Values]]]:
    """Yield the kind of everything that a launch makes, and what is said of it."""
    yield "instance", _instance_keys(ask, lookup, launch.data)
    for volume in _volumes(launch.data) or [{}]:
        yield "volume", _volume_keys(volume)
    yield "network-interface", {}
    if _market(launch.data) == "spot":
        yield "spot-instances-request", {}


def _birth_tags(ask: Ask, launches: Sequence[Launch]) -> Iterator[Need]:
    seen: set[tuple[str, str]] = set()
    for launch in launches:
        kinds = ["instance", "volume", "network-interface"]
        if _market(launch.data) == "spot":
            kinds.append("spot-instances-request")
        for kind in kinds:
            if (launch.template_name, kind) not in seen:
                seen.add((launch.template_name, kind))
                tags = launch.tags(kind, ask.params)
                yield from tagging(ask, new(ask, f"ec2:{kind}"), tags, "RunInstances")


def _passing(ask: Ask, lookup: Lookup, launches: Sequence[Launch]) -> Iterator[Need]:
    for profile in dict.fromkeys(_profile(launch.data) for launch in launches):
        role = lookup.profile_role(profile) if profile else ""
        if role:
            yield passing(ask, lookup, role, "ec2.amazonaws.com")


def passing(ask: Ask, lookup: Lookup, role: str, service: str) -> Need:
    """Give the need to hand a role to a service."""
    if ask.partition == "aws-cn" and service.startswith("ec2."):
        service = f"{service}.cn"
    thing = msgspec.structs.replace(look(ask, lookup, "iam:role", role), exists=True)
    return need(ask, "iam:PassRole", thing=thing, keys={"iam:PassedToService": service})


def _template_keys(ask: Ask, lookup: Lookup, launch: Launch) -> dict[str, Values]:
    if not launch.template_name:
        return {"ec2:IsLaunchTemplateResource": "false"}
    template = look(ask, lookup, "ec2:launch-template", launch.template_name)
    return {"ec2:IsLaunchTemplateResource": "true", "ec2:LaunchTemplate": template.arn}


def _instance_keys(ask: Ask, lookup: Lookup, data: Mapping[str, Any]) -> dict[str, Values]:
    metadata = data.get("MetadataOptions") or {}
    placement = data.get("Placement") or {}
    zone = data.get("AvailabilityZone") or placement.get("AvailabilityZone")
    keys: dict[str, Values] = {
        "ec2:InstanceMarketType": _market(data),
        "ec2:EbsOptimized": "true" if data.get("EbsOptimized") else "false",
        "ec2:Tenancy": str(placement.get("Tenancy") or "default"),
        "ec2:RootDeviceType": "ebs",
    }
    optional = {
        "ec2:InstanceType": data.get("InstanceType"),
        "ec2:AvailabilityZone": zone,
        "ec2:MetadataHttpTokens": metadata.get("HttpTokens"),
        "ec2:MetadataHttpEndpoint": metadata.get("HttpEndpoint"),
        "ec2:MetadataHttpPutResponseHopLimit": metadata.get("HttpPutResponseHopLimit"),
    }
    keys.update({key: str(value) for key, value in optional.items() if value})
    profile = _profile(data)
    if profile:
        found = lookup.find("iam:instance-profile", profile)
        keys["ec2:InstanceProfile"] = (
            found.arn if found else arn_of(ask, "iam:instance-profile", profile)
        )
    return keys


def _volume_keys(ebs: Mapping[str, Any]) -> dict[str, Values]:
    keys: dict[str, Values] = {}
    for name, key in (
        ("VolumeSize", "ec2:VolumeSize"),
        ("VolumeType", "ec2:VolumeType"),
        ("Iops", "ec2:VolumeIops"),
        ("Throughput", "ec2:VolumeThroughput"),
        ("KmsKeyId", "ec2:KmsKeyId"),
        ("SnapshotId", "ec2:ParentSnapshot"),
    ):
        if ebs.get(name):
            keys[key] = str(ebs[name])
    if "Encrypted" in ebs:
        keys["ec2:Encrypted"] = str(ebs["Encrypted"]).lower()
    return keys


def _volumes(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one["Ebs"] for one in data.get("BlockDeviceMappings") or () if one.get("Ebs")]


def _market(data: Mapping[str, Any]) -> str:
    return str((data.get("InstanceMarketOptions") or {}).get("MarketType") or "on-demand")


def _profile(data: Mapping[str, Any]) -> str:
    given = data.get("IamInstanceProfile") or {}
    return str(given.get("Arn") or given.get("Name") or "")


RULES: Final[dict[str, Rule]] = {
    "ec2.RunInstances": _run_instances,
    "ec2.CreateFleet": _create_fleet,
}
