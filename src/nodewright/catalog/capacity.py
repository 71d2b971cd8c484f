"""What a machine has and what it keeps from its pods: Karpenter's formulas, to the number.

Memory is what EC2 names less what the hypervisor takes. Pods are limited by the addresses of the
network interfaces on the default card; prefix delegation is not modelled (who uses it sets
`maxPods`). The kubelet's share grows with cores and with pods; the disk is the volume on which
pods write, 20Gi unless the NodeClass says otherwise, of which 1Gi is reserved and a tenth is the
eviction threshold, so 17Gi are left to pods.
"""

import math
from typing import Final

from nodewright.catalog.settings import (
    AL2,
    AL2023,
    BOTTLEROCKET,
    CUSTOM,
    EFA_ONLY,
    GIB,
    RAID0,
    WINDOWS_BUILDS,
    NodeSettings,
)
from nodewright.catalog.table import Shape
from nodewright.model.errors import UserError
from nodewright.model.instance import Overhead
from nodewright.model.quantity import MILLI, BadQuantity, Milli, parse_quantity

_MIB: Final = 1024**2
_GB: Final = 1000**3
_ARM_RESERVED_MIB: Final = 64
_DATA_DEVICES: Final = {
    AL2: "/dev/xvda",
    AL2023: "/dev/xvda",
    BOTTLEROCKET: "/dev/xvdb",
} | dict.fromkeys(WINDOWS_BUILDS, "/dev/sda1")
_LINUX_VOLUME: Final[Milli] = 20 * GIB
_WINDOWS_VOLUME: Final[Milli] = 50 * GIB
_WINDOWS_PODS: Final = 110
_CPU_SLICES: Final = ((0, 1000, 600), (1000, 2000, 100), (2000, 4000, 50), (4000, 1 << 31, 25))
"""Millicores from, to, and the kubelet's share in ten-thousandths."""


def capacity_of(shape: Shape, settings: NodeSettings) -> dict[str, Milli]:
    """Give everything that the machine has; what it has not is left out."""
    amounts = {
        "cpu": shape.vcpu * MILLI,
        "memory": memory_of(shape, settings),
        "ephemeral-storage": _ephemeral_storage(shape, settings),
        "pods": pods_of(shape, settings) * MILLI,
        "vpc.amazonaws.com/pod-eni": shape.branch_interfaces * MILLI,
        "nvidia.com/gpu": _gpus(shape, "NVIDIA") * MILLI,
        "amd.com/gpu": _gpus(shape, "AMD") * MILLI,
        "habana.ai/gaudi": _gpus(shape, "Habana") * MILLI,
        "aws.amazon.com/neuron": sum(device.count for device in shape.neurons) * MILLI,
        "aws.amazon.com/neuroncore": _neuron_cores(shape) * MILLI,
        "vpc.amazonaws.com/efa": _efas(shape, settings) * MILLI,
    }
    if settings.windows_build and shape.arch == "amd64":
        amounts["vpc.amazonaws.com/PrivateIPv4Address"] = (shape.ipv4_per_interface - 1) * MILLI
    kept = {name: amount for name, amount in amounts.items() if amount}
    kept.setdefault("pods", 0)
    return kept


def overhead_of(shape: Shape, settings: NodeSettings, capacity: dict[str, Milli]) -> Overhead:
    """Give what the kubelet, the system and the eviction threshold keep from pods."""
    if settings.ami_family in (AL2, AL2023, CUSTOM):
        pods = eni_limited_pods(shape, settings, reserved_enis=0)
    else:
        pods = capacity["pods"] // MILLI
    kube_reserved = {
        "cpu": _reserved_cpu(shape.vcpu),
        "memory": (11 * pods + 255) * _MIB * MILLI,
        "ephemeral-storage": GIB,
    } | dict(settings.kube_reserved)
    return Overhead(kube_reserved, dict(settings.system_reserved), _eviction(settings, capacity))


def memory_of(shape: Shape, settings: NodeSettings) -> Milli:
    """Give the memory that the operating system sees, or what nodes of the type have shown."""
    for name, amount in settings.seen_memory:
        if name == shape.name:
            return amount
    size_mib = shape.memory_mib - (_ARM_RESERVED_MIB if shape.arch == "arm64" else 0)
    taken_mib = math.ceil(size_mib * _MIB * settings.vm_memory_overhead_percent / 1024 / 1024)
    return (size_mib - taken_mib) * _MIB * MILLI


def eni_limited_pods(shape: Shape, settings: NodeSettings, reserved_enis: int) -> int:
    """Give how many pods get an address of their own, or 0 where no interface is left."""
    on_first_card = sum(
        interface.card == 0 and interface.kind == EFA_ONLY
        for interface in settings.network_interfaces or ()
    )
    if shape.default_card >= len(shape.card_interfaces):
        return 0
    usable = shape.card_interfaces[shape.default_card] - reserved_enis - on_first_card
    return usable * (shape.ipv4_per_interface - 1) + 2 if usable > 0 else 0


def pods_of(shape: Shape, settings: NodeSettings) -> int:
    """Give how many pods a machine takes."""
    if settings.max_pods is not None:
        count = settings.max_pods
    elif settings.windows_build:
        count = _WINDOWS_PODS
    else:
        count = eni_limited_pods(shape, settings, settings.reserved_enis)
    if settings.pods_per_core and settings.ami_family != BOTTLEROCKET:
        count = min(count, settings.pods_per_core * shape.vcpu)
    return count


def _ephemeral_storage(shape: Shape, settings: NodeSettings) -> Milli:
    if settings.instance_store_policy == RAID0 and shape.store_gb:
        return shape.store_gb * _GB * MILLI
    devices = settings.block_devices
    for device in devices:
        if device.is_root and device.size is not None:
            return device.size
    default = _WINDOWS_VOLUME if settings.windows_build else _LINUX_VOLUME
    if settings.ami_family == CUSTOM:
        size = devices[-1].size if devices else None
        return default if size is None else size
    for device in devices:
        if device.device_name == _DATA_DEVICES.get(settings.ami_family) and device.size is not None:
            return device.size
    return default


def _gpus(shape: Shape, manufacturer: str) -> int:
    return sum(gpu.count for gpu in shape.gpus if gpu.manufacturer == manufacturer)


def _neuron_cores(shape: Shape) -> int:
    return shape.neurons[0].count * shape.neurons[0].cores if shape.neurons else 0


def _efas(shape: Shape, settings: NodeSettings) -> int:
    if settings.network_interfaces is None:
        return shape.efa_interfaces
    return settings.efa_only_count


def _reserved_cpu(vcpu: int) -> Milli:
    cores = vcpu * MILLI
    return sum(
        (min(cores, end) - start) * share // 10_000
        for start, end, share in _CPU_SLICES
        if cores > start
    )


def _eviction(settings: NodeSettings, capacity: dict[str, Milli]) -> dict[str, Milli]:
    disk = capacity.get("ephemeral-storage", 0)
    threshold = {
        "memory": 100 * _MIB * MILLI,
        "ephemeral-storage": -(-disk // (10 * MILLI)) * MILLI,
    }
    for signal, text in settings.eviction_hard:
        if signal == "memory.available":
            threshold["memory"] = _signal(text, capacity.get("memory", 0), signal)
        elif signal == "nodefs.available":
            threshold["ephemeral-storage"] = _signal(text, disk, signal)
    return threshold


def _signal(text: str, whole: Milli, signal: str) -> Milli:
    try:
        if not text.endswith("%"):
            return parse_quantity(text)
        # A share is kept in thousandths of a percent, so that 7.5% stays exact.
        share = parse_quantity(text.removesuffix("%"))
    except BadQuantity as error:
        raise UserError(f"evictionHard {signal}: {error}", code="NW-9303") from error
    # The kubelet takes 100% as "no threshold".
    if share == 100 * MILLI:
        return 0
    return -(-whole * share // (100 * MILLI * MILLI)) * MILLI
