"""Capacity and overhead: Karpenter's numbers for known types, and every rule at its edge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.shapes import a_shape
from nodewright.catalog.capacity import capacity_of, eni_limited_pods, overhead_of
from nodewright.catalog.settings import (
    DEFAULT,
    GIB,
    BlockDevice,
    Interface,
    NodeSettings,
)
from nodewright.catalog.table import Gpu, NeuronDevice, bundled_table
from nodewright.model.errors import UserError
from nodewright.model.quantity import MILLI, parse_quantity, print_resources, subtract

EFA = "vpc.amazonaws.com/efa"
DISK = "ephemeral-storage"


def allocatable(name_or_shape, settings=DEFAULT):
    shape = (
        bundled_table().shapes_by_name[name_or_shape]
        if isinstance(name_or_shape, str)
        else name_or_shape
    )
    capacity = capacity_of(shape, settings)
    return subtract(capacity, overhead_of(shape, settings, capacity).total())


def test_a_c7i_2xlarge_gives_what_karpenter_gives():
    assert print_resources(allocatable("c7i.2xlarge")) == {
        "cpu": "7910m",
        "memory": "14162Mi",
        # The volume behind it is the family's 20Gi: 1Gi is reserved, a tenth is the threshold.
        "ephemeral-storage": "17Gi",
        "pods": "58",
        "vpc.amazonaws.com/pod-eni": "38",
    }


@pytest.mark.parametrize(
    ("name", "cpu", "memory", "pods"),
    [
        ("m5.large", "1930m", "6903Mi", 29),
        ("m6g.large", "1930m", "6844Mi", 29),
        ("t3.micro", "1930m", "548Mi", 4),
        ("m5.24xlarge", "95690m", "355262Mi", 737),
        ("p5.48xlarge", "191450m", "1938410Mi", 100),
    ],
)
def test_known_types_give_known_numbers(name, cpu, memory, pods):
    rest = allocatable(name)
    assert (rest["cpu"], rest["memory"], rest["pods"]) == (
        parse_quantity(cpu),
        parse_quantity(memory),
        pods * MILLI,
    )


def test_a_reserved_interface_costs_its_addresses():
    assert allocatable("m5.large", NodeSettings(reserved_enis=1))["pods"] == 20 * MILLI


@pytest.mark.parametrize("reserved", [3, 4, 100])
def test_no_interface_left_means_no_pods(reserved):
    capacity = capacity_of(a_shape(), NodeSettings(reserved_enis=reserved))
    assert capacity["pods"] == 0


def test_reserved_interfaces_do_not_change_what_the_kubelet_keeps():
    plain, reserved = (
        overhead_of(a_shape(), settings, capacity_of(a_shape(), settings)).kube_reserved["memory"]
        for settings in (DEFAULT, NodeSettings(reserved_enis=2))
    )
    assert plain == reserved


def test_bottlerocket_keeps_memory_for_the_pods_it_really_takes():
    settings = NodeSettings(ami_family="Bottlerocket", max_pods=110)
    overhead = overhead_of(a_shape(), settings, capacity_of(a_shape(), settings))
    assert overhead.kube_reserved["memory"] == parse_quantity(f"{11 * 110 + 255}Mi")


def test_max_pods_wins_over_addresses():
    assert capacity_of(a_shape(), NodeSettings(max_pods=110))["pods"] == 110 * MILLI


@pytest.mark.parametrize(("family", "pods"), [("AL2023", 8), ("AL2", 8), ("Bottlerocket", 29)])
def test_pods_per_core_caps_all_but_bottlerocket(family, pods):
    settings = NodeSettings(ami_family=family, pods_per_core=4)
    assert capacity_of(a_shape(), settings)["pods"] == pods * MILLI


def test_windows_takes_110_pods_and_counts_addresses():
    capacity = capacity_of(a_shape(), NodeSettings(ami_family="Windows2022"))
    assert capacity["pods"] == 110 * MILLI
    assert capacity["vpc.amazonaws.com/PrivateIPv4Address"] == 9 * MILLI
    assert capacity[DISK] == 50 * GIB


def test_arm_machines_lose_64_mib_first():
    arm, intel = a_shape(arch="arm64"), a_shape(memory_mib=8192 - 64)
    assert capacity_of(arm, DEFAULT)["memory"] == capacity_of(intel, DEFAULT)["memory"]


def test_memory_that_nodes_have_shown_replaces_the_computed_one():
    settings = NodeSettings(seen_memory=(("m5.large", parse_quantity("7700Mi")),))
    assert capacity_of(a_shape(), settings)["memory"] == parse_quantity("7700Mi")
    assert capacity_of(a_shape("m5.xlarge"), settings)["memory"] != parse_quantity("7700Mi")


@pytest.mark.parametrize(
    ("settings", "size"),
    [
        (NodeSettings(), "20Gi"),
        (NodeSettings(ami_family="Bottlerocket"), "20Gi"),
        (NodeSettings(block_devices=(BlockDevice("/dev/xvda", 100 * GIB),)), "100Gi"),
        (NodeSettings(block_devices=(BlockDevice("/dev/sdb", 100 * GIB),)), "20Gi"),
        (
            NodeSettings(
                block_devices=(
                    BlockDevice("/dev/xvda", 30 * GIB),
                    BlockDevice("/dev/sdb", 7 * GIB, is_root=True),
                )
            ),
            "7Gi",
        ),
        (
            NodeSettings(
                ami_family="Bottlerocket",
                block_devices=(
                    BlockDevice("/dev/xvda", 4 * GIB),
                    BlockDevice("/dev/xvdb", 80 * GIB),
                ),
            ),
            "80Gi",
        ),
        (
            NodeSettings(
                ami_family="Custom",
                block_devices=(BlockDevice("/dev/a", 4 * GIB), BlockDevice("/dev/b", 9 * GIB)),
            ),
            "9Gi",
        ),
        (NodeSettings(ami_family="Custom", block_devices=(BlockDevice("/dev/a"),)), "20Gi"),
        (NodeSettings(instance_store_policy="RAID0"), "20Gi"),
    ],
)
def test_the_disk_is_the_volume_on_which_pods_write(settings, size):
    assert capacity_of(a_shape(), settings)[DISK] == parse_quantity(size)


def test_raid0_takes_the_local_disks_where_there_are_any():
    shape = a_shape("m5d.large", store_gb=75, store_is_nvme=True)
    settings = NodeSettings(instance_store_policy="RAID0")
    assert capacity_of(shape, settings)[DISK] == parse_quantity("75G")


@pytest.mark.parametrize(
    ("text", "memory"),
    [("5%", "397312Ki"), ("100%", "0"), ("500Mi", "500Mi"), ("7.5%", "610271232")],
)
def test_a_hard_eviction_threshold_overrides_the_default(text, memory):
    settings = NodeSettings(
        eviction_hard=(("memory.available", text),), vm_memory_overhead_percent=0
    )
    shape = a_shape(memory_mib=7760)
    overhead = overhead_of(shape, settings, capacity_of(shape, settings))
    assert overhead.eviction_threshold["memory"] == parse_quantity(memory)


def test_the_disk_threshold_is_a_tenth_unless_said():
    said = NodeSettings(eviction_hard=(("nodefs.available", "5%"),))
    assert _disk_threshold(DEFAULT) == 2 * GIB
    assert _disk_threshold(said) == GIB


def _disk_threshold(settings):
    capacity = capacity_of(a_shape(), settings)
    return overhead_of(a_shape(), settings, capacity).eviction_threshold[DISK]


def test_a_threshold_that_is_no_quantity_is_refused_in_a_sentence():
    settings = NodeSettings(eviction_hard=(("memory.available", "lots"),))
    with pytest.raises(UserError, match=r"evictionHard memory\.available"):
        overhead_of(a_shape(), settings, capacity_of(a_shape(), settings))


def test_what_the_user_reserves_overrides_key_by_key():
    settings = NodeSettings(
        kube_reserved=(("cpu", 200),), system_reserved=(("memory", parse_quantity("1Gi")),)
    )
    overhead = overhead_of(a_shape(), settings, capacity_of(a_shape(), settings))
    assert overhead.kube_reserved["cpu"] == 200
    assert overhead.kube_reserved["memory"] == parse_quantity("574Mi")
    assert overhead.system_reserved == {"memory": parse_quantity("1Gi")}


def test_efa_only_interfaces_are_counted_and_cost_addresses_on_the_first_card():
    shape = a_shape(efa_interfaces=2, card_interfaces=(4, 4), ipv4_per_interface=15)
    wanted = (Interface(0, 0), Interface(0, 1, "efa-only"), Interface(1, 1, "efa-only"))
    asked = capacity_of(shape, NodeSettings(network_interfaces=wanted))
    assert capacity_of(shape, DEFAULT)[EFA] == 2 * MILLI
    assert (asked[EFA], asked["pods"]) == (2 * MILLI, 44 * MILLI)


def test_interfaces_without_efa_leave_none_of_it():
    shape = a_shape(efa_interfaces=2)
    assert EFA not in capacity_of(shape, NodeSettings(network_interfaces=(Interface(0, 0),)))


def test_every_kind_of_accelerator_has_its_resource():
    shape = a_shape(
        gpus=(
            Gpu("A", "NVIDIA", 4, 1),
            Gpu("B", "NVIDIA", 2, 1),
            Gpu("C", "AMD", 3, 1),
            Gpu("D", "Habana", 8, 1),
        ),
        neurons=(NeuronDevice("Trainium", 16, 2),),
    )
    capacity = capacity_of(shape, DEFAULT)
    assert capacity["nvidia.com/gpu"] == 6 * MILLI
    assert capacity["amd.com/gpu"] == 3 * MILLI
    assert capacity["habana.ai/gaudi"] == 8 * MILLI
    assert capacity["aws.amazon.com/neuron"] == 16 * MILLI
    assert capacity["aws.amazon.com/neuroncore"] == 32 * MILLI


def test_a_type_with_a_part_of_a_gpu_offers_none():
    assert "nvidia.com/gpu" not in allocatable("g6f.xlarge")


def test_a_type_that_takes_no_trunk_offers_no_pod_interfaces():
    assert "vpc.amazonaws.com/pod-eni" not in allocatable("t3.micro")


@given(st.integers(1, 512), st.integers(1, 2**25), st.integers(0, 20), st.integers(2, 50))
def test_overhead_is_never_negative_and_grows_with_cores(vcpu, memory, interfaces, addresses):
    shape = a_shape(
        vcpu=vcpu,
        memory_mib=memory,
        card_interfaces=(interfaces,),
        ipv4_per_interface=addresses,
    )
    capacity = capacity_of(shape, DEFAULT)
    overhead = overhead_of(shape, DEFAULT, capacity)
    assert all(amount >= 0 for amount in overhead.total().values())
    assert 60 <= overhead.kube_reserved["cpu"] < capacity["cpu"]
    assert eni_limited_pods(shape, DEFAULT, 0) in (0, interfaces * (addresses - 1) + 2)
