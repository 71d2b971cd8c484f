"""What a NodeClass and the controller's settings change about an instance type.

How many pods a machine takes, what the kubelet keeps back, how large its disk is and which of its
zones can be used are decisions of the user, not facts of EC2. They all stand here, as a value that
can be a cache key: the same region and settings always give the same instance types.
"""

from typing import Final

import msgspec

from nodewright.model.quantity import Milli

GIB: Final[Milli] = 1024**3 * 1000

AL2: Final = "AL2"
AL2023: Final = "AL2023"
BOTTLEROCKET: Final = "Bottlerocket"
CUSTOM: Final = "Custom"
WINDOWS_BUILDS: Final = {
    "Windows2019": "10.0.17763",
    "Windows2022": "10.0.20348",
    "Windows2025": "10.0.26100",
}
EFA_ONLY: Final = "efa-only"
RAID0: Final = "RAID0"


class SubnetZone(msgspec.Struct, frozen=True):
    """A zone in which the NodeClass has a subnet; its id differs from account to account."""

    name: str
    zone_id: str = ""


class BlockDevice(msgspec.Struct, frozen=True):
    """A volume that the NodeClass asks for; no size where a snapshot brings its own."""

    device_name: str
    size: Milli | None = None
    is_root: bool = False


class Interface(msgspec.Struct, frozen=True):
    """A network interface that the NodeClass asks for: `interface` or `efa-only`."""

    card: int
    device: int
    kind: str = "interface"


class Reservation(msgspec.Struct, frozen=True):
    """Capacity that is paid for already: a capacity reservation of the account."""

    reservation_id: str
    instance_type: str
    zone: str
    count: int
    kind: str = "default"
    is_interruptible: bool = False
    is_expiring: bool = False


class NodeSettings(msgspec.Struct, frozen=True, cache_hash=True):
    """Everything beside the machine itself that decides what pods can use of it.

    `zones` absent means every zone of the region. `network_interfaces` absent means that the
    NodeClass says nothing of them, which is not the same as an empty list. `seen_memory` is the
    smallest memory that nodes of a type have shown; it replaces the computed one. Formulas are
    expressions in the place of amounts; they are worked out for each type.
    """

    ami_family: str = AL2023
    zones: tuple[SubnetZone, ...] | None = None
    max_pods: int | None = None
    max_pods_formula: str = ""
    pods_per_core: int | None = None
    kube_reserved: tuple[tuple[str, Milli], ...] = ()
    kube_formulas: tuple[tuple[str, str], ...] = ()
    system_reserved: tuple[tuple[str, Milli], ...] = ()
    system_formulas: tuple[tuple[str, str], ...] = ()
    eviction_hard: tuple[tuple[str, str], ...] = ()
    reserved_enis: int = 0
    vm_memory_overhead_percent: float = 0.075
    block_devices: tuple[BlockDevice, ...] = ()
    instance_store_policy: str = ""
    network_interfaces: tuple[Interface, ...] | None = None
    placement_strategy: str = ""
    placement_group: str = ""
    placement_partitions: int = 0
    has_connection_tracking: bool = False
    nests_virtualization: bool = False
    reservations: tuple[Reservation, ...] = ()
    seen_memory: tuple[tuple[str, Milli], ...] = ()

    @property
    def windows_build(self) -> str:
        """The build of a Windows family, or nothing."""
        return WINDOWS_BUILDS.get(self.ami_family, "")

    @property
    def has_formulas(self) -> bool:
        """Whether anything is still to be worked out for each type."""
        return bool(self.max_pods_formula or self.kube_formulas or self.system_formulas)

    @property
    def efa_only_count(self) -> int:
        """How many of the asked interfaces are for EFA alone."""
        return sum(interface.kind == EFA_ONLY for interface in self.network_interfaces or ())


DEFAULT: Final = NodeSettings()
