"""A machine as EC2 describes it, cut down to what its node needs."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

LIVE: Final = ("pending", "running")
ENDED: Final = ("shutting-down", "terminated")


class Instance(msgspec.Struct, frozen=True):
    """One EC2 instance."""

    id: str
    type: str
    state: str
    zone: str
    image_id: str
    subnet_id: str
    vpc_id: str
    address: str
    dns_name: str
    public_address: str = ""
    public_dns_name: str = ""
    profile: str = ""
    group_ids: tuple[str, ...] = ()
    volumes: tuple[tuple[str, str], ...] = ()
    root_device: str = ""

    @property
    def region(self) -> str:
        """The region of its zone: local zones have longer names than their region plus a letter."""
        parts = self.zone.split("-")
        number = next(index for index, part in enumerate(parts) if part[:1].isdigit())
        return "-".join((*parts[:number], parts[number].rstrip("abcdefghijklmnopqrstuvwxyz")))

    @property
    def provider_id(self) -> str:
        """Its name in the cluster."""
        return f"aws:///{self.zone}/{self.id}"


def read_instance(told: Mapping[str, Any]) -> Instance:
    """Read one entry of DescribeInstances."""
    return Instance(
        id=told["InstanceId"],
        type=told["InstanceType"],
        state=told["State"]["Name"],
        zone=told["Placement"]["AvailabilityZone"],
        image_id=told["ImageId"],
        subnet_id=told.get("SubnetId", ""),
        vpc_id=told.get("VpcId", ""),
        address=told.get("PrivateIpAddress", ""),
        dns_name=told.get("PrivateDnsName", ""),
        public_address=told.get("PublicIpAddress", ""),
        public_dns_name=told.get("PublicDnsName", ""),
        profile=told.get("IamInstanceProfile", {}).get("Arn", ""),
        group_ids=tuple(sorted(group["GroupId"] for group in told.get("SecurityGroups", ()))),
        volumes=tuple(
            (mapping["DeviceName"], mapping["Ebs"]["VolumeId"])
            for mapping in told.get("BlockDeviceMappings", ())
            if "VolumeId" in mapping.get("Ebs", {})
        ),
        root_device=told.get("RootDeviceName", ""),
    )


def instance_id_of(provider_id: str) -> str:
    """Give the instance behind a node's provider id, or nothing where it is none of EC2's."""
    return provider_id.rpartition("/")[2] if provider_id.startswith("aws:///") else ""
