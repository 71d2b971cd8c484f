"""Volumes and interfaces of machines."""

import pytest

from builders.awslaunches import a_spec
from nodewright.aws.devices import Network, block_devices, gib, network_interfaces

GROUPS = Network(("sg-1",))


def sizes(**fields):
    return [
        (one["DeviceName"], one["Ebs"]["VolumeSize"]) for one in block_devices(a_spec(**fields))
    ]


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("AL2", [("/dev/xvda", 20)]),
        ("AL2023", [("/dev/xvda", 20)]),
        ("Bottlerocket", [("/dev/xvda", 4), ("/dev/xvdb", 20)]),
        ("Windows2019", [("/dev/sda1", 50)]),
        ("Windows2025", [("/dev/sda1", 50)]),
        ("Custom", []),
    ],
)
def test_each_family_has_its_volumes(family, expected):
    assert sizes(amiFamily=family) == expected


def test_default_volumes_are_encrypted_gp3():
    [root] = block_devices(a_spec())

    assert root["Ebs"] == {"Encrypted": True, "VolumeSize": 20, "VolumeType": "gp3"}


@pytest.mark.parametrize(
    ("size", "whole"), [("20Gi", 20), ("1G", 1), ("100G", 94), ("1Ti", 1024), ("1T", 932)]
)
def test_sizes_are_rounded_up_to_whole_gib(size, whole):
    assert gib(size) == whole


def test_everything_that_a_class_says_of_a_volume_is_passed_on():
    ebs = {
        "deleteOnTermination": True,
        "encrypted": True,
        "iops": 3000,
        "kmsKeyID": "alias/nodes",
        "snapshotID": "snap-1",
        "throughput": 125,
        "volumeInitializationRate": 200,
        "volumeSize": "30Gi",
        "volumeType": "gp3",
    }
    [only] = block_devices(a_spec(blockDeviceMappings=[{"deviceName": "/dev/xvdc", "ebs": ebs}]))

    assert only == {
        "DeviceName": "/dev/xvdc",
        "Ebs": {
            "DeleteOnTermination": True,
            "Encrypted": True,
            "Iops": 3000,
            "KmsKeyId": "alias/nodes",
            "SnapshotId": "snap-1",
            "Throughput": 125,
            "VolumeInitializationRate": 200,
            "VolumeSize": 30,
            "VolumeType": "gp3",
        },
    }


def test_the_usual_interface_is_not_named():
    assert network_interfaces(a_spec(), GROUPS) == []


def test_a_public_address_needs_an_interface():
    assert network_interfaces(a_spec(associatePublicIPAddress=False), GROUPS) == [
        {
            "NetworkCardIndex": 0,
            "DeviceIndex": 0,
            "InterfaceType": "interface",
            "Groups": ["sg-1"],
            "AssociatePublicIpAddress": False,
        }
    ]


def test_a_cluster_of_ipv6_has_a_primary_address_of_it():
    [only] = network_interfaces(a_spec(ipPrefixCount=2), Network(("sg-1",), is_ipv6=True))

    assert (only["Ipv6AddressCount"], only["PrimaryIpv6"], only["Ipv6PrefixCount"]) == (1, True, 2)


def test_efa_gets_one_interface_on_each_card():
    found = network_interfaces(a_spec(), Network(("sg-1",), efa_count=3))

    assert [(one["NetworkCardIndex"], one["DeviceIndex"]) for one in found] == [
        (0, 0),
        (1, 1),
        (2, 1),
    ]
    assert {one["InterfaceType"] for one in found} == {"efa"}


def test_interfaces_for_efa_alone_carry_no_addresses():
    spec = a_spec(
        associatePublicIPAddress=True,
        connectionTracking={"udpTimeout": 40},
        networkInterfaces=[
            {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
            {"networkCardIndex": 1, "deviceIndex": 1, "interfaceType": "efa-only"},
        ],
    )
    first, second = network_interfaces(spec, GROUPS)

    assert first["ConnectionTrackingSpecification"] == {"UdpTimeout": 40}
    assert first["AssociatePublicIpAddress"] is True
    assert set(second) == {"NetworkCardIndex", "DeviceIndex", "InterfaceType", "Groups"}
