"""The kubelet's command line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.metadata import Taint
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.flags import apply_flags, check_labels, read_taint

WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789-./", min_size=1, max_size=12)
EFFECTS = st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"])


def booted(*arguments):
    return apply_flags(Boot(cluster_name="c"), arguments)


@given(st.dictionaries(WORDS, WORDS), st.booleans())
def test_labels_read_back(labels, joined):
    text = ",".join(f"{key}={value}" for key, value in labels.items())

    found = booted(f"--node-labels={text}") if joined else booted("--node-labels", text)

    assert found.labels == labels


@given(WORDS, st.one_of(st.just(""), WORDS), EFFECTS)
def test_taints_read_back(key, value, effect):
    spec = f"{key}={value}" if value else key

    assert read_taint(f"{spec}:{effect}") == Taint(key=key, value=value, effect=effect)


def test_labels_add_up_and_of_other_flags_the_last_counts():
    found = booted(
        "--node-labels=a=1,b=2",
        "--node-labels=b=3",
        "--max-pods=10",
        "--max-pods=20",
        "--register-with-taints=x:NoSchedule",
        "--register-with-taints=y=1:NoExecute,z:NoSchedule",
    )

    assert found.labels == {"a": "1", "b": "3"}
    assert found.max_pods == 20
    assert [taint.key for taint in found.taints] == ["y", "z"]


def test_amounts_are_read_with_their_own_separators():
    found = booted(
        '--kube-reserved=cpu="100m",memory="1Gi"',
        "--system-reserved=cpu=50m",
        "--eviction-hard=memory.available<5%,nodefs.available<10%",
        "--pods-per-core=3",
        "--cluster-dns=10.100.0.10",
        "--v=2",
        "--image-gc-high-threshold=85",
        "--cpu-cfs-quota=false",
    )

    assert found.kube_reserved == {"cpu": "100m", "memory": "1Gi"}
    assert found.system_reserved == {"cpu": "50m"}
    assert found.eviction_hard == {"memory.available": "5%", "nodefs.available": "10%"}
    assert found.pods_per_core == 3
    assert found.cluster_dns == ("10.100.0.10",)


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("--no-such-flag=1", "unknown flag: --no-such-flag"),
        ("--register-with-taints=a:Sometimes", "invalid taint spec: a:Sometimes"),
        ("--max-pods=many", "invalid value 'many' for --max-pods"),
        ("--node-labels=plain", "malformed pair"),
        ("stray", "unknown command"),
    ],
)
def test_a_kubelet_ends_over_what_it_cannot_read(argument, said):
    with pytest.raises(BootError, match=said):
        booted(argument)


@pytest.mark.parametrize(
    ("key", "allowed"),
    [
        ("karpenter.sh/nodepool", True),
        ("team", True),
        ("node.kubernetes.io/instance-type", True),
        ("node.kubernetes.io/anything", True),
        ("sub.node.kubernetes.io/anything", True),
        ("kubernetes.io/role", False),
        ("node-role.kubernetes.io/worker", False),
        ("topology.k8s.io/zone", False),
        ("notkubernetes.io/x", True),
    ],
)
def test_a_kubelet_may_not_give_itself_labels_of_the_cluster(key, allowed):
    if allowed:
        check_labels({key: "x"})
    else:
        with pytest.raises(BootError, match=key):
            check_labels({key: "x"})
