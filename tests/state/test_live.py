"""The World of a live cluster: what is on its way counts as there."""

from builders import NOW_MS, a_node, a_pod, a_type, a_world
from builders.lives import a_claim, a_new_node, a_registered_pair, with_meta, with_spec, with_status
from builders.solving import plan_of
from nodewright.core.scheduling.solve import solve
from nodewright.model.labels import INSTANCE_TYPE
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.nodeclaim import NodeClaimResources
from nodewright.model.nodepool import NodeClassRef
from nodewright.model.resource import NODE_CLAIMS, NODE_CLASSES, NODES, PODS
from nodewright.state.expectations import Expectations
from nodewright.state.live import find_unknown, look_ahead, seen_nodes, take_snapshot
from nodewright.state.mirror import Mirror, Unreadable

TYPE = a_type("small", cpu=4)


def an_unlaunched_claim(name="c", cpu="2"):
    requirement = NodeSelectorRequirement(key=INSTANCE_TYPE, operator="In", values=("small",))
    resources = NodeClaimResources(requests={"cpu": cpu, "pods": "1"})
    return with_spec(a_claim(name), requirements=(requirement,), resources=resources)


def test_a_snapshot_holds_what_the_mirror_holds_and_names_what_cannot_be_read():
    mirror = Mirror()
    mirror.replace(NODES, [a_node("n")], "1")
    mirror.replace(PODS, [a_pod("p"), Unreadable("default/q", "1", "no spec")], "1")

    world = take_snapshot(mirror, NOW_MS)

    assert [one.metadata.name for one in world.nodes] == ["n"]
    assert [one.key for one in world.pods] == ["default/p"]
    assert [one.key for one in world.bad_pods] == ["default/q"]


def test_claims_of_a_foreign_class_are_left_alone():
    ours = NodeClassRef(group="karpenter.k8s.aws", kind="EC2NodeClass", name="default")
    theirs = NodeClassRef(group="eks.amazonaws.com", kind="NodeClass", name="default")
    mirror = Mirror()
    claims = [
        with_spec(a_claim("mine"), node_class_ref=ours),
        with_spec(a_claim("theirs"), node_class_ref=theirs),
    ]
    mirror.replace(NODE_CLAIMS, claims, "1")

    assert [one.metadata.name for one in take_snapshot(mirror, NOW_MS).node_claims] == ["mine"]


def test_a_pod_is_not_planned_for_while_its_claim_is_on_its_way():
    pod, expectations = a_pod("p", cpu=1), Expectations()
    claim = an_unlaunched_claim()
    expectations.create(claim, [pod.metadata.uid], NOW_MS)

    plan = solve(look_ahead(a_world(pod, TYPE), expectations))

    assert (plan.new_nodes, plan.existing_nodes, dict(plan.unschedulable)) == ((), (), {})


def test_without_that_the_pod_would_get_a_node():
    assert len(plan_of(a_pod("p", cpu=1), TYPE).new_nodes) == 1


def test_a_claim_of_another_life_takes_the_pods_that_fit_it():
    world = a_world(a_pod("p", cpu=1), an_unlaunched_claim(), TYPE)

    plan = solve(look_ahead(world, Expectations()))

    assert [(one.name, one.pods) for one in plan.existing_nodes] == [("c", ("default/p",))]


def test_a_claim_without_a_machine_counts_against_limits_as_the_largest_it_may_become():
    world = look_ahead(a_world(an_unlaunched_claim(), TYPE), Expectations())

    assert world.node_claims[0].status.capacity["cpu"] == "4"
    assert world.node_claims[0].status.allocatable["cpu"] == "2"


def test_pods_expected_on_a_claim_are_counted_on_its_node_once_there_is_one():
    claim = a_claim(true=("Launched",))
    node, pod, expectations = a_new_node(claim, name="n"), a_pod("p"), Expectations()
    expectations.create(claim, [pod.metadata.uid], NOW_MS)

    world = look_ahead(a_world(claim, node, pod), expectations)

    assert world.pods[0].spec.node_name == "n"
    assert len(world.nodes) == 1


def test_a_deleting_claim_holds_no_pods():
    node, claim = a_registered_pair()
    pod, expectations = a_pod("p"), Expectations()
    expectations.create(claim, [pod.metadata.uid], NOW_MS)
    going = a_claim("claim-of-node", true=("Launched",), node=node, deleted="2026-01-01T00:00:00Z")

    world = look_ahead(a_world(going, node, pod), expectations)

    assert world.pods[0].spec.node_name == ""


def test_claims_without_a_machine_that_we_did_not_make_are_named():
    ours, theirs, expectations = an_unlaunched_claim("a"), an_unlaunched_claim("b"), Expectations()
    expectations.create(ours, (), NOW_MS)
    launched = a_claim("c", true=("Launched",))

    assert find_unknown(a_world(ours, theirs, launched), expectations) == ("b",)


def test_nodes_that_came_up_tell_their_memory():
    ours = NodeClassRef(group="karpenter.k8s.aws", kind="EC2NodeClass", name="default")
    claim = with_status(
        with_spec(a_claim(true=("Launched",)), node_class_ref=ours), image_id="ami-1"
    )
    labels = {INSTANCE_TYPE: "m5.large", "karpenter.sh/registered": "true"}
    node = a_node("n", labels=labels, memory="7Gi")
    node = with_spec(node, provider_id=claim.status.provider_id)
    young = with_meta(node, labels={INSTANCE_TYPE: "m5.large"})
    mirror = Mirror()
    mirror.replace(NODE_CLASSES, [], "1")
    mirror.replace(NODE_CLAIMS, [claim], "1")

    def seen(*nodes):
        mirror.replace(NODES, nodes, "1")
        return [(one.instance_type, one.image_id, one.memory) for one in seen_nodes(mirror)]

    assert seen(node) == [("m5.large", "ami-1", 7 * 1024**3 * 1000)]
    assert seen(young, a_node("foreign", memory="7Gi")) == []
