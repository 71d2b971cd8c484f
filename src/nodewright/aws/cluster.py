"""The cluster for which machines are made, as a machine must know it to join.

The partition follows from the region: China and the government clouds have their own.
"""

import ipaddress
from typing import Final

import msgspec

_PARTITIONS: Final = (
    ("cn-", "aws-cn"),
    ("us-gov-", "aws-us-gov"),
    ("us-isob-", "aws-iso-b"),
    ("us-isof-", "aws-iso-f"),
    ("eu-isoe-", "aws-iso-e"),
    ("us-iso-", "aws-iso"),
)


class Cluster(msgspec.Struct, frozen=True):
    """Where the cluster is, and what its nodes are told about it.

    `authority` is the certificate bundle in base64, `dns_ip` the address of its own DNS service or
    nothing where it was not found, `service_range` the range of service addresses.
    """

    name: str
    region: str
    endpoint: str = ""
    authority: str = ""
    service_range: str = ""
    dns_ip: str = ""
    version: str = ""

    @property
    def partition(self) -> str:
        """The part of AWS in which the region lies."""
        return partition_of(self.region)

    @property
    def is_ipv6(self) -> bool:
        """Whether pods and services have IPv6 addresses."""
        return is_ipv6(self.dns_ip)


def partition_of(region: str) -> str:
    """Name the partition of a region."""
    return next((name for prefix, name in _PARTITIONS if region.startswith(prefix)), "aws")


def is_ipv6(address: str) -> bool:
    """Tell whether an address is one of IPv6."""
    try:
        return ipaddress.ip_address(address).version == 6
    except ValueError:
        return False
