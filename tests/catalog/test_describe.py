"""EC2's descriptions of types, read into shapes."""

import pytest

from nodewright.catalog.describe import NetworkFacts, read_shape
from nodewright.catalog.table import Accelerator, Gpu, NeuronDevice
from nodewright.model.errors import UserError


def a_description(**changes):
    """Write a description the way DescribeInstanceTypes answers."""
    return {
        "InstanceType": "m5d.large",
        "CurrentGeneration": True,
        "BareMetal": False,
        "Hypervisor": "nitro",
        "SupportedUsageClasses": ["spot", "on-demand"],
        "SupportedVirtualizationTypes": ["hvm"],
        "ProcessorInfo": {
            "SupportedArchitectures": ["x86_64"],
            "SustainedClockSpeedInGhz": 3.1,
            "Manufacturer": "Intel",
            "SupportedFeatures": ["nested-virtualization"],
        },
        "VCpuInfo": {"DefaultVCpus": 2, "DefaultCores": 1},
        "MemoryInfo": {"SizeInMiB": 8192},
        "InstanceStorageInfo": {"TotalSizeInGB": 75, "NvmeSupport": "required"},
        "EbsInfo": {
            "EbsOptimizedSupport": "default",
            "EbsOptimizedInfo": {"MaximumBandwidthInMbps": 4750},
        },
        "NetworkInfo": {
            "DefaultNetworkCardIndex": 0,
            "NetworkCards": [
                {"NetworkCardIndex": 1, "MaximumNetworkInterfaces": 2},
                {"NetworkCardIndex": 0, "MaximumNetworkInterfaces": 3},
            ],
            "Ipv4AddressesPerInterface": 10,
            "EnaSupport": "required",
            "EfaInfo": {"MaximumEfaInterfaces": 1},
            "EncryptionInTransitSupported": True,
        },
        "PlacementGroupInfo": {"SupportedStrategies": ["spread", "cluster"]},
        "NitroEnclavesSupport": "supported",
        **changes,
    }


def test_every_field_that_decides_something_is_read():
    shape = read_shape(a_description(), NetworkFacts(branch_interfaces=9, network_mbps=750))
    assert shape is not None
    assert (shape.name, shape.family, shape.vcpu, shape.memory_mib) == ("m5d.large", "m5d", 2, 8192)
    assert (shape.arch, shape.manufacturer, shape.clock_mhz) == ("amd64", "Intel", 3100)
    assert (shape.store_gb, shape.store_is_nvme, shape.ebs_mbps) == (75, True, 4750)
    assert (shape.card_interfaces, shape.ipv4_per_interface) == ((3, 2), 10)
    assert (shape.has_ena, shape.efa_interfaces, shape.encrypts_in_transit) == (True, 1, True)
    assert (shape.branch_interfaces, shape.network_mbps) == (9, 750)
    assert shape.usage_classes == ("on-demand", "spot")
    assert shape.placements == ("cluster", "spread")
    assert shape.nests_virtualization
    assert shape.has_enclaves


def test_accelerators_of_each_kind_are_read():
    shape = read_shape(
        a_description(
            GpuInfo={
                "Gpus": [
                    {
                        "Name": "Gaudi HL-205",
                        "Manufacturer": "Habana",
                        "Count": 8,
                        "MemoryInfo": {"SizeInMiB": 32768},
                    }
                ]
            },
            NeuronInfo={
                "NeuronDevices": [{"Name": "Trainium", "Count": 16, "CoreInfo": {"Count": 2}}]
            },
            InferenceAcceleratorInfo={
                "Accelerators": [{"Name": "Inferentia", "Manufacturer": "AWS", "Count": 4}]
            },
        ),
        NetworkFacts(),
    )
    assert shape is not None
    assert shape.gpus == (Gpu("Gaudi HL-205", "Habana", 8, 32768),)
    assert shape.neurons == (NeuronDevice("Trainium", 16, 2),)
    assert shape.accelerators == (Accelerator("Inferentia", "AWS", 4),)


def test_ebs_bandwidth_counts_only_where_it_is_on_by_default():
    shape = read_shape(a_description(EbsInfo={"EbsOptimizedSupport": "supported"}), NetworkFacts())
    assert shape is not None
    assert shape.ebs_mbps == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"ProcessorInfo": {"SupportedArchitectures": ["arm64_mac"]}},
        {"SupportedVirtualizationTypes": ["paravirtual"]},
    ],
)
def test_a_machine_that_runs_no_kubernetes_has_no_shape(changes):
    assert read_shape(a_description(**changes), NetworkFacts()) is None


def test_a_description_of_another_form_is_refused_by_name():
    with pytest.raises(UserError, match=r"m5d\.large cannot be read"):
        read_shape(a_description(MemoryInfo={"SizeInMiB": "much"}), NetworkFacts())
