"""NodePools: readiness, counters and fingerprints."""

import msgspec
import pytest

from builders import a_pool, a_world
from builders.lives import (
    a_claim,
    a_registered_pair,
    ago,
    kinds_of,
    with_conditions,
    with_meta,
    with_spec,
    with_status,
)
from nodewright.core.nodepool import decide_pools
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.hashing import (
    HASH_VERSION,
    NODEPOOL_HASH,
    NODEPOOL_HASH_VERSION,
    hash_nodepool,
)
from nodewright.model.metadata import Condition, ObjectMeta
from nodewright.model.nodepool import NodeClassRef

REFERENCE = NodeClassRef(group="karpenter.k8s.aws", kind="EC2NodeClass", name="default")


def pool_with(reference=REFERENCE, **template):
    pool = a_pool()
    spec = msgspec.structs.replace(pool.spec.template.spec, node_class_ref=reference, **template)
    return with_spec(pool, template=msgspec.structs.replace(pool.spec.template, spec=spec))


def stamped(pool):
    marks = {NODEPOOL_HASH: hash_nodepool(pool), NODEPOOL_HASH_VERSION: HASH_VERSION}
    return with_meta(pool, annotations=marks)


def a_class(ready="True"):
    made = EC2NodeClass(metadata=ObjectMeta(name="default", generation=4))
    return with_conditions(made, Ready=ready) if ready else made


def decisions(pool, *things, node_class=None):
    world = msgspec.structs.replace(
        a_world(pool, *things), node_classes=(node_class,) if node_class else ()
    )
    return list(decide_pools(world))


def status_of(pool, *things, node_class=None):
    (step,) = decisions(stamped(pool), *things, node_class=node_class)
    return step.change["status"]


def conditions_of(status):
    return {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]}


def test_a_valid_pool_with_a_ready_class_is_ready():
    status = status_of(pool_with(), node_class=a_class())

    assert conditions_of(status)["Ready"][0] == "True"
    assert status["nodeClassObservedGeneration"] == 4


@pytest.mark.parametrize(
    ("node_class", "reason"),
    [
        (None, "NodeClassNotFound"),
        (with_meta(a_class(), deletion_timestamp=ago(0)), "NodeClassTerminating"),
        (a_class("Unknown"), "NodeClassReadinessUnknown"),
        (a_class(""), "NodeClassReadinessUnknown"),
        (a_class("False"), "Ready"),
    ],
)
def test_a_pool_is_only_as_ready_as_its_class(node_class, reason):
    found = conditions_of(status_of(pool_with(), node_class=node_class))

    assert found["NodeClassReady"] == ("False", reason)
    assert found["Ready"] == ("False", "UnhealthyDependents")


def test_a_pool_that_is_wrong_says_everything_that_is():
    status = status_of(pool_with(expire_after="soon"), node_class=a_class())

    assert conditions_of(status)["ValidationSucceeded"] == ("False", "NodePoolValidationFailed")


def test_counters_sum_live_nodes_and_show_zero_where_there_are_none():
    node, claim = a_registered_pair("n")
    launched = a_claim("l", true=("Launched",))
    going = a_claim("g", true=("Launched",), deleted=ago(0))
    full = status_of(pool_with(), node, claim, launched, going, a_claim("u"), node_class=a_class())
    empty = status_of(pool_with(), node_class=a_class())

    assert (full["nodes"], full["resources"]["cpu"], full["resources"]["nodes"]) == (2, "8", "2")
    assert (empty["nodes"], empty["resources"]["cpu"]) == (0, "0")


def test_what_is_written_already_is_not_written_again():
    pool = stamped(pool_with())
    (step,) = decisions(pool, node_class=a_class())
    status = {name: value for name, value in step.change["status"].items() if value is not None}
    written = with_status(
        pool,
        resources=status["resources"],
        nodes=status["nodes"],
        node_class_observed_generation=status["nodeClassObservedGeneration"],
        conditions=msgspec.convert(status["conditions"], tuple[Condition, ...]),
    )

    assert decisions(written, node_class=a_class()) == []


def test_a_pool_of_another_provider_is_left_alone():
    other = NodeClassRef(group="eks.amazonaws.com", kind="NodeClass", name="default")

    assert decisions(pool_with(other)) == []


def hash_steps(pool, *claims):
    found = decisions(pool, *claims, node_class=a_class())
    return [one for one in found if one.reason in ("Hash", "HashVersion")]


def test_a_changed_template_changes_the_fingerprint():
    old = stamped(pool_with())
    new = with_meta(pool_with(expire_after="1h"), annotations=old.metadata.annotations)

    assert kinds_of(hash_steps(new)) == [("Change", "default")]


def test_a_new_way_of_counting_is_written_on_claims_before_the_pool():
    theirs = {NODEPOOL_HASH: "1", NODEPOOL_HASH_VERSION: "v3"}
    pool = with_meta(pool_with(), annotations=theirs)
    claim = with_meta(a_claim("c"), annotations=theirs)
    drifted = with_conditions(with_meta(a_claim("d"), annotations=theirs), Drifted="True")
    first, second = hash_steps(pool, claim, drifted)

    assert first.change["metadata"]["annotations"][NODEPOOL_HASH] == hash_nodepool(pool)
    assert NODEPOOL_HASH not in second.change["metadata"]["annotations"]
    assert kinds_of(hash_steps(pool, claim_like(claim, pool))) == [("Change", "default")]


def claim_like(claim, pool):
    marks = {NODEPOOL_HASH: hash_nodepool(pool), NODEPOOL_HASH_VERSION: HASH_VERSION}
    return with_meta(claim, annotations=marks)
