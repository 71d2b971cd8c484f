"""EC2's own description of an instance type, read into a shape.

The answer of DescribeInstanceTypes is the same wherever it comes from: live through boto3, or kept
in a package. Only the fields that decide something are read; a field that EC2 leaves out reads as
nothing. What EC2 does not tell (branch interfaces and baseline bandwidth) is handed in.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.catalog.table import Accelerator, Gpu, NeuronDevice, Shape
from nodewright.model.errors import UserError

_ARCHITECTURES: Final = {"x86_64": "amd64", "arm64": "arm64"}


class _Struct(msgspec.Struct, frozen=True, rename="pascal"):
    pass


class _Amount(_Struct, frozen=True):
    size_mib: int = msgspec.field(name="SizeInMiB", default=0)


class _Cpu(_Struct, frozen=True):
    default_vcpus: int = msgspec.field(name="DefaultVCpus")


class _Processor(_Struct, frozen=True):
    manufacturer: str = ""
    supported_architectures: tuple[str, ...] = ()
    supported_features: tuple[str, ...] = ()
    sustained_clock_speed_in_ghz: float = 0.0


class _Storage(_Struct, frozen=True):
    total_gb: int = msgspec.field(name="TotalSizeInGB", default=0)
    nvme_support: str = "unsupported"


class _EbsBandwidth(_Struct, frozen=True):
    maximum_bandwidth_in_mbps: int = 0


class _Ebs(_Struct, frozen=True):
    ebs_optimized_support: str = ""
    ebs_optimized_info: _EbsBandwidth = _EbsBandwidth()


class _Card(_Struct, frozen=True):
    network_card_index: int = 0
    maximum_network_interfaces: int = 0


class _Efa(_Struct, frozen=True):
    maximum_efa_interfaces: int = 0


class _Network(_Struct, frozen=True):
    ipv4_addresses_per_interface: int = 0
    default_network_card_index: int = 0
    network_cards: tuple[_Card, ...] = ()
    ena_support: str = "unsupported"
    encryption_in_transit_supported: bool = False
    efa_info: _Efa = _Efa()


class _Device(_Struct, frozen=True):
    name: str = ""
    manufacturer: str = ""
    count: int = 0
    memory_info: _Amount = _Amount()


class _Gpus(_Struct, frozen=True):
    gpus: tuple[_Device, ...] = ()


class _Cores(_Struct, frozen=True):
    count: int = 0


class _Neuron(_Struct, frozen=True):
    name: str = ""
    count: int = 0
    core_info: _Cores = _Cores()


class _Neurons(_Struct, frozen=True):
    neuron_devices: tuple[_Neuron, ...] = ()


class _Accelerators(_Struct, frozen=True):
    accelerators: tuple[_Device, ...] = ()


class _Placement(_Struct, frozen=True):
    supported_strategies: tuple[str, ...] = ()


class _Description(_Struct, frozen=True):
    instance_type: str
    v_cpu_info: _Cpu
    memory_info: _Amount
    processor_info: _Processor
    network_info: _Network
    bare_metal: bool = False
    current_generation: bool = False
    hypervisor: str = ""
    nitro_enclaves_support: str = ""
    supported_usage_classes: tuple[str, ...] = ()
    supported_virtualization_types: tuple[str, ...] = ()
    ebs_info: _Ebs = _Ebs()
    instance_storage_info: _Storage = _Storage()
    gpu_info: _Gpus = _Gpus()
    neuron_info: _Neurons = _Neurons()
    inference_accelerator_info: _Accelerators = _Accelerators()
    placement_group_info: _Placement = _Placement()


class NetworkFacts(msgspec.Struct, frozen=True):
    """What EC2's description leaves out of a type's network."""

    branch_interfaces: int = 0
    network_mbps: int = 0


def read_shape(description: Mapping[str, Any], facts: NetworkFacts) -> Shape | None:
    """Read one entry of DescribeInstanceTypes; nothing where Kubernetes cannot run on it."""
    try:
        found = msgspec.convert(description, _Description)
    except msgspec.ValidationError as error:
        name = description.get("InstanceType", "an unnamed type")
        raise UserError(
            f"EC2's description of {name} cannot be read: {error}", code="NW-9304"
        ) from error
    arch = next(
        (
            _ARCHITECTURES[arch]
            for arch in found.processor_info.supported_architectures
            if arch in _ARCHITECTURES
        ),
        None,
    )
    if arch is None or "hvm" not in found.supported_virtualization_types:
        return None
    return _shape(found, arch, facts)


def _shape(found: _Description, arch: str, facts: NetworkFacts) -> Shape:
    network, processor, storage = (
        found.network_info,
        found.processor_info,
        found.instance_storage_info,
    )
    ebs_is_default = found.ebs_info.ebs_optimized_support == "default"
    cards = sorted(network.network_cards, key=lambda card: card.network_card_index)
    return Shape(
        name=found.instance_type,
        vcpu=found.v_cpu_info.default_vcpus,
        memory_mib=found.memory_info.size_mib,
        arch=arch,
        manufacturer=processor.manufacturer,
        clock_mhz=round(processor.sustained_clock_speed_in_ghz * 1000),
        hypervisor=found.hypervisor,
        encrypts_in_transit=network.encryption_in_transit_supported,
        has_enclaves=found.nitro_enclaves_support == "supported",
        usage_classes=tuple(sorted(found.supported_usage_classes)),
        store_gb=storage.total_gb,
        store_is_nvme=storage.nvme_support != "unsupported",
        ebs_mbps=found.ebs_info.ebs_optimized_info.maximum_bandwidth_in_mbps
        if ebs_is_default
        else 0,
        network_mbps=facts.network_mbps,
        card_interfaces=tuple(card.maximum_network_interfaces for card in cards),
        default_card=network.default_network_card_index,
        ipv4_per_interface=network.ipv4_addresses_per_interface,
        has_ena=network.ena_support != "unsupported",
        efa_interfaces=network.efa_info.maximum_efa_interfaces,
        branch_interfaces=facts.branch_interfaces,
        gpus=tuple(
            Gpu(gpu.name, gpu.manufacturer, gpu.count, gpu.memory_info.size_mib)
            for gpu in found.gpu_info.gpus
        ),
        neurons=tuple(
            NeuronDevice(device.name, device.count, device.core_info.count)
            for device in found.neuron_info.neuron_devices
        ),
        accelerators=tuple(
            Accelerator(entry.name, entry.manufacturer, entry.count)
            for entry in found.inference_accelerator_info.accelerators
        ),
        placements=tuple(sorted(found.placement_group_info.supported_strategies)),
        nests_virtualization="nested-virtualization" in processor.supported_features,
        is_bare_metal=found.bare_metal,
        is_current=found.current_generation,
    )
