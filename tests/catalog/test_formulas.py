"""Kubelet settings that are written as expressions."""

import msgspec
import pytest

from nodewright.catalog.formulas import check_formulas, settle
from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.resolve import instance_types_for
from nodewright.catalog.settings import GIB, NodeSettings
from nodewright.catalog.table import bundled_table
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.quantity import MILLI

MIB = 1024**2 * MILLI
SHAPES = bundled_table().shapes_by_name


def a_class(**kubelet):
    terms = [{"alias": "al2023@latest"}]
    spec = {"amiSelectorTerms": terms, "kubelet": kubelet}
    return msgspec.convert({"metadata": {"name": "default"}, "spec": spec}, EC2NodeClass)


def settled(name, **kubelet):
    return settle(SHAPES[name], settings_of(a_class(**kubelet)))


def test_settings_without_expressions_are_left_alone():
    settings = NodeSettings(max_pods=30)

    assert settle(SHAPES["m5.large"], settings) is settings


@pytest.mark.parametrize(("name", "pods"), [("m5.large", 20), ("m5.24xlarge", 688)])
def test_pods_follow_the_interfaces_of_the_type(name, pods):
    text = "((default_enis - 1) * (ips_per_eni - 1)) + 2"

    assert settled(name, maxPods=text).max_pods == pods


def test_pods_see_the_number_that_would_hold_without_them():
    assert settled("m5.large", maxPods="max_pods + 1").max_pods == 30
    assert settled("m5.large", maxPods="max_pods + 1", podsPerCore=5).max_pods == 11


def test_results_have_units_and_cpu_and_memory_are_rounded_up():
    found = settled(
        "m5.large",
        kubeReserved={
            "cpu": "max(61, vcpus * 30)",
            "memory": "11 * max_pods + 255",
            "ephemeral-storage": "vcpus * 2",
            "pid": "vcpus * 1000",
        },
        systemReserved={"cpu": "vcpus * 10", "memory": "100Mi"},
    )

    assert dict(found.kube_reserved) == {
        "cpu": 70,
        "memory": 576 * MIB,
        "ephemeral-storage": 4 * GIB,
        "pid": 2000 * MILLI,
    }
    assert dict(found.system_reserved) == {"cpu": 20, "memory": 100 * MIB}


def test_what_is_reserved_sees_the_pods_that_came_out():
    found = settled("m5.large", maxPods="110", kubeReserved={"memory": "11 * max_pods + 255"})

    assert dict(found.kube_reserved) == {"memory": 1472 * MIB}


def test_types_are_planned_with_what_came_out():
    text = {"cpu": "vcpus * 100", "memory": "memory_mib / 8"}
    settings = settings_of(a_class(maxPods="vcpus * 8", systemReserved=text))
    types = {one.name: one for one in instance_types_for("us-east-1", settings)}
    plain = {one.name: one for one in instance_types_for("us-east-1")}

    large = types["m5.large"]
    assert large.capacity["pods"] == 16 * MILLI
    assert large.overhead.system_reserved == {"cpu": 200, "memory": 1024 * MIB}
    assert large.allocatable["cpu"] == plain["m5.large"].allocatable["cpu"] - 200
    assert types["m5.xlarge"].capacity["pods"] == 32 * MILLI


@pytest.mark.parametrize(
    ("kubelet", "said"),
    [
        ({"maxPods": "0 - 1"}, "maxPods cannot be worked out for .*: the result -1 is negative"),
        ({"maxPods": "vcpus * 4000000000"}, "maxPods .* is more than 2147483647"),
        ({"kubeReserved": {"gpu": "vcpus * 2"}}, "kubeReserved gpu .* only cpu, memory"),
        ({"kubeReserved": {"cpu": "0 - vcpus"}}, "kubeReserved cpu .* is negative"),
        ({"systemReserved": {"memory": "1 / (vcpus - vcpus)"}}, "systemReserved memory .* by zero"),
    ],
)
def test_an_expression_without_a_usable_result_names_field_and_type(kubelet, said):
    error = check_formulas(settings_of(a_class(**kubelet)), SHAPES.values())

    assert error is not None
    with pytest.raises(UserError, match=said):
        raise error


def test_an_expression_that_fails_for_one_type_only_is_found():
    settings = settings_of(a_class(maxPods="100 / max(vcpus - 2, 0)"))
    larger, smaller = SHAPES["m5.xlarge"], SHAPES["m5.large"]

    assert check_formulas(settings, [larger]) is None
    assert (
        "for m5.large: something is divided" in check_formulas(settings, [larger, smaller]).message
    )


def test_a_class_without_expressions_is_not_worked_out():
    assert check_formulas(settings_of(a_class(maxPods=30)), SHAPES.values()) is None
