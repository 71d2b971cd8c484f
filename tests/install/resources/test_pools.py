from builders.found import a_cluster, a_found, a_group, steps_of
from nodewright.install.found import Kube
from nodewright.install.steps import Remove


def requirements(*groups):
    steps = steps_of(a_found(a_cluster(node_groups=groups)))
    spec = steps["nodepool default"].deeds[1].document["spec"]["template"]["spec"]
    return {one["key"]: one["values"] for one in spec["requirements"]}


def test_the_pool_is_drafted_from_the_node_groups():
    found = requirements(
        a_group("a", instance_types=("t3.large",), capacity_type="SPOT"),
        a_group("b", instance_types=("g5.xlarge",), ami_type="AL2023_ARM_64_STANDARD"),
    )

    assert found["kubernetes.io/arch"] == ["amd64", "arm64"]
    assert found["karpenter.sh/capacity-type"] == ["on-demand", "spot"]
    assert found["karpenter.k8s.aws/instance-category"] == ["c", "g", "m", "r"]


def test_bottlerocket_stays_bottlerocket():
    groups = (a_group(ami_type="BOTTLEROCKET_x86_64"),)
    steps = steps_of(a_found(a_cluster(node_groups=groups)))

    spec = steps["ec2nodeclass default"].deeds[1].document["spec"]
    assert spec["amiSelectorTerms"] == [{"alias": "bottlerocket@latest"}]


def test_where_a_pool_is_there_none_is_drafted():
    assert "nodepool default" not in steps_of(a_found(kube=Kube(pools=("theirs",))))
    assert "nodepool default" not in steps_of(a_found(kube=Kube(provisioners=("old",))))
    assert "nodepool default" not in steps_of(a_found(), has_pools=False)


def test_a_drafted_pool_goes_first_and_its_nodes_are_waited_for():
    claim = {"metadata": {"name": "c", "labels": {"karpenter.sh/nodepool": "default"}}}
    record = {"pool.default": {"was": None}, "class.default": {"was": None}}
    kube = Kube(record=record, claims=(claim,), pools=("default",), classes=("default",))
    first, second = steps_of(a_found(kube=kube), "uninstall").values()

    assert first.detail == "1 nodes are drained first"
    removal = first.deeds[0]
    assert isinstance(removal, Remove)
    assert removal.waits
    assert "nodeclaims?labelSelector" in removal.until_none
    assert second.title == "ec2nodeclass default"
