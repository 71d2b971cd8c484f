"""The labels of a type: each from its fact, and absent where EC2 names nothing."""

import pytest

from builders.shapes import a_shape
from nodewright.catalog.labels import requirements_of
from nodewright.catalog.settings import DEFAULT, NodeSettings, Reservation, SubnetZone
from nodewright.catalog.table import Accelerator, Gpu, NeuronDevice
from nodewright.model.labels import WELL_KNOWN
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.requirements import Requirements

GROUP = "karpenter.k8s.aws"
ZONES = ("xx-test-1a", "xx-test-1b")


def labels(shape, settings=DEFAULT, zones=ZONES):
    found = requirements_of(shape, "xx-test-1", zones, settings)
    return {key: " ".join(sorted(found[key].values)) for key in found if found[key].values}


def test_a_plain_machine_carries_every_label_that_has_a_value():
    assert labels(a_shape()) == {
        "node.kubernetes.io/instance-type": "m5.large",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "topology.kubernetes.io/zone": "xx-test-1a xx-test-1b",
        "topology.kubernetes.io/region": "xx-test-1",
        "karpenter.sh/capacity-type": "on-demand spot",
        f"{GROUP}/instance-cpu": "2",
        f"{GROUP}/instance-memory": "8192",
        f"{GROUP}/instance-cpu-manufacturer": "intel",
        f"{GROUP}/instance-cpu-sustained-clock-speed-mhz": "3100",
        f"{GROUP}/instance-category": "m",
        f"{GROUP}/instance-generation": "5",
        f"{GROUP}/instance-family": "m5",
        f"{GROUP}/instance-size": "large",
        f"{GROUP}/instance-capability-flex": "false",
        f"{GROUP}/instance-hypervisor": "nitro",
        f"{GROUP}/instance-encryption-in-transit-supported": "false",
        f"{GROUP}/nitro-sandbox": "false",
        f"{GROUP}/instance-ebs-bandwidth": "4750",
        f"{GROUP}/instance-network-bandwidth": "750",
        f"{GROUP}/instance-tenancy": "dedicated default",
    }


def test_every_label_is_one_that_pods_may_ask_for():
    assert set(requirements_of(a_shape(), "xx-test-1", ZONES, DEFAULT)) <= WELL_KNOWN


@pytest.mark.parametrize(
    ("name", "category", "generation"),
    [
        ("m5.large", "m", "5"),
        ("u-6tb1.112xlarge", "u", "1"),
        ("p6-b200.48xlarge", "p", "6"),
        ("c7i-flex.large", "c", "7"),
        ("mac-m4.metal", None, None),
    ],
)
def test_category_and_generation_are_read_from_the_name(name, category, generation):
    found = labels(a_shape(name))
    assert found.get(f"{GROUP}/instance-category") == category
    assert found.get(f"{GROUP}/instance-generation") == generation


@pytest.mark.parametrize(("name", "flex"), [("m7i-flex.large", "true"), ("m7i.large", "false")])
def test_flex_families_say_so(name, flex):
    assert labels(a_shape(name))[f"{GROUP}/instance-capability-flex"] == flex


def asks(key, operator, *values):
    return Requirements.from_expressions([NodeSelectorRequirement(key, operator, values)])


@pytest.mark.parametrize(
    ("operator", "value", "fits"), [("Gt", "4", True), ("Gt", "5", False), ("Lt", "6", True)]
)
def test_bounds_on_the_generation_hold(operator, value, fits):
    wanted = asks(f"{GROUP}/instance-generation", operator, value)
    found = requirements_of(a_shape(), "xx-test-1", ZONES, DEFAULT)
    assert (found.clash(wanted, WELL_KNOWN) is None) is fits


@pytest.mark.parametrize("label", ["instance-gpu-name", "instance-local-nvme"])
def test_a_label_without_a_fact_rejects_whoever_asks_for_it(label):
    found = requirements_of(a_shape(), "xx-test-1", ZONES, DEFAULT)
    assert found.clash(asks(f"{GROUP}/{label}", "Exists"), WELL_KNOWN) is not None
    assert found.clash(asks(f"{GROUP}/{label}", "DoesNotExist"), WELL_KNOWN) is None


def test_one_kind_of_gpu_is_labelled():
    found = labels(a_shape(gpus=(Gpu("L4 Tensor", "NVIDIA", 4, 22888),)))
    assert found[f"{GROUP}/instance-gpu-name"] == "l4-tensor"
    assert found[f"{GROUP}/instance-gpu-manufacturer"] == "nvidia"
    assert found[f"{GROUP}/instance-gpu-count"] == "4"
    assert found[f"{GROUP}/instance-gpu-memory"] == "22888"


def test_two_kinds_of_gpu_carry_no_label():
    found = labels(a_shape(gpus=(Gpu("A", "NVIDIA", 1, 1), Gpu("B", "AMD", 1, 1))))
    assert not any("gpu" in key for key in found)


def test_a_part_of_a_gpu_is_labelled_with_count_zero():
    found = labels(a_shape("g6f.large", gpus=(Gpu("L4", "NVIDIA", 0, 2861),)))
    assert found[f"{GROUP}/instance-gpu-count"] == "0"


def test_neuron_devices_win_over_inference_accelerators():
    shape = a_shape(
        neurons=(NeuronDevice("Inferentia2", 6, 2),),
        accelerators=(Accelerator("Other", "Some One", 9),),
    )
    found = labels(shape)
    assert found[f"{GROUP}/instance-accelerator-name"] == "inferentia2"
    assert found[f"{GROUP}/instance-accelerator-manufacturer"] == "aws"
    assert found[f"{GROUP}/instance-accelerator-count"] == "6"


def test_an_accelerator_that_is_no_neuron_names_its_maker():
    found = labels(a_shape(accelerators=(Accelerator("AI 100", "Qualcomm Inc", 8),)))
    assert found[f"{GROUP}/instance-accelerator-name"] == "ai-100"
    assert found[f"{GROUP}/instance-accelerator-manufacturer"] == "qualcomm-inc"


@pytest.mark.parametrize(("nvme", "expected"), [(True, "75"), (False, None)])
def test_only_nvme_disks_are_labelled(nvme, expected):
    found = labels(a_shape(store_gb=75, store_is_nvme=nvme))
    assert found.get(f"{GROUP}/instance-local-nvme") == expected


@pytest.mark.parametrize(("arch", "system"), [("amd64", "windows"), ("arm64", None)])
def test_windows_runs_on_amd64_only(arch, system):
    found = labels(a_shape(arch=arch), NodeSettings(ami_family="Windows2022"))
    assert found.get("kubernetes.io/os") == system
    assert found["node.kubernetes.io/windows-build"] == "10.0.20348"


def test_zone_ids_come_from_subnets_only():
    settings = NodeSettings(zones=(SubnetZone("xx-test-1a", "xxt1-az2"), SubnetZone("other", "z")))
    assert labels(a_shape(), settings)["topology.k8s.aws/zone-id"] == "xxt1-az2"
    assert "topology.k8s.aws/zone-id" not in labels(a_shape())


def test_a_reservation_adds_its_labels_to_its_own_type_only():
    settings = NodeSettings(reservations=(Reservation("cr-1", "m5.large", "xx-test-1a", 3),))
    mine, other = labels(a_shape(), settings), labels(a_shape("m5.xlarge"), settings)
    assert mine["karpenter.sh/capacity-type"] == "on-demand reserved spot"
    assert mine[f"{GROUP}/capacity-reservation-id"] == "cr-1"
    assert mine[f"{GROUP}/capacity-reservation-interruptible"] == "false"
    assert other["karpenter.sh/capacity-type"] == "on-demand spot"
    assert f"{GROUP}/capacity-reservation-id" not in other
