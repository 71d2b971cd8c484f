"""An EC2NodeClass, as far as it changes instance types."""

import msgspec
import pytest

from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.resolve import instance_types_for
from nodewright.catalog.settings import (
    DEFAULT,
    GIB,
    BlockDevice,
    Interface,
    NodeSettings,
    SubnetZone,
)
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.quantity import MILLI, parse_quantity


def a_node_class(status=None, **spec):
    return msgspec.convert(
        {
            "metadata": {"name": "default"},
            "spec": {"amiSelectorTerms": [{"alias": "al2023@latest"}], **spec},
            "status": status or {},
        },
        EC2NodeClass,
    )


def test_a_plain_node_class_has_the_default_settings():
    assert settings_of(a_node_class()) == DEFAULT


def test_every_field_that_counts_is_taken():
    node_class = a_node_class(
        status={
            "subnets": [
                {"id": "subnet-2", "zone": "us-east-1b", "zoneID": "use1-az2"},
                {"id": "subnet-1", "zone": "us-east-1a", "zoneID": "use1-az1"},
                {"id": "subnet-3", "zone": "us-east-1a", "zoneID": "use1-az1"},
            ]
        },
        amiSelectorTerms=[{"alias": "bottlerocket@latest"}],
        kubelet={
            "maxPods": 42,
            "podsPerCore": 3,
            "kubeReserved": {"cpu": "200m"},
            "systemReserved": {"memory": "1Gi"},
            "evictionHard": {"memory.available": "5%"},
        },
        blockDeviceMappings=[
            {"deviceName": "/dev/xvdb", "rootVolume": True, "ebs": {"volumeSize": "80Gi"}},
            {"deviceName": "/dev/xvdc", "ebs": {"snapshotID": "snap-1"}},
        ],
        instanceStorePolicy="RAID0",
        networkInterfaces=[
            {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
            {"networkCardIndex": 0, "deviceIndex": 1, "interfaceType": "efa-only"},
        ],
        connectionTracking={"udpTimeout": 60},
        cpuOptions={"nestedVirtualization": "enabled"},
    )
    base = NodeSettings(reserved_enis=1, vm_memory_overhead_percent=0.1)
    assert settings_of(node_class, base) == NodeSettings(
        ami_family="Bottlerocket",
        zones=(SubnetZone("us-east-1a", "use1-az1"), SubnetZone("us-east-1b", "use1-az2")),
        max_pods=42,
        pods_per_core=3,
        kube_reserved=(("cpu", 200),),
        system_reserved=(("memory", parse_quantity("1Gi")),),
        eviction_hard=(("memory.available", "5%"),),
        reserved_enis=1,
        vm_memory_overhead_percent=0.1,
        block_devices=(
            BlockDevice("/dev/xvdb", 80 * GIB, is_root=True),
            BlockDevice("/dev/xvdc"),
        ),
        instance_store_policy="RAID0",
        network_interfaces=(Interface(0, 0), Interface(0, 1, "efa-only")),
        has_connection_tracking=True,
        nests_virtualization=True,
    )


def test_the_settings_of_a_node_class_reach_its_instance_types():
    settings = settings_of(a_node_class(kubelet={"maxPods": 7}))
    types = instance_types_for("us-west-1", settings)
    assert {found.capacity["pods"] for found in types} == {7 * MILLI}


def test_expressions_are_kept_apart_from_amounts():
    reserved = {"cpu": "vcpus * 30", "memory": "1Gi"}
    found = settings_of(a_node_class(kubelet={"maxPods": "vcpus * 8", "kubeReserved": reserved}))

    assert (found.max_pods, found.max_pods_formula) == (None, "vcpus * 8")
    assert found.kube_formulas == (("cpu", "vcpus * 30"),)
    assert found.kube_reserved == (("memory", GIB),)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"kubelet": {"podsPerCore": "many"}}, "podsPerCore"),
        ({"kubelet": {"kubeReserved": {"cpu": "lots"}}}, "cpu: 'lots' is not a quantity"),
        (
            {"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "big"}}]},
            "'big' is not a quantity",
        ),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence_with_the_class(spec, said):
    with pytest.raises(UserError, match=said) as caught:
        settings_of(a_node_class(**spec))
    assert caught.value.where == "EC2NodeClass default"
