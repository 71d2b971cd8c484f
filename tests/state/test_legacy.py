"""Older objects in a snapshot: planned with as what they are today, and whoever asks is told."""

from builders.snapshots import a_document, a_pod_value, a_pool_value, an_object, read
from nodewright.core.scheduling.solve import solve
from nodewright.model.labels import DO_NOT_DISRUPT, NODEPOOL

OLD, OLD_AWS = "karpenter.sh/v1alpha5", "karpenter.k8s.aws/v1alpha1"
BETA, BETA_AWS = "karpenter.sh/v1beta1", "karpenter.k8s.aws/v1beta1"
PROVISIONER = an_object(
    "Provisioner",
    "default",
    OLD,
    spec={"providerRef": {"name": "default"}, "limits": {"resources": {"cpu": "40"}}},
)
TEMPLATE = an_object(
    "AWSNodeTemplate",
    "default",
    OLD_AWS,
    spec={"subnetSelector": {"a": "b"}, "securityGroupSelector": {"a": "b"}},
)
MACHINE = an_object(
    "Machine",
    "default-x1",
    OLD,
    metadata={"labels": {"karpenter.sh/provisioner-name": "default"}},
    spec={"machineTemplateRef": {"name": "default"}},
    status={"providerID": "aws:///a/i-1", "nodeName": "n1"},
)
NODE = an_object(
    "Node",
    "n1",
    metadata={"labels": {"karpenter.sh/provisioner-name": "default"}},
    spec={
        "providerID": "aws:///a/i-1",
        "taints": [
            {"key": "karpenter.sh/disruption", "value": "disrupting", "effect": "NoSchedule"}
        ],
    },
)
ALL = {"instanceTypes": {"default": "all"}}


def test_a_cluster_of_old_objects_is_planned_for():
    snapshot = read(a_document(PROVISIONER, TEMPLATE, MACHINE, NODE, a_pod_value(), **ALL))
    world = snapshot.world
    assert [pool.spec.limits for pool in world.node_pools] == [{"cpu": "40"}]
    assert [one.metadata.name for one in world.node_classes] == ["default"]
    assert [one.metadata.labels[NODEPOOL] for one in world.node_claims] == ["default"]
    assert solve(world).new_nodes[0].node_pool == "default"


def test_every_old_object_is_named_in_a_warning():
    warnings = read(a_document(PROVISIONER, TEMPLATE, MACHINE, NODE, **ALL)).warnings
    assert warnings[:3] == (
        f"objects[0]: Provisioner default of {OLD} is planned with as NodePool default",
        f"objects[1]: AWSNodeTemplate default of {OLD_AWS} is planned with as EC2NodeClass default",
        f"objects[2]: Machine default-x1 of {OLD} is planned with as NodeClaim default-x1",
    )


def test_the_kinds_of_v1beta1_are_taken_too():
    reference = {"apiVersion": BETA_AWS, "kind": "EC2NodeClass", "name": "default"}
    pool = an_object(
        "NodePool", "default", BETA, spec={"template": {"spec": {"nodeClassRef": reference}}}
    )
    node_class = an_object(
        "EC2NodeClass", "default", BETA_AWS, spec={"amiFamily": "AL2", "role": "r"}
    )
    snapshot = read(a_document(pool, node_class, a_pod_value(), **ALL))
    assert len(snapshot.warnings) >= 2
    assert solve(snapshot.world).unschedulable == {}


def test_nodes_carry_todays_names():
    (node,) = read(a_document(PROVISIONER, TEMPLATE, NODE, **ALL)).world.nodes
    assert node.metadata.labels == {NODEPOOL: "default"}
    assert [taint.key for taint in node.spec.taints] == ["karpenter.sh/disrupted"]


def test_pods_may_ask_by_the_old_names():
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [
                            {
                                "key": "karpenter.sh/provisioner-name",
                                "operator": "In",
                                "values": ["default"],
                            }
                        ]
                    }
                ]
            }
        }
    }
    by_selector = a_pod_value("a", nodeSelector={"karpenter.sh/provisioner-name": "default"})
    by_affinity = a_pod_value("b", affinity=affinity)
    quiet = a_pod_value("c")
    quiet["metadata"]["annotations"] = {"karpenter.sh/do-not-evict": "true"}
    world = read(a_document(PROVISIONER, TEMPLATE, by_selector, by_affinity, quiet, **ALL)).world
    assert solve(world).unschedulable == {}
    assert world.pods[2].metadata.annotations == {DO_NOT_DISRUPT: "true"}


def test_names_of_today_stay_where_there_is_nothing_old():
    odd = an_object("Node", "n", metadata={"labels": {"karpenter.sh/provisioner-name": "x"}})
    (node,) = read(a_document(odd)).world.nodes
    assert node.metadata.labels == {"karpenter.sh/provisioner-name": "x"}


def test_an_old_pool_whose_name_is_taken_is_left_out_with_a_word():
    snapshot = read(a_document(a_pool_value(), PROVISIONER, **ALL))
    assert len(snapshot.world.node_pools) == 1
    assert any("could not be converted" in one for one in snapshot.warnings)
    assert any("already" in one for one in snapshot.warnings)
