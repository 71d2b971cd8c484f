"""Objects of Karpenter's older kinds, applied as they were, make nodes and are told what they are."""

from nodewright.model.labels import INSTANCE_TYPE, NODEPOOL
from nodewright.model.legacy import PROVISIONER_NAME
from nodewright.model.resource import (
    AWS_NODE_TEMPLATES,
    NODE_CLAIMS,
    NODE_POOLS,
    NODES,
    PROVISIONERS,
)
from nodewright.sim.objects import EVENTS
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, begin, claims_of, running, told

TEMPLATE = {
    "kind": "AWSNodeTemplate",
    "metadata": {"name": "shop"},
    "spec": {
        "subnetSelector": {"karpenter.sh/discovery": "shop"},
        "securityGroupSelector": {"karpenter.sh/discovery": "shop"},
        "instanceProfile": "ShopNodes",
        "amiFamily": "AL2",
        "blockDeviceMappings": [
            {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "30Gi", "volumeType": "gp3"}}
        ],
        "detailedMonitoring": True,
        "tags": {"team": "shop"},
    },
}
WEB = {"name": "web", "replicas": 6, "cpu": "500m", "memory": "1Gi"}


def a_requirement(key, *values, operator="In"):
    return {"key": key, "operator": operator, "values": list(values)}


def a_provisioner(name="shop", **spec):
    """A Provisioner as guides of that time show it."""
    return {
        "kind": "Provisioner",
        "metadata": {"name": name},
        "spec": {
            "providerRef": {"name": "shop"},
            "requirements": [
                a_requirement("karpenter.k8s.aws/instance-category", "c", "m", "r", "t"),
                a_requirement("karpenter.k8s.aws/instance-generation", "3", operator="Gt"),
                a_requirement("kubernetes.io/arch", "arm64", "amd64"),
                a_requirement("karpenter.sh/capacity-type", "spot", "on-demand"),
                a_requirement("topology.kubernetes.io/zone", "us-east-1a", "us-east-1c"),
            ],
            "limits": {"resources": {"cpu": "1000", "memory": "1000Gi"}},
            "ttlSecondsUntilExpired": 2_592_000,
            "ttlSecondsAfterEmpty": 60,
            "kubeletConfiguration": {"containerRuntime": "containerd"},
            **spec,
        },
    }


def conditions(sim, resource=PROVISIONERS, name="shop"):
    found = sim.api.get(resource, name)
    return {one.type: (one.status, one.reason) for one in found.status.conditions}


def test_a_provisioner_makes_nodes_and_says_what_it_is_today():
    sim, _ = begin(a_provisioner(), TEMPLATE, workloads=[WEB])

    assert sim.run_until(lambda: running(sim) == 6, 5 * MINUTE_MS)
    sim.run_for(MINUTE_MS)
    claim = claims_of(sim, "shop")[0]
    owner = claim.metadata.owner_references[0]
    assert (owner.api_version, owner.kind) == ("karpenter.sh/v1alpha5", "Provisioner")
    assert owner.uid == sim.api.get(PROVISIONERS, "shop").metadata.uid
    zones = {node.metadata.labels["topology.kubernetes.io/zone"] for node in sim.api.each(NODES)}
    assert zones <= {"us-east-1a", "us-east-1c"}
    found = conditions(sim)
    assert found["Ready"] == ("True", "Ready")
    assert found["Deprecated"] == ("True", "UseNodePool")
    assert sim.api.get(PROVISIONERS, "shop").status.resources["nodes"] == str(sim.api.count(NODES))
    assert conditions(sim, AWS_NODE_TEMPLATES)["Ready"] == ("True", "Ready")
    assert sim.conclude().violations == ()


def test_the_deprecation_is_told_once():
    sim, _ = begin(a_provisioner(), TEMPLATE, workloads=[WEB])
    sim.run_for(20 * MINUTE_MS)

    reasons = [(one.regarding.kind, one.reason) for one in sim.api.each(EVENTS)]
    assert reasons.count(("Provisioner", "Deprecated")) == 1
    assert reasons.count(("AWSNodeTemplate", "Deprecated")) == 1
    sim.close()


def test_pods_that_select_by_the_old_name_run():
    pod = {"nodeSelector": {PROVISIONER_NAME: "shop"}}
    sim, _ = begin(a_provisioner(), TEMPLATE, workloads=[{**WEB, "pod": pod}])

    assert sim.run_until(lambda: running(sim) == 6, 5 * MINUTE_MS)
    assert {node.metadata.labels[NODEPOOL] for node in sim.api.each(NODES)} == {"shop"}
    sim.close()


def test_categories_that_were_written_as_types_are_read_as_what_was_meant():
    provisioner = a_provisioner(
        requirements=[a_requirement(INSTANCE_TYPE, "c", "m", "t")],
        ttlSecondsAfterEmpty=None,
        consolidation={"enabled": True},
    )
    sim, _ = begin(provisioner, TEMPLATE, workloads=[WEB])

    assert sim.run_until(lambda: running(sim) == 6, 5 * MINUTE_MS)
    sim.run_for(MINUTE_MS)
    assert "read as instance-category" in told(sim, "shop")["ReadDifferently"]
    sim.close()


def test_a_class_that_was_written_inside_its_pool_works_too():
    inside = a_provisioner(providerRef=None, provider=TEMPLATE["spec"])
    sim, _ = begin(inside, workloads=[WEB])

    assert sim.run_until(lambda: running(sim) == 6, 5 * MINUTE_MS)
    sim.run_for(MINUTE_MS)
    assert conditions(sim)["Ready"] == ("True", "Ready")
    sim.close()


def test_a_pool_of_today_keeps_a_name_that_both_want():
    pool = a_pool_manifest("shop")
    sim, _ = begin(CLASS, pool, a_provisioner(), TEMPLATE, workloads=[WEB])

    assert sim.run_until(lambda: running(sim) == 6, 5 * MINUTE_MS)
    sim.run_for(MINUTE_MS)
    owners = {one.metadata.owner_references[0].kind for one in sim.api.each(NODE_CLAIMS)}
    assert owners == {"NodePool"}
    assert conditions(sim)["Converted"] == ("False", "ConversionRefused")
    assert conditions(sim)["Ready"][0] == "False"
    assert "NodePool of this name" in told(sim, "shop")["ConversionRefused"]
    sim.close()


def test_nodes_go_with_their_provisioner():
    sim, _ = begin(a_provisioner(), TEMPLATE, workloads=[WEB])
    sim.run_until(lambda: running(sim) == 6, 5 * MINUTE_MS)
    sim.api.delete(PROVISIONERS, "shop", "user")

    assert sim.run_until(lambda: sim.api.count(NODES) == 0, 15 * MINUTE_MS)
    assert sim.api.count(NODE_POOLS) == 0
    sim.close()
