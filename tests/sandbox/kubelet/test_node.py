"""The Node that a machine becomes."""

import msgspec
import pytest

from nodewright.catalog.table import bundled_table
from nodewright.model.metadata import Taint, Toleration
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.daemons import Daemon
from nodewright.sandbox.kubelet.family import Image
from nodewright.sandbox.kubelet.instance import Instance
from nodewright.sandbox.kubelet.node import Body, draft_node, fell_silent, not_ready

PLUGIN = Daemon("kube-system", "aws-node", (Toleration(operator="Exists"),))


def an_instance(**changes):
    return msgspec.structs.replace(
        Instance(
            id="i-1",
            type="c7i.2xlarge",
            state="running",
            zone="us-west-2a",
            image_id="ami-1",
            subnet_id="subnet-1",
            vpc_id="vpc-1",
            address="10.0.1.5",
            dns_name="ip-10-0-1-5.us-west-2.compute.internal",
        ),
        **changes,
    )


def a_body(boot=None, family="AL2023", instance=None, **changes):
    machine = instance or an_instance()
    return Body(
        instance=machine,
        image=Image(family, "1.34"),
        shape=bundled_table().shapes_by_name[machine.type],
        boot=boot or Boot(cluster_name="shop"),
        daemons=(PLUGIN,),
        kubelet_version="v1.34.4",
        **changes,
    )


def test_the_catalogs_numbers_are_the_nodes():
    status = draft_node(a_body())["status"]

    assert status["allocatable"] == {
        "cpu": "7910m",
        "memory": "14162Mi",
        "pods": "58",
        "ephemeral-storage": "17Gi",
    }
    assert status["capacity"]["cpu"] == "8"


def test_what_the_user_data_sets_takes_the_place_of_the_defaults():
    boot = Boot(
        cluster_name="shop",
        max_pods=20,
        kube_reserved={"cpu": "500m"},
        system_reserved={"memory": "1Gi"},
        eviction_hard={"memory.available": "200Mi"},
    )

    status = draft_node(a_body(boot, disks=(("/dev/xvda", 100),)))["status"]

    assert status["capacity"]["ephemeral-storage"] == "100Gi"
    assert status["capacity"]["pods"] == "20"
    assert status["allocatable"]["cpu"] == "7500m"
    assert status["allocatable"]["memory"] == f"{14162 - 1024 - 100}Mi"


def test_labels_addresses_and_taints_are_those_of_the_machine():
    boot = Boot(
        cluster_name="shop",
        labels={"karpenter.sh/nodepool": "default", "topology.kubernetes.io/zone": "wrong"},
        taints=(Taint(key="karpenter.sh/unregistered", effect="NoExecute"),),
    )

    node = draft_node(
        a_body(boot, instance=an_instance(public_address="3.3.3.3"), zone_id="usw2-az1")
    )

    labels = node["metadata"]["labels"]
    assert node["metadata"]["name"] == "ip-10-0-1-5.us-west-2.compute.internal"
    assert labels["topology.kubernetes.io/zone"] == "us-west-2a"
    assert labels["topology.kubernetes.io/region"] == "us-west-2"
    assert labels["topology.k8s.aws/zone-id"] == "usw2-az1"
    assert labels["node.kubernetes.io/instance-type"] == "c7i.2xlarge"
    assert labels["kubernetes.io/os"] == "linux"
    assert labels["karpenter.sh/nodepool"] == "default"
    assert node["spec"] == {
        "providerID": "aws:///us-west-2a/i-1",
        "taints": [{"key": "karpenter.sh/unregistered", "effect": "NoExecute"}],
    }
    assert {one["type"] for one in node["status"]["addresses"]} == {
        "InternalIP",
        "ExternalIP",
        "InternalDNS",
        "Hostname",
    }


def test_windows_says_its_build():
    node = draft_node(a_body(family="Windows2022"))

    assert node["metadata"]["labels"]["kubernetes.io/os"] == "windows"
    assert node["metadata"]["labels"]["node.kubernetes.io/windows-build"] == "10.0.20348"
    assert node["status"]["nodeInfo"]["operatingSystem"] == "windows"


@pytest.mark.parametrize("zone", ["us-west-2a", "us-west-2-lax-1a", "us-gov-west-1b"])
def test_the_region_is_told_by_the_zone(zone):
    region = "us-gov-west-1" if "gov" in zone else "us-west-2"

    assert an_instance(zone=zone).region == region


def test_a_node_that_cannot_be_ready_is_held_and_says_why():
    held = draft_node(a_body(), "no network")["metadata"]["annotations"]
    [condition] = not_ready("no network", "2026-01-01T00:00:00Z")["status"]["conditions"]
    [silent] = fell_silent("2026-01-01T00:00:00Z")["status"]["conditions"]

    assert held["sandbox.nodewright.dev/hold"] == "not ready"
    assert (condition["status"], condition["message"]) == ("False", "no network")
    assert silent["status"] == "Unknown"


def test_an_amount_that_is_none_ends_the_kubelet():
    with pytest.raises(BootError, match="kubelet"):
        draft_node(a_body(Boot(cluster_name="shop", kube_reserved={"cpu": "lots"})))
