"""The built-in catalog: for pools of ours that bring no types, in the region that is known."""

import msgspec
import pytest

from builders import a_pool, a_type
from builders.snapshots import a_document, a_pod_value, a_pool_value, an_object, read
from nodewright.core.scheduling.solve import solve
from nodewright.model.errors import UserError
from nodewright.model.nodepool import NodeClassRef
from nodewright.state.builtin import MissingTypes, add_builtin_types

CLASS = an_object("EC2NodeClass", "default", "karpenter.k8s.aws/v1", spec={"role": "r"})


def of_kind(kind, group="example.com"):
    pool = a_pool()
    template = pool.spec.template
    spec = msgspec.structs.replace(
        template.spec, node_class_ref=NodeClassRef(group=group, kind=kind, name="x")
    )
    return msgspec.structs.replace(
        pool,
        spec=msgspec.structs.replace(
            pool.spec, template=msgspec.structs.replace(template, spec=spec)
        ),
    )


def test_types_that_are_given_are_kept():
    types = {"default": (a_type(),)}
    assert add_builtin_types(types, [a_pool()], [], "") == types


def test_a_pool_of_another_kind_is_somebody_elses():
    assert add_builtin_types({}, [of_kind("NodeClass", "eks.amazonaws.com")], [], "") == {}


def test_a_class_that_is_not_there_is_told():
    missing = add_builtin_types({}, [a_pool()], [], "eu-west-1")
    assert isinstance(missing, MissingTypes)
    assert missing.field == "spec.template.spec.nodeClassRef.name"


def test_a_region_brings_its_machines():
    document = a_document(
        a_pool_value(), CLASS, a_pod_value(), instanceTypes={}, metadata={"region": "eu-west-1"}
    )
    plan = solve(read(document).world)
    assert plan.new_nodes[0].offering.zone.startswith("eu-west-1")
    assert plan.price > 0


def test_the_region_is_told_by_the_subnets_of_the_class():
    status = {"subnets": [{"id": "subnet-1", "zone": "eu-west-1b"}]}
    document = a_document(
        a_pool_value(), {**CLASS, "status": status}, a_pod_value(), instanceTypes={}
    )
    zones = {node.offering.zone for node in solve(read(document).world).new_nodes}
    assert zones == {"eu-west-1b"}


@pytest.mark.parametrize(
    ("metadata", "words"),
    [({}, "set metadata.region"), ({"region": "mars-north-1"}, "mars-north-1")],
)
def test_a_region_that_is_not_known_is_told(metadata, words):
    document = a_document(a_pool_value(), CLASS, instanceTypes={}, metadata=metadata)
    with pytest.raises(UserError) as caught:
        read(document)
    assert caught.value.where == "test.json: objects[0]"
    assert words in caught.value.message
