"""Older objects of a live cluster as what they are today."""

import pytest

from builders import NOW_MS, a_node, a_pod, a_pool, want
from builders.legacy import a_beta_pool, a_provisioner, a_template, an_object
from builders.lives import with_meta
from nodewright.model.labels import AWS_GROUP, DO_NOT_DISRUPT, INSTANCE_TYPE, NODEPOOL
from nodewright.model.legacy import PROVISIONER_NAME
from nodewright.model.older import origin_of
from nodewright.model.resource import (
    AWS_NODE_TEMPLATES,
    BETA_NODE_POOLS,
    MACHINES,
    NODE_POOLS,
    NODES,
    PODS,
    PROVISIONERS,
)
from nodewright.state.live import find_class, find_pools, take_snapshot, with_machines
from nodewright.state.mirror import Mirror
from nodewright.state.older import correct_types, read_older


def a_mirror(**kinds):
    """A mirror that holds these objects, and knows the other kinds as empty."""
    named = {
        "provisioners": PROVISIONERS,
        "templates": AWS_NODE_TEMPLATES,
        "machines": MACHINES,
        "pools": NODE_POOLS,
        "beta_pools": BETA_NODE_POOLS,
        "nodes": NODES,
        "pods": PODS,
    }
    mirror = Mirror()
    for name, resource in named.items():
        mirror.replace(resource, kinds.get(name, []), "1")
    return mirror


OLD = {
    "provisioners": [with_meta(a_provisioner("shop", providerRef={"name": "t"}), uid="u-p")],
    "templates": [with_meta(a_template("t"), uid="u-t")],
}


def test_a_cluster_of_today_has_none():
    assert read_older(a_mirror(pools=[a_pool()])).objects == ()


def test_provisioners_and_templates_are_pools_and_classes_marked_with_what_they_were():
    older = read_older(a_mirror(**OLD))

    (pool,), (node_class,) = older.node_pools, older.node_classes
    assert (origin_of(pool), pool.metadata.uid) == (PROVISIONERS, "u-p")
    assert (origin_of(node_class), node_class.metadata.uid) == (AWS_NODE_TEMPLATES, "u-t")
    assert [one.became for one in older.objects] == [("NodePool shop",), ("EC2NodeClass t",)]


def test_they_are_read_anew_only_when_something_has_changed():
    mirror = a_mirror(**OLD)
    first = read_older(mirror)

    assert read_older(mirror) is first
    mirror.put(PODS, a_pod("p"), "2")
    assert read_older(mirror) is first
    mirror.replace(PROVISIONERS, [], "3")
    assert read_older(mirror).node_pools == ()


@pytest.mark.parametrize(
    ("version", "alias"),
    [("v1.32.9-eks-1", "al2@latest"), ("1.34", "al2023@latest"), ("", "al2@latest")],
)
def test_images_of_old_are_those_that_the_cluster_s_version_has(version, alias):
    mirror = a_mirror(**OLD)
    read_older(mirror)
    mirror.learn_version(version)
    [node_class] = read_older(mirror).node_classes

    assert [one.alias for one in node_class.spec.ami_selector_terms] == [alias]


def test_a_pool_of_today_keeps_its_name():
    older = read_older(a_mirror(pools=[a_pool("shop")], **OLD))

    assert older.node_pools == ()
    assert "a NodePool of this name already" in older.objects[0].refused


def test_what_is_served_as_v1_is_not_read_twice():
    assert find_pools(a_mirror(pools=[a_pool("a")], beta_pools=[a_beta_pool("a")])) == (
        a_pool("a"),
    )


def test_the_world_holds_them_and_speaks_of_them_by_todays_names():
    node = a_node("n", labels={PROVISIONER_NAME: "shop"})
    pod = a_pod(
        "p", selector={PROVISIONER_NAME: "shop"}, annotations={"karpenter.sh/do-not-evict": "true"}
    )
    world = take_snapshot(a_mirror(nodes=[node], pods=[pod], **OLD), NOW_MS)

    assert [one.metadata.name for one in world.node_pools] == ["shop"]
    assert [one.metadata.name for one in world.node_classes] == ["t"]
    assert world.nodes[0].metadata.labels[NODEPOOL] == "shop"
    assert world.pods[0].spec.node_selector == {NODEPOOL: "shop"}
    assert world.pods[0].metadata.annotations[DO_NOT_DISRUPT] == "true"


def test_the_class_of_a_claim_is_found():
    mirror = a_mirror(**OLD)
    reference = read_older(mirror).node_pools[0].spec.template.spec.node_class_ref

    assert find_class(mirror, reference).metadata.name == "t"


def test_machines_are_planned_with_and_not_acted_on():
    machine = an_object(
        "karpenter.sh/v1alpha5", "Machine", "m-1", status={"providerID": "aws:///m"}
    )
    mirror = a_mirror(machines=[machine], **OLD)
    world = take_snapshot(mirror, NOW_MS)

    assert world.node_claims == ()
    (claim,) = with_machines(world, mirror).node_claims
    assert claim.status.provider_id == "aws:///m"
    assert with_machines(world, a_mirror()) is world


@pytest.mark.parametrize(
    ("values", "key"),
    [
        (("c", "t", "m"), f"{AWS_GROUP}/instance-category"),
        (("m5", "c6gn"), f"{AWS_GROUP}/instance-family"),
        (("m5.large",), INSTANCE_TYPE),
        (("c", "m5.large"), INSTANCE_TYPE),
    ],
)
def test_names_that_no_type_can_have_are_read_as_what_they_are(values, key):
    pool, sentences = correct_types(a_pool(requirements=[want(INSTANCE_TYPE, "In", *values)]))

    assert [one.key for one in pool.spec.template.spec.requirements] == [key]
    assert bool(sentences) == (key != INSTANCE_TYPE)


def test_types_that_are_excluded_stay_as_they_are_written():
    pool = a_pool(requirements=[want(INSTANCE_TYPE, "NotIn", "c")])

    assert correct_types(pool) == (pool, [])
