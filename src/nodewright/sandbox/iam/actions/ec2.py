"""EC2 but for launches: what a call needs on templates, groups, tags and machines that exist.

Tags set while a thing is made need `ec2:CreateTags` too, with `ec2:CreateAction` telling which call
made it; that is how a policy lets somebody tag at birth only.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nodewright.sandbox.iam.actions.needs import (
    Ask,
    Lookup,
    Need,
    Rule,
    Thing,
    look,
    need,
    new,
    on,
    read_tags,
    tag_keys,
    values,
)
from nodewright.sandbox.iam.context import Values, request_tags

# The kind of a thing by the first part of its id.
KIND_OF_ID: Final = {
    "acl": "network-acl", "ami": "image", "cr": "capacity-reservation", "dopt": "dhcp-options",
    "eipalloc": "elastic-ip", "eni": "network-interface", "fleet": "fleet", "i": "instance",
    "igw": "internet-gateway", "key": "key-pair", "lt": "launch-template", "nat": "natgateway",
    "pcx": "vpc-peering-connection", "pg": "placement-group", "rtb": "route-table",
    "sg": "security-group", "sgr": "security-group-rule", "sir": "spot-instances-request",
    "snap": "snapshot", "subnet": "subnet", "vol": "volume", "vpc": "vpc",
    "vpce": "vpc-endpoint",
}  # fmt: skip


def specified_tags(params: Mapping[str, Any], kind: str) -> dict[str, str]:
    """Give the tags that a call asks for on one kind of thing."""
    tags: dict[str, str] = {}
    for one in params.get("TagSpecifications") or params.get("TagSpecification") or ():
        if one.get("ResourceType") == kind:
            tags.update(read_tags(one.get("Tags")))
    return tags


def tagging(ask: Ask, thing: Thing, tags: Mapping[str, str], action: str) -> Iterator[Need]:
    """Yield the need to tag a thing while it is made by an action; none where there are no tags."""
    if tags:
        keys: dict[str, Values] = {**request_tags(tags), "ec2:CreateAction": action}
        yield need(ask, "ec2:CreateTags", thing=thing, keys=keys)


def making(kind: str, name: str = "", beside: tuple[tuple[str, str], ...] = ()) -> Rule:
    """Make the rule of a call that makes a thing, perhaps inside others that it names."""

    def rule(ask: Ask, lookup: Lookup) -> Iterator[Need]:
        made = new(ask, f"ec2:{kind}", str(ask.params.get(name) or "*"))
        tags = specified_tags(ask.params, kind)
        yield need(ask, f"ec2:{ask.operation}", thing=made, keys=tag_keys(tags))
        for other, parameter in beside:
            for found in values(ask.params, parameter):
                thing = look(ask, lookup, f"ec2:{other}", found)
                yield need(ask, f"ec2:{ask.operation}", thing=thing)
        yield from tagging(ask, made, tags, ask.operation)

    return rule


def _tags(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    tags = read_tags(ask.params.get("Tags"))
    for name in values(ask.params, "Resources"):
        kind = KIND_OF_ID.get(name.partition("-")[0], "instance")
        thing = look(ask, lookup, f"ec2:{kind}", name)
        yield need(ask, f"ec2:{ask.operation}", thing=thing, keys=tag_keys(tags))


def _group_rules(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    for name in values(ask.params, "GroupId", "GroupName"):
        group = look(ask, lookup, "ec2:security-group", name)
        yield need(ask, f"ec2:{ask.operation}", thing=group)
    tags = specified_tags(ask.params, "security-group-rule")
    yield from tagging(ask, new(ask, "ec2:security-group-rule"), tags, ask.operation)


_TEMPLATE = on("ec2:launch-template", "LaunchTemplateId", "LaunchTemplateName")
_INSTANCES = on("ec2:instance", "InstanceIds", "InstanceId")

RULES: Final[dict[str, Rule]] = {
    "ec2.CreateTags": _tags,
    "ec2.DeleteTags": _tags,
    "ec2.CreateLaunchTemplate": making("launch-template"),
    **dict.fromkeys(
        (
            "ec2.CreateLaunchTemplateVersion",
            "ec2.DeleteLaunchTemplate",
            "ec2.DeleteLaunchTemplateVersions",
            "ec2.ModifyLaunchTemplate",
        ),
        _TEMPLATE,
    ),
    **dict.fromkeys(
        (
            "ec2.TerminateInstances",
            "ec2.StopInstances",
            "ec2.StartInstances",
            "ec2.RebootInstances",
            "ec2.MonitorInstances",
            "ec2.GetConsoleOutput",
            "ec2.DescribeInstanceAttribute",
            "ec2.ModifyInstanceAttribute",
            "ec2.ModifyInstanceMetadataOptions",
        ),
        _INSTANCES,
    ),
    **dict.fromkeys(
        (
            "ec2.AuthorizeSecurityGroupIngress",
            "ec2.AuthorizeSecurityGroupEgress",
            "ec2.RevokeSecurityGroupIngress",
            "ec2.RevokeSecurityGroupEgress",
        ),
        _group_rules,
    ),
    "ec2.CreateSecurityGroup": making("security-group", beside=(("vpc", "VpcId"),)),
    "ec2.DeleteSecurityGroup": on("ec2:security-group", "GroupId", "GroupName"),
    "ec2.CreateSubnet": making("subnet", beside=(("vpc", "VpcId"),)),
    "ec2.DeleteSubnet": on("ec2:subnet", "SubnetId"),
    "ec2.ModifySubnetAttribute": on("ec2:subnet", "SubnetId"),
    "ec2.CreateVpc": making("vpc"),
    "ec2.DeleteVpc": on("ec2:vpc", "VpcId"),
    "ec2.CreatePlacementGroup": making("placement-group", "GroupName"),
    "ec2.DeletePlacementGroup": on("ec2:placement-group", "GroupName"),
    "ec2.CreateCapacityReservation": making("capacity-reservation"),
    "ec2.CancelCapacityReservation": on("ec2:capacity-reservation", "CapacityReservationId"),
    "ec2.ModifyCapacityReservation": on("ec2:capacity-reservation", "CapacityReservationId"),
    "ec2.DeleteFleets": on("ec2:fleet", "FleetIds"),
    "ec2.CreateVolume": making("volume"),
    "ec2.DeleteVolume": on("ec2:volume", "VolumeId"),
    "ec2.CreateNetworkInterface": making("network-interface", beside=(("subnet", "SubnetId"),)),
    "ec2.DeleteNetworkInterface": on("ec2:network-interface", "NetworkInterfaceId"),
    "ec2.DeregisterImage": on("ec2:image", "ImageId"),
}
