"""Amazon Linux 2023: NodeConfig documents, merged."""

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from builders.userdata import mime
from nodewright.model.metadata import Taint
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.nodeadm import read_al2023
from nodewright.sandbox.kubelet.parts import NODE_CONFIG, SHELL

CLUSTER = {
    "name": "shop",
    "apiServerEndpoint": "https://shop.eks.example",
    "certificateAuthority": "Q0E=",
    "cidr": "10.100.0.0/16",
}


def config(**spec):
    return yaml.safe_dump(
        {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}
    )


def user_data(*documents):
    return mime(*((NODE_CONFIG, document) for document in documents))


GENERATED = config(
    cluster=CLUSTER,
    kubelet={
        "config": {
            "maxPods": 58,
            "clusterDNS": ["10.100.0.10"],
            "registerWithTaints": [{"key": "karpenter.sh/unregistered", "effect": "NoExecute"}],
            "evictionHard": {"memory.available": "5%"},
            "kubeReserved": {"cpu": "100m"},
            "systemReserved": {"memory": "1Gi"},
            "podsPerCore": 4,
        },
        "flags": ['--node-labels="karpenter.sh/nodepool=default"'.replace('"', "")],
    },
    instance={"localStorage": {"strategy": "RAID0"}},
)


def test_what_the_autoscaler_writes_is_read_back_whole():
    found = read_al2023(mime((SHELL, "#!/bin/sh\ntrue"), (NODE_CONFIG, GENERATED)))

    assert found == Boot(
        cluster_name="shop",
        endpoint="https://shop.eks.example",
        authority="Q0E=",
        cluster_dns=("10.100.0.10",),
        labels={"karpenter.sh/nodepool": "default"},
        taints=(Taint(key="karpenter.sh/unregistered", effect="NoExecute"),),
        max_pods=58,
        pods_per_core=4,
        kube_reserved={"cpu": "100m"},
        system_reserved={"memory": "1Gi"},
        eviction_hard={"memory.available": "5%"},
        joins_disks=True,
    )


def test_the_last_document_wins_and_flags_add_up():
    mine = config(
        cluster={"name": "other"},
        kubelet={"config": {"maxPods": 1, "podsPerCore": 2}, "flags": ["--node-labels=a=1"]},
    )
    theirs = config(
        cluster=CLUSTER, kubelet={"config": {"maxPods": 9}, "flags": ["--node-labels=b=2"]}
    )

    found = read_al2023(user_data(mine, theirs))

    assert (found.cluster_name, found.max_pods, found.pods_per_core) == ("shop", 9, 2)
    assert found.labels == {"a": "1", "b": "2"}


def test_one_document_needs_no_mime():
    assert read_al2023(config(cluster=CLUSTER)).cluster_name == "shop"


@given(st.permutations(sorted(CLUSTER)), st.integers(0, 4))
def test_a_cluster_may_be_told_in_several_documents(keys, cut):
    first = {key: CLUSTER[key] for key in keys[:cut]}
    second = {key: CLUSTER[key] for key in keys[cut:]}

    found = read_al2023(user_data(config(cluster=first), config(cluster=second)))

    assert found == read_al2023(config(cluster=CLUSTER))


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ("name", "Name is missing"),
        ("apiServerEndpoint", "Apiserver endpoint is missing"),
        ("certificateAuthority", "Certificate authority is missing"),
        ("cidr", "CIDR is missing"),
    ],
)
def test_every_fact_of_the_cluster_must_be_there(left_out, said):
    cluster = {key: value for key, value in CLUSTER.items() if key != left_out}

    with pytest.raises(BootError, match=said):
        read_al2023(config(cluster=cluster))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no config in chain"),
        ("#!/bin/bash\necho hi", "no config in chain"),
        (mime((SHELL, "#!/bin/bash\necho hi")), "no config in chain"),
        (mime((SHELL, "kind: NodeConfig")), "Exec format error"),
        (user_data("a: [b"), "Failed to load configuration: while parsing"),
        (user_data("- a"), "not an object"),
        (user_data("kind: NodeConfig\napiVersion: v1"), 'registered for version "v1"'),
        (config(cluster=CLUSTER, kubelet={"flags": "--v=2"}), "Expected `array`"),
        (config(cluster=CLUSTER | {"certificateAuthority": "no!"}), "illegal base64"),
        (config(cluster=CLUSTER, kubelet={"config": {"maxPods": "many"}}), "invalid value 'many'"),
        (config(cluster=CLUSTER, kubelet={"config": {"kubeReserved": ["a"]}}), "not an object"),
        (config(cluster=CLUSTER, kubelet={"config": {"registerWithTaints": ["a"]}}), "a taint is"),
        (config(cluster=CLUSTER, kubelet={"flags": ["--node-labels=k8s.io/a=b"]}), "k8s.io/a"),
    ],
)
def test_the_console_says_why_no_kubelet_came_up(text, said):
    with pytest.raises(BootError, match=said):
        read_al2023(text)


def test_json_is_yaml_too():
    document = {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"cluster": CLUSTER},
    }

    assert read_al2023(user_data(msgspec.json.encode(document).decode())).cluster_name == "shop"
