"""Bottlerocket: settings in TOML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.metadata import Taint
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.bottlerocket import read_bottlerocket

GENERATED = """
[settings.motd]
text = "kept"
[settings.kubernetes]
api-server = "https://shop.eks.example"
cluster-certificate = "Q0E="
cluster-name = "shop"
cluster-dns-ip = "10.100.0.10"
max-pods = 58
image-gc-high-threshold-percent = "85"
[settings.kubernetes.node-labels]
"karpenter.sh/nodepool" = "default"
[settings.kubernetes.node-taints]
"karpenter.sh/unregistered" = [":NoExecute"]
team = ["a:NoSchedule", "b:NoExecute"]
[settings.kubernetes.kube-reserved]
cpu = "100m"
[settings.kubernetes.eviction-hard]
"memory.available" = "5%"
[settings.bootstrap-commands.000-mount-instance-storage]
commands = [["apiclient", "ephemeral-storage", "init"], ["apiclient", "ephemeral-storage", "bind"]]
mode = "always"
"""


def test_what_the_autoscaler_writes_is_read_back_whole():
    assert read_bottlerocket(GENERATED) == Boot(
        cluster_name="shop",
        endpoint="https://shop.eks.example",
        authority="Q0E=",
        cluster_dns=("10.100.0.10",),
        labels={"karpenter.sh/nodepool": "default"},
        taints=(
            Taint(key="karpenter.sh/unregistered", effect="NoExecute"),
            Taint(key="team", value="a", effect="NoSchedule"),
            Taint(key="team", value="b", effect="NoExecute"),
        ),
        max_pods=58,
        kube_reserved={"cpu": "100m"},
        eviction_hard={"memory.available": "5%"},
        joins_disks=True,
    )


@given(st.text(max_size=200))
def test_any_other_text_is_a_boot_error_and_nothing_worse(text):
    with pytest.raises(BootError):
        read_bottlerocket(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[settings.kubernetes\n", "TOML parse error"),
        ("[kubernetes]\ncluster-name = 'shop'", "unknown field `kubernetes`"),
        ("[settings.kubernetes]\ncluster_name = 'shop'", "unknown field `cluster_name`"),
        ("[settings]\nkubernetes = 1", "expected a table"),
        ("[settings.kubernetes]\ncluster-name = 1", "cluster-name: expected a string"),
        ("[settings.kubernetes]\nmax-pods = 9", "cluster-name is not set"),
        ("[settings.kubernetes]\nmax-pods = 'x'", "invalid value 'x'"),
        ("[settings.kubernetes.node-labels]\na = true", "node-labels.a: expected a string"),
        ("[settings.kubernetes.node-taints]\na = 1", "expected a string or a list"),
        ("[settings.kubernetes.node-taints]\na = 'b'", "invalid taint spec: a=b"),
        (
            "[settings.kubernetes]\ncluster-name = 'c'\nnode-labels = {'k8s.io/a' = 'b'}",
            "k8s.io/a",
        ),
    ],
)
def test_the_console_says_why_no_kubelet_came_up(text, said):
    with pytest.raises(BootError, match=said):
        read_bottlerocket(text)
