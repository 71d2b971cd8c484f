"""Drift field by field: what a claim has, and what its pool wants."""

from msgspec.structs import replace

from builders import want
from builders.fleet import a_fleet_node, a_fleet_pool, fleet_world
from nodewright.core.explain.drifting import Differs, explain_drift
from nodewright.model.hashing import (
    HASH_VERSION,
    NODEPOOL_HASH,
    NODEPOOL_HASH_VERSION,
    hash_nodepool,
)
from nodewright.model.labels import ZONE
from nodewright.model.metadata import Taint


def stamped(node, pool):
    made, claim = node
    annotations = {NODEPOOL_HASH: hash_nodepool(pool), NODEPOOL_HASH_VERSION: HASH_VERSION}
    return made, replace(claim, metadata=replace(claim.metadata, annotations=annotations))


def explain(pool, before):
    return explain_drift(fleet_world(pool, stamped(a_fleet_node("n"), before)))


def test_a_node_that_matches_its_pool_is_not_named():
    pool = a_fleet_pool()

    assert explain(pool, pool) == ()


def test_a_label_and_a_taint_are_shown_as_they_are_and_as_they_should_be():
    wanted = a_fleet_pool(labels={"team": "blue"}, taints=[Taint(key="x", effect="NoSchedule")])
    [found] = explain(wanted, a_fleet_pool())

    assert (found.node, found.reason) == ("n", "NodePoolDrifted")
    assert Differs("metadata.labels[team]", "-", "blue") in found.fields
    assert Differs("spec.taints", "-", "x:NoSchedule") in found.fields


def test_a_requirement_is_shown_with_the_label_that_does_not_hold():
    pool = a_fleet_pool()
    wanted = a_fleet_pool(requirements=[want(ZONE, "In", "nowhere")])
    [found] = explain(wanted, pool)

    [field] = [one for one in found.fields if one.field == f"spec.requirements[{ZONE}]"]
    assert "nowhere" in field.wants
    assert field.has != "nowhere"
