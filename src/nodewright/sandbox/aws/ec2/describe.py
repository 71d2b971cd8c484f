"""DescribeInstances: moto's instance and our machine told as one, filtered and paged as EC2 does."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.machines import Machine, find, seen
from nodewright.sandbox.aws.ec2.reservations import runs_in
from nodewright.sandbox.aws.ec2.tags import tag_set
from nodewright.sandbox.aws.filters import each, path, select
from nodewright.sandbox.aws.moment import moment, text
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

PAGE_MIN: Final = 5
PAGE_MAX: Final = 1_000
_LOOKS: Final = {
    "architecture": path("Architecture"),
    "availability-zone": path("Placement", "AvailabilityZone"),
    "capacity-reservation-id": path("CapacityReservationId"),
    "client-token": path("ClientToken"),
    "iam-instance-profile.arn": path("IamInstanceProfile", "Arn"),
    "image-id": path("ImageId"),
    "instance-id": path("InstanceId"),
    "instance-lifecycle": path("InstanceLifecycle"),
    "instance-state-code": path("State", "Code"),
    "instance-state-name": path("State", "Name"),
    "instance-type": path("InstanceType"),
    "instance.group-id": each("SecurityGroups", "GroupId"),
    "instance.group-name": each("SecurityGroups", "GroupName"),
    "network-interface.network-interface-id": each("NetworkInterfaces", "NetworkInterfaceId"),
    "network-interface.subnet-id": each("NetworkInterfaces", "SubnetId"),
    "placement-group-name": path("Placement", "GroupName"),
    "private-dns-name": path("PrivateDnsName"),
    "private-ip-address": path("PrivateIpAddress"),
    "spot-instance-request-id": path("SpotInstanceRequestId"),
    "subnet-id": path("SubnetId"),
    "vpc-id": path("VpcId"),
}


@handles("ec2", "DescribeInstances")
def describe_instances(account: Account, call: Call) -> dict[str, Any]:
    """List machines, each in a reservation of its own."""
    params, region = call.params, call.region
    insider = call.principal.kind == "insider"
    ids = list(params.get("InstanceIds") or ())
    size = params.get("MaxResults")
    if ids and size:
        raise AwsError(
            "InvalidParameterCombination",
            "The parameter instancesSet cannot be used with the parameter maxResults",
        )
    if size is not None and not PAGE_MIN <= int(size) <= PAGE_MAX:
        raise AwsError(
            "InvalidParameterValue",
            f"Value ( {size} ) for parameter maxResults is invalid. Expecting a value between "
            f"{PAGE_MIN} and {PAGE_MAX}.",
        )
    found = (
        find(account, region, ids, insider=insider)
        if ids
        else list(seen(account, region, insider=insider))
    )
    by_id = {one.instance_id: one for one in found}
    chosen = select([render(account, one) for one in found], params.get("Filters"), _LOOKS)
    some, more = page(chosen, params.get("NextToken"), int(size or PAGE_MAX))
    told = [
        {
            "ReservationId": by_id[one["InstanceId"]].reservation_id,
            "OwnerId": account.account_id,
            "Groups": [],
            "Instances": [one],
        }
        for one in some
    ]
    return with_token({"Reservations": told}, "NextToken", more)


def render(account: Account, machine: Machine) -> dict[str, Any]:
    """Give a machine as EC2 describes it."""
    moto = machine.moto
    gone = machine.state == "terminated"
    told: dict[str, Any] = {
        "InstanceId": machine.instance_id,
        "ImageId": str(moto.image_id),
        "State": {"Name": machine.state, "Code": moto.state_code},
        "PrivateDnsName": "" if gone else moto.private_dns_name,
        "PublicDnsName": ("" if gone else moto.public_dns_name) or "",
        "StateTransitionReason": _transition(machine),
        "AmiLaunchIndex": int(moto.ami_launch_index),
        "ProductCodes": [],
        "InstanceType": str(moto.instance_type),
        "LaunchTime": moment(machine.launched_ms),
        "Placement": _placement(account, machine),
        "Monitoring": {"State": moto.monitoring_state},
        "Architecture": str(moto.architecture),
        "ClientToken": machine.token,
        "EbsOptimized": bool(moto.ebs_optimized),
        "EnaSupport": True,
        "Hypervisor": "xen",
        "RootDeviceName": str(moto.root_device_name),
        "RootDeviceType": "ebs",
        "SourceDestCheck": True,
        "VirtualizationType": "hvm",
        "BootMode": "uefi-preferred",
        "PlatformDetails": "Windows" if moto.platform else "Linux/UNIX",
        "UsageOperation": "RunInstances:0002" if moto.platform else "RunInstances",
        "CapacityReservationSpecification": _preference(machine),
        "MetadataOptions": _metadata(moto.metadata_options),
        "BlockDeviceMappings": [] if gone else _devices(moto),
        "NetworkInterfaces": [] if gone else _interfaces(account, machine),
        "SecurityGroups": [] if gone else _groups(moto),
        "Tags": tag_set(account, machine.region, machine.instance_id),
    }
    if not gone:
        told["SubnetId"], told["VpcId"] = str(moto.subnet_id), str(moto.vpc_id)
        told["PrivateIpAddress"] = str(moto.private_ip)
        if moto.public_ip:
            told["PublicIpAddress"] = str(moto.public_ip)
    _add_rest(account, told, machine)
    return told


def _add_rest(account: Account, told: dict[str, Any], machine: Machine) -> None:
    if machine.reason is not None and machine.state != "running":
        code, message = machine.reason
        told["StateReason"] = {"Code": code, "Message": f"{code}: {message}"}
    if machine.profile is not None:
        told["IamInstanceProfile"] = machine.profile
    if machine.is_spot:
        told["InstanceLifecycle"] = "spot"
        told["SpotInstanceRequestId"] = machine.spot_request_id
    if machine.block_market:
        told["InstanceLifecycle"] = "capacity-block"
    if machine.capacity_reservation_id and (reserved := runs_in(account, machine)):
        told["CapacityReservationId"] = reserved
    if machine.moto.platform:
        told["Platform"] = "windows"
    if machine.moto.key_name:
        told["KeyName"] = str(machine.moto.key_name)


def _transition(machine: Machine) -> str:
    if machine.reason is None or machine.state in ("pending", "running"):
        return ""
    when = text(machine.ended_ms).replace("T", " ").replace("Z", " GMT")
    code = machine.reason[0]
    return f"User initiated ({when})" if code.startswith("Client.User") else code


def _placement(account: Account, machine: Machine) -> dict[str, Any]:
    subnet = (
        account.inside.backend("ec2", machine.region)
        .subnets[machine.key[1]]
        .get(str(machine.moto.subnet_id))
    )
    place = {
        "AvailabilityZone": machine.key[1],
        "GroupName": "",
        "Tenancy": "default",
        **machine.placement,
    }
    if subnet is not None:
        place["AvailabilityZoneId"] = str(subnet.availability_zone_id)
    return place


def _preference(machine: Machine) -> dict[str, Any]:
    asked = machine.wishes.get("CapacityReservationSpecification") or {}
    told: dict[str, Any] = {}
    target = asked.get("CapacityReservationTarget")
    if target:
        told["CapacityReservationTarget"] = dict(target)
    preference = asked.get("CapacityReservationPreference")
    if preference or not target:
        told["CapacityReservationPreference"] = preference or "open"
    return told


def _metadata(options: Any) -> dict[str, Any]:
    return {
        "State": "applied",
        "HttpTokens": options.http_tokens,
        "HttpPutResponseHopLimit": options.http_put_response_hop_limit,
        "HttpEndpoint": options.http_endpoint,
        "HttpProtocolIpv6": options.http_protocol_ipv6,
        "InstanceMetadataTags": options.instance_metadata_tags,
    }


def _devices(moto: Any) -> list[dict[str, Any]]:
    return [
        {
            "DeviceName": name,
            "Ebs": {
                "VolumeId": device.volume_id,
                "Status": "attached",
                "AttachTime": device.attach_time,
                "DeleteOnTermination": bool(device.delete_on_termination),
            },
        }
        for name, device in moto.get_block_device_mapping
    ]


def _groups(moto: Any) -> list[dict[str, str]]:
    return [{"GroupId": one.id, "GroupName": one.name} for one in moto.security_groups]


def _interfaces(account: Account, machine: Machine) -> list[dict[str, Any]]:
    return [
        {
            "NetworkInterfaceId": eni.id,
            "Description": eni.description,
            "Groups": [
                {"GroupId": one.id, "GroupName": one.name}
                for one in sorted(eni.group_set, key=_by_id)
            ],
            "Ipv6Addresses": [],
            "MacAddress": eni.mac_address,
            "OwnerId": account.account_id,
            "PrivateIpAddress": str(eni.private_ip_address),
            "PrivateIpAddresses": [
                {
                    "Primary": bool(one.get("Primary")),
                    "PrivateIpAddress": str(one["PrivateIpAddress"]),
                }
                for one in eni.private_ip_addresses
            ],
            "SourceDestCheck": True,
            "Status": "in-use",
            "SubnetId": str(eni.subnet.id),
            "VpcId": str(eni.subnet.vpc_id),
            "InterfaceType": kind,
            "Attachment": {
                "AttachmentId": str(eni.attachment_id),
                "AttachTime": eni.attach_time,
                "DeleteOnTermination": bool(eni.delete_on_termination),
                "DeviceIndex": int(eni.device_index or 0),
                "NetworkCardIndex": card,
                "Status": "attached",
            },
        }
        for eni, card, kind in machine.interfaces
        if eni.attachment_id
    ]


def _by_id(group: Any) -> str:
    return str(group.id)
