"""Objects of ready-made clusters, held against what nodes need of them."""

from nodewright.model.metadata import Taint
from nodewright.sandbox.accounts import manifests
from nodewright.sandbox.kubelet.access import Door, judge_access
from nodewright.sandbox.kubelet.daemons import judge_daemons, read_daemon

ROLE = "arn:aws:iam::123456789012:role/Node"


def test_the_map_lets_the_named_roles_in():
    written = manifests.aws_auth([ROLE])["data"]["mapRoles"]

    assert judge_access(Door("CONFIG_MAP", {}, written), ROLE, is_windows=False) == ""


def test_the_system_has_all_that_a_node_needs():
    objects = manifests.system_objects("10.96.0.10")
    daemons = [read_daemon(one) for one in objects if one["kind"] == "DaemonSet"]

    assert [one.name for one in daemons] == ["aws-node", "kube-proxy"]
    assert list(judge_daemons(daemons, [Taint(key="any", effect="NoExecute")])) == []
    assert {one["metadata"]["name"] for one in objects if one["kind"] == "Deployment"} == {
        "coredns",
        "metrics-server",
    }


def test_terms_of_an_affinity_stand_beside_each_other():
    one, two = {"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}

    together = manifests.node_affinity([one, two])["nodeAffinity"]
    apart = manifests.node_affinity([one], [two])["nodeAffinity"]

    def terms(found):
        return found["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert [len(term["matchExpressions"]) for term in terms(together)] == [2]
    assert [len(term["matchExpressions"]) for term in terms(apart)] == [1, 1]
