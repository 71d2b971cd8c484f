"""DescribeImages with dates and deprecation, RegisterImage with the architecture that moto loses."""

from datetime import datetime
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.images import Device, devices, mappings_of, seed_images
from nodewright.sandbox.aws.ec2.tags import tag_set
from nodewright.sandbox.aws.filters import path, select
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

_PAGE: Final = 1_000
_STAMP: Final = "%Y-%m-%dT%H:%M:%S.000Z"
_LOOKS: Final = {
    "architecture": path("Architecture"),
    "creation-date": path("CreationDate"),
    "image-id": path("ImageId"),
    "is-public": path("Public"),
    "name": path("Name"),
    "owner-alias": path("ImageOwnerAlias"),
    "owner-id": path("OwnerId"),
    "platform": path("Platform"),
    "root-device-name": path("RootDeviceName"),
    "root-device-type": path("RootDeviceType"),
    "state": path("State"),
    "virtualization-type": path("VirtualizationType"),
}


@handles("ec2", "DescribeImages")
def describe_images(account: Account, call: Call) -> dict[str, Any]:
    """List images; what is deprecated only to its owner or to who asks for it."""
    params, region = call.params, call.region
    seed_images(account, region)
    known = account.inside.backend("ec2", region).amis
    ids = list(params.get("ImageIds") or ())
    for one in ids:
        if one not in known:
            raise AwsError("InvalidAMIID.NotFound", f"The image id '[{one}]' does not exist")
    owners = set(params.get("Owners") or ())
    if "self" in owners:
        owners.add(account.account_id)
    now = moment(account.clock.now_ms())
    ends = account.store("images/deprecation", dict[str, datetime])
    found = [
        _described(account, region, one, ends.get(one.id))
        for one in known.values()
        if (not ids or one.id in ids)
        and (not owners or one.owner_id in owners or one.owner_alias in owners)
        and (
            params.get("IncludeDeprecated")
            or one.owner_id == account.account_id
            or one.id not in ends
            or ends[one.id] > now
        )
    ]
    chosen = select(found, params.get("Filters"), _LOOKS)
    some, more = page(chosen, params.get("NextToken"), int(params.get("MaxResults") or _PAGE))
    return with_token({"Images": some}, "NextToken", more)


@handles("ec2", "RegisterImage")
def register_image(account: Account, call: Call) -> dict[str, Any]:
    """Make an image of one's own."""
    answer = account.inside.ask(call.region, "ec2", "RegisterImage", call.params)
    image = account.inside.backend("ec2", call.region).amis[answer["ImageId"]]
    image.architecture = str(call.params.get("Architecture", "x86_64"))
    image.virtualization_type = str(call.params.get("VirtualizationType", "hvm"))
    image.root_device_name = str(call.params.get("RootDeviceName", "/dev/xvda"))
    image.root_device_type = "ebs"
    mapped = [
        Device(str(one["DeviceName"]), int(one["Ebs"].get("VolumeSize", 8)))
        for one in call.params.get("BlockDeviceMappings") or ()
        if "Ebs" in one
    ]
    devices(account)[image.id] = tuple(mapped) or (Device(image.root_device_name, 8),)
    return {"ImageId": image.id}


@handles("ec2", "EnableImageDeprecation", "DisableImageDeprecation")
def deprecate_image(account: Account, call: Call) -> dict[str, Any]:
    """Set or take away the date at which an image is deprecated."""
    number = str(call.params["ImageId"])
    if number not in account.inside.backend("ec2", call.region).amis:
        raise AwsError("InvalidAMIID.NotFound", f"The image id '[{number}]' does not exist")
    ends = account.store("images/deprecation", dict[str, datetime])
    if call.operation.startswith("Enable"):
        ends[number] = call.params["DeprecateAt"]
        if ends[number].tzinfo is None:
            ends[number] = ends[number].replace(tzinfo=moment(0).tzinfo)
    else:
        ends.pop(number, None)
    return {"Return": True}


def _described(account: Account, region: str, image: Any, end: datetime | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "ImageId": image.id,
        "ImageLocation": str(image.image_location or ""),
        "ImageType": "machine",
        "Name": str(image.name),
        "Description": str(image.description or ""),
        "Public": bool(image.is_public),
        "OwnerId": str(image.owner_id),
        "State": str(image.state),
        "CreationDate": image.creation_date.strftime(_STAMP),
        "Architecture": str(image.architecture or "x86_64"),
        "PlatformDetails": "Windows" if image.platform else "Linux/UNIX",
        "UsageOperation": "RunInstances:0002" if image.platform else "RunInstances",
        "BlockDeviceMappings": mappings_of(account, image),
        "EnaSupport": True,
        "Hypervisor": "xen",
        "RootDeviceName": str(image.root_device_name),
        "RootDeviceType": "ebs",
        "SriovNetSupport": "simple",
        "VirtualizationType": "hvm",
        "Tags": tag_set(account, region, image.id),
    }
    if image.owner_alias:
        told["ImageOwnerAlias"] = str(image.owner_alias)
    if image.platform:
        told["Platform"] = str(image.platform)
    if end is not None:
        told["DeprecationTime"] = end.strftime(_STAMP)
    return told
