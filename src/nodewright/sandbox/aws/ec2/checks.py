"""What EC2 checks before it launches, in its words."""

import base64
from typing import Any, Final

from nodewright.catalog.table import Shape, bundled_table
from nodewright.model.labels import SPOT
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.images import seed_images
from nodewright.sandbox.aws.ec2.machines import machines
from nodewright.sandbox.aws.ec2.market import market_of
from nodewright.sandbox.aws.ec2.spec import Spec
from nodewright.sandbox.aws.quotas import ON_DEMAND_VCPUS, SPOT_VCPUS, quota
from nodewright.sim.cloud.market import OfferingKey

USER_DATA_BYTES_MAX: Final = 16_384
_ARCHITECTURES: Final = {"amd64": "x86_64", "arm64": "arm64"}
_LIVE: Final = ("pending", "running")


def refused_launches(account: Account) -> dict[str, AwsError]:
    """Give the launches of fleets that policies refuse, by the id of their request."""
    return account.store("launches/refused", dict[str, AwsError])


def check_rights(account: Account, call: Call) -> None:
    """Refuse a launch that the caller's policies do not allow."""
    refusal = refused_launches(account).get(call.request_id)
    if refusal is not None:
        raise refusal


def check_type(account: Account, region: str, key: OfferingKey, *, reserved: bool = False) -> Shape:
    """Give a type's shape, if there is such a type and it is sold in the zone or reserved there."""
    name, zone, _ = key
    shape = bundled_table().shapes_by_name.get(name)
    if shape is None:
        raise AwsError("InvalidParameterValue", f"Invalid value '{name}' for InstanceType.")
    if not reserved and not market_of(account, region).has(key):
        raise AwsError(
            "Unsupported",
            f"Your requested instance type ({name}) is not supported in your requested Availability "
            f"Zone ({zone}). Please retry your request by not specifying an Availability Zone or "
            "choosing another one.",
        )
    return shape


def check_image(account: Account, region: str, spec: Spec) -> Any:
    """Give the image of a launch, if it is there and fits the type."""
    wanted = str(spec.wishes.get("ImageId", ""))
    if not wanted:
        raise AwsError("MissingParameter", "The request must contain the parameter ImageId")
    if not wanted.startswith("ami-"):
        raise AwsError("InvalidAMIID.Malformed", f'Invalid id: "{wanted}" (expecting "ami-...")')
    seed_images(account, region)
    image = account.inside.backend("ec2", region).amis.get(wanted)
    if image is None:
        raise AwsError("InvalidAMIID.NotFound", f"The image id '[{wanted}]' does not exist")
    shape = bundled_table().shapes_by_name.get(spec.instance_type)
    if shape is not None and image.architecture != _ARCHITECTURES[shape.arch]:
        raise AwsError(
            "InvalidParameterValue",
            f"The architecture '{_ARCHITECTURES[shape.arch]}' of the specified instance type does "
            f"not match the architecture '{image.architecture}' of the specified AMI. Specify an "
            "instance type and an AMI that have matching architectures, and try again.",
        )
    return image


def check_groups(account: Account, region: str, spec: Spec, subnet: Any) -> list[Any]:
    """Give the security groups of a launch, all in the subnet's VPC; the default one if none."""
    backend = account.inside.backend("ec2", region)
    if not spec.group_ids:
        return [backend.get_default_security_group(subnet.vpc_id)]
    groups = []
    for group_id in spec.group_ids:
        group = backend.get_security_group_from_id(group_id)
        if group is None:
            raise AwsError(
                "InvalidGroup.NotFound", f"The security group '{group_id}' does not exist"
            )
        if group.vpc_id != subnet.vpc_id:
            raise AwsError(
                "InvalidParameter",
                f"Security group {group_id} and subnet {subnet.id} belong to different networks.",
            )
        groups.append(group)
    return groups


def check_profile(account: Account, spec: Spec) -> dict[str, str] | None:
    """Give ARN and id of the instance profile of a launch, if one is asked for and usable."""
    asked = spec.wishes.get("IamInstanceProfile") or {}
    name, arn = str(asked.get("Name", "")), str(asked.get("Arn", ""))
    if not name and not arn:
        return None
    profiles = account.inside.backend("iam", account.region).instance_profiles.values()
    found = next((one for one in profiles if one.name == name or one.arn == arn), None)
    if found is None:
        what, value = ("name", name) if name else ("arn", arn)
        raise AwsError(
            "InvalidParameterValue",
            f"Value ({value}) for parameter iamInstanceProfile.{what} is invalid. Invalid IAM "
            f"Instance Profile {'name' if name else 'ARN'}",
        )
    if not found.roles:
        raise AwsError(
            "InvalidParameterValue",
            f'IAM Instance Profile "{found.arn}" has no associated IAM Roles',
        )
    return {"Arn": str(found.arn), "Id": str(found.id)}


def check_user_data(spec: Spec) -> None:
    """Refuse user data that is longer than EC2 takes."""
    size = len(base64.b64decode(str(spec.wishes.get("UserData") or "")))
    if size > USER_DATA_BYTES_MAX:
        raise AwsError(
            "InvalidParameterValue", f"User data is limited to {USER_DATA_BYTES_MAX} bytes"
        )


def check_addresses(subnet: Any, spec: Spec) -> None:
    """Refuse a launch for which the subnet has not enough addresses."""
    with_address = [one for one in spec.interfaces if one.get("InterfaceType") != "efa-only"]
    prefixes = sum(int(one.get("Ipv4PrefixCount", 0)) for one in spec.interfaces)
    needed = max(1, len(with_address)) + 16 * prefixes
    if subnet.available_ip_address_count < needed:
        raise AwsError(
            "InsufficientFreeAddressesInSubnet",
            f"There are not enough free addresses in subnet '{subnet.id}' to satisfy the requested "
            "number of instances.",
        )


def check_quota(account: Account, region: str, key: OfferingKey, *, reserved: bool = False) -> None:
    """Refuse a launch that goes past the account's quota of vCPUs."""
    shape = check_type(account, region, key, reserved=reserved)
    is_spot = key[2] == SPOT
    most = quota(account, region, SPOT_VCPUS if is_spot else ON_DEMAND_VCPUS)
    shapes = bundled_table().shapes_by_name
    used = sum(
        shapes[one.key[0]].vcpu
        for one in machines(account).values()
        if one.region == region and one.is_spot == is_spot and one.state in _LIVE
    )
    if used + shape.vcpu <= most:
        return
    if is_spot:
        raise AwsError("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
    raise AwsError(
        "VcpuLimitExceeded",
        f"You have requested more vCPU capacity than your current vCPU limit of {most} allows for "
        "the instance bucket that the specified instance type belongs to.",
    )
