"""Volumes of a launch: the image's own, as the launch changes them, encrypted where the account says.

A volume under a customer's key is the one part of a launch that EC2 finds out about too late: the
instance is accepted and ends at once, with a state reason that says little.
"""

from collections.abc import Mapping
from typing import Any, Final

from moto.ec2.models.block_device import BlockDeviceType
from moto.ec2.models.elastic_block_store import VolumeAttachment

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError
from nodewright.sandbox.aws.ec2.encryption import default_key, encrypts_by_default
from nodewright.sandbox.aws.ec2.images import mappings_of
from nodewright.sandbox.aws.ec2.machines import Machine
from nodewright.sandbox.aws.ec2.spec import Spec
from nodewright.sandbox.aws.moment import moment

_MANAGED: Final = "alias/aws/ebs"
NO_RIGHTS: Final = ("Client.InternalError", "Client error on launch")
BAD_STATE: Final = (
    "Client.InvalidKMSKey.InvalidState",
    "The KMS key provided is in an incorrect state",
)
# What EC2 does with a customer's key on behalf of whoever launches.
KEY_ACTIONS: Final = (
    "kms:DescribeKey",
    "kms:GenerateDataKeyWithoutPlaintext",
    "kms:Decrypt",
    "kms:CreateGrant",
)


def attach_volumes(account: Account, machine: Machine, spec: Spec, image: Any) -> None:
    """Make the volumes of a new machine."""
    wanted = {one["DeviceName"]: dict(one.get("Ebs", {})) for one in mappings_of(account, image)}
    for one in spec.wishes.get("BlockDeviceMappings") or ():
        if "NoDevice" in one:
            wanted.pop(one["DeviceName"], None)
        elif "Ebs" in one:
            known = wanted.get(one["DeviceName"], {})
            _check_size(one, known)
            wanted[one["DeviceName"]] = {**known, **one["Ebs"]}
    for device, ebs in wanted.items():
        _attach(account, machine, device, ebs)


def find_boot_failure(account: Account, machine: Machine) -> tuple[str, str] | None:
    """Give the state reason with which a machine ends because of its volumes' keys, if any."""
    backend = account.inside.backend("ec2", machine.region)
    for _, device in machine.moto.get_block_device_mapping:
        volume = backend.volumes[device.volume_id]
        problem = _key_problem(account, machine, str(volume.kms_key_id or ""))
        if problem is not None:
            return problem
    return None


def _check_size(asked: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    size, least = asked["Ebs"].get("VolumeSize"), known.get("VolumeSize")
    if size is not None and least is not None and int(size) < int(least):
        raise AwsError(
            "InvalidBlockDeviceMapping",
            f"Volume of size {size}GB is smaller than snapshot '{known.get('SnapshotId', '')}', "
            f"expect size >= {least}GB",
        )
    if size is None and least is None and not asked["Ebs"].get("SnapshotId"):
        raise AwsError(
            "InvalidBlockDeviceMapping",
            f"The device '{asked['DeviceName']}' has neither a size nor a snapshot, and the image "
            "has no such device",
        )


def _attach(account: Account, machine: Machine, device: str, ebs: Mapping[str, Any]) -> None:
    region = machine.region
    backend = account.inside.backend("ec2", region)
    encrypted = bool(ebs.get("Encrypted")) or encrypts_by_default(account, region)
    kind = str(ebs.get("VolumeType", "gp2"))
    volume = backend.create_volume(
        size=int(ebs.get("VolumeSize", 8)),
        zone_name=machine.key[1],
        encrypted=encrypted,
        kms_key_id=str(ebs.get("KmsKeyId") or default_key(account, region)) if encrypted else None,
        volume_type=kind,
        iops=int(ebs["Iops"]) if ebs.get("Iops") else None,
        throughput=int(ebs["Throughput"]) if ebs.get("Throughput") else None,
    )
    volume.snapshot_id = ebs.get("SnapshotId")
    volume.attachment = VolumeAttachment(  # type: ignore[abstract] # moto itself makes them.
        volume, machine.moto, device, "attached"
    )
    machine.moto.block_device_mapping[device] = BlockDeviceType(
        volume_id=volume.id,
        status=volume.status,
        size=volume.size,
        attach_time=moment(account.clock.now_ms()),
        delete_on_termination=bool(ebs.get("DeleteOnTermination", True)),
    )


def _key_problem(account: Account, machine: Machine, key_id: str) -> tuple[str, str] | None:
    if not key_id or key_id.endswith(_MANAGED):
        return None
    key = find_key(account, machine.region, key_id)
    if key is None:
        return NO_RIGHTS
    if key.key_manager == "AWS":
        return None
    if key.key_state != "Enabled":
        return BAD_STATE
    if account.may is None or machine.launcher.kind in ("root", "insider"):
        return None
    context = {
        "kms:ViaService": f"ec2.{machine.region}.amazonaws.com",
        "kms:CallerAccount": account.account_id,
        "kms:GrantIsForAWSResource": "true",
    }
    allowed = all(
        account.may(account, machine.launcher, action, key.arn, context) for action in KEY_ACTIONS
    )
    return None if allowed else NO_RIGHTS


def find_key(account: Account, region: str, name: str) -> Any:
    """Find a KMS key by id, ARN or alias."""
    backend = account.inside.backend("kms", region)
    plain = name.rsplit("/", 1)[-1] if ":key/" in name else name
    for key in backend.keys.values():
        if plain in (key.id, key.arn):
            return key
    alias = name.split(":", 5)[-1] if ":alias/" in name else name
    return next((key for key in backend.keys.values() if alias in key.aliases), None)
