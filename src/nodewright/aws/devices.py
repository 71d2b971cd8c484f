"""Volumes and network interfaces of a machine, as a launch template names them.

Where a class names no volumes its family's are taken; a family that is nobody's keeps those of the
image. Interfaces are named only where there is something to say about them: else the security groups
stand in the template itself, and EC2 makes the usual one.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from nodewright.catalog.settings import (
    AL2,
    AL2023,
    BOTTLEROCKET,
    EFA_ONLY,
    WINDOWS_BUILDS,
)
from nodewright.model.ec2nodeclass import EC2NodeClassSpec
from nodewright.model.ec2nodeclass_devices import BlockDevice, BlockDeviceMapping
from nodewright.model.quantity import MILLI, parse_quantity

type Json = dict[str, Any]

_GIB: Final = 1024**3
_DEFAULTS: Final = {
    AL2: (("/dev/xvda", "20Gi"),),
    AL2023: (("/dev/xvda", "20Gi"),),
    BOTTLEROCKET: (("/dev/xvda", "4Gi"), ("/dev/xvdb", "20Gi")),
    **dict.fromkeys(WINDOWS_BUILDS, (("/dev/sda1", "50Gi"),)),
}


class Network(msgspec.Struct, frozen=True):
    """What a machine is connected to, and how."""

    security_groups: tuple[str, ...]
    is_ipv6: bool = False
    efa_count: int = 0


def default_volumes(family: str) -> tuple[BlockDeviceMapping, ...]:
    """Give the volumes of a family's machines, where the class names none."""
    return tuple(
        BlockDeviceMapping(
            device_name=name,
            ebs=BlockDevice(encrypted=True, volume_size=size, volume_type="gp3"),
        )
        for name, size in _DEFAULTS.get(family, ())
    )


def block_devices(spec: EC2NodeClassSpec) -> list[Json]:
    """Give the volumes of a class's machines."""
    mappings = spec.block_device_mappings or default_volumes(spec.resolved_family)
    return [_said({"DeviceName": one.device_name, "Ebs": _ebs(one.ebs)}) for one in mappings]


def gib(size: str) -> int:
    """Give the size of a volume in whole GiB, rounded up."""
    return -(-parse_quantity(size) // (_GIB * MILLI))


def _ebs(disk: BlockDevice | None) -> Json | None:
    if disk is None:
        return None
    return _said(
        {
            "DeleteOnTermination": disk.delete_on_termination,
            "Encrypted": disk.encrypted,
            "Iops": disk.iops,
            "KmsKeyId": disk.kms_key_id,
            "SnapshotId": disk.snapshot_id,
            "Throughput": disk.throughput,
            "VolumeInitializationRate": disk.volume_initialization_rate,
            "VolumeSize": None if disk.volume_size is None else gib(disk.volume_size),
            "VolumeType": disk.volume_type,
        }
    )


def network_interfaces(spec: EC2NodeClassSpec, network: Network) -> list[Json]:
    """Give the interfaces of a class's machines; none where EC2's usual one will do."""
    places: Iterable[tuple[int, int, str]]
    if spec.network_interfaces:
        places = (
            (one.network_card_index, one.device_index, one.interface_type)
            for one in spec.network_interfaces
        )
    elif network.efa_count:
        places = ((card, 1 if card else 0, "efa") for card in range(network.efa_count))
    elif _is_usual(spec, network):
        return []
    else:
        places = ((0, 0, "interface"),)
    return [_interface(spec, network, place) for place in places]


def _is_usual(spec: EC2NodeClassSpec, network: Network) -> bool:
    return (
        spec.associate_public_ip_address is None
        and spec.ip_prefix_count is None
        and spec.connection_tracking is None
        and not network.is_ipv6
    )


def _interface(spec: EC2NodeClassSpec, network: Network, place: tuple[int, int, str]) -> Json:
    card, device, kind = place
    found: Json = {
        "NetworkCardIndex": card,
        "DeviceIndex": device,
        "InterfaceType": kind,
        "Groups": list(network.security_groups),
    }
    if kind == EFA_ONLY:
        return found
    prefixes = "Ipv6PrefixCount" if network.is_ipv6 else "Ipv4PrefixCount"
    is_first = (card, device) == (0, 0)
    tracking = spec.connection_tracking
    return found | _said(
        {
            "AssociatePublicIpAddress": spec.associate_public_ip_address,
            prefixes: spec.ip_prefix_count,
            "Ipv6AddressCount": 1 if network.is_ipv6 else None,
            "PrimaryIpv6": True if network.is_ipv6 and is_first else None,
            "ConnectionTrackingSpecification": _said(
                {
                    "TcpEstablishedTimeout": tracking.tcp_established_timeout,
                    "UdpStreamTimeout": tracking.udp_stream_timeout,
                    "UdpTimeout": tracking.udp_timeout,
                }
            )
            if tracking is not None
            else None,
        }
    )


def _said(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}
