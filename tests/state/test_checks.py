"""What must hold between objects: a contradiction is said with the place of the later one."""

import pytest

from builders.snapshots import a_document, a_pod_value, a_pool_value, an_object, read
from nodewright.model.errors import UserError
from nodewright.model.pod import TopologySpreadConstraint
from nodewright.state.checks import constraint_fault

POOL = a_pool_value()


def complaint(*objects, **fields):
    with pytest.raises(UserError) as caught:
        read(a_document(*objects, **fields))
    return caught.value.where.removeprefix("test.json: "), caught.value.message


def owned(name, owner):
    reference = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": owner,
        "uid": f"uid-{owner}",
    }
    metadata = {"uid": f"uid-{name}", "ownerReferences": [reference]}
    return an_object("ReplicaSet", name, "apps/v1", metadata=metadata)


def test_two_nodes_of_one_name_are_told():
    place, sentence = complaint(
        an_object("Node", "a"), an_object("Node", "b"), an_object("Node", "a")
    )
    assert place == "objects[2].metadata.name"
    assert "objects[0]" in sentence


def test_names_are_taken_per_kind_and_namespace():
    shop = a_pod_value("a")
    shop["metadata"]["namespace"] = "shop"
    assert len(read(a_document(a_pod_value("a"), shop, an_object("Node", "a"))).world.pods) == 2
    place, _ = complaint(a_pod_value("a"), a_pod_value("a"))
    assert place == "objects[1].metadata.name"


def test_a_namespace_that_is_not_written_is_default():
    spelled = a_pod_value("a")
    spelled["metadata"]["namespace"] = "default"
    assert complaint(a_pod_value("a"), spelled)[0] == "objects[1].metadata.name"


def test_a_pod_on_a_node_that_is_not_there_is_told():
    place, sentence = complaint(a_pod_value("a", nodeName="ghost"))
    assert place == "objects[0].spec.nodeName"
    assert "ghost" in sentence


def test_types_for_a_pool_that_is_not_there_are_told():
    place, sentence = complaint(instanceTypes={"ghost": "all"})
    assert place == "instanceTypes.ghost"
    assert "ghost" in sentence


def test_a_pool_that_refers_to_nothing_is_told():
    lost = a_pool_value()
    lost["spec"]["template"]["spec"]["nodeClassRef"] = {"group": "", "kind": "", "name": ""}
    place, sentence = complaint(lost, instanceTypes={})
    assert place == "objects[0].spec.template.spec.nodeClassRef"
    assert "instanceTypes" in sentence


def test_a_pool_whose_class_is_not_there_is_told_unless_it_brings_types():
    place, sentence = complaint(POOL, instanceTypes={})
    assert place == "objects[0].spec.template.spec.nodeClassRef.name"
    assert "EC2NodeClass default" in sentence
    assert read(a_document(POOL)).world.node_classes == ()


def test_owners_that_lead_back_are_told():
    place, sentence = complaint(owned("a", "b"), owned("b", "c"), owned("c", "a"))
    assert place.endswith(".metadata.ownerReferences")
    assert "cycle" in sentence
    assert complaint(owned("a", "a"))[0] == "objects[0].metadata.ownerReferences"


def test_a_long_chain_of_owners_is_fine():
    chain = [owned(f"r{number}", f"r{number + 1}") for number in range(3000)]
    assert len(read(a_document(*chain)).world.replica_sets) == 3000


def test_owners_shared_by_many_are_no_cycle():
    diamond = [owned("a", "b"), owned("c", "b"), owned("b", "d")]
    assert len(read(a_document(*diamond)).world.replica_sets) == 3


@pytest.mark.parametrize(
    ("constraints", "fault"),
    [
        ([("zone", "DoNotSchedule", 1)], False),
        ([("zone", "DoNotSchedule", 1), ("zone", "ScheduleAnyway", 1)], False),
        ([("zone", "DoNotSchedule", 1), ("zone", "DoNotSchedule", 2)], True),
        ([("zone", "DoNotSchedule", 0)], True),
    ],
)
def test_default_constraints_are_checked(constraints, fault):
    read_ones = [
        TopologySpreadConstraint(topology_key=key, when_unsatisfiable=when, max_skew=skew)
        for key, when, skew in constraints
    ]
    assert bool(constraint_fault(read_ones)) is fault
