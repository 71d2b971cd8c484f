"""What every family says: labels, taints and addresses of a node."""

import pytest

from builders.awsdrafts import a_draft
from nodewright.aws.userdata.draft import UNREGISTERED, may_be_given
from nodewright.model.errors import UserError
from nodewright.model.metadata import Taint


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("team", True),
        ("karpenter.sh/nodepool", True),
        ("example.com/kubernetes.io", True),
        ("notkubernetes.io/a", True),
        ("kubernetes.io/arch", False),
        ("topology.kubernetes.io/zone", False),
        ("topology.k8s.io/zone", False),
        ("a.node-restriction.kubernetes.io/b", False),
    ],
)
def test_labels_in_the_domains_of_kubernetes_are_not_given(key, given):
    assert may_be_given(key) is given


def test_taints_come_once_with_the_one_of_the_unregistered_last():
    taint = Taint(key="a", effect="NoSchedule")

    assert a_draft(taints=(taint, UNREGISTERED, taint)).node_taints == (taint, UNREGISTERED)


def test_dns_of_the_class_beats_that_of_the_cluster():
    assert a_draft(kubelet={"clusterDNS": ["1.1.1.1"]}).dns == ("1.1.1.1",)
    assert a_draft().dns == ("10.100.0.10",)


def test_a_kubelet_that_cannot_be_read_is_one_sentence():
    with pytest.raises(UserError) as refused:
        _ = a_draft(kubelet={"podsPerCore": "many"}).settings

    assert refused.value.where == "spec.kubelet"
