"""Drift: fingerprints, requirements, types that are gone, and what the provider says."""

import pytest
from msgspec.structs import replace

from builders import NOW_MS, a_type, want
from builders.fleet import HOUR_MS, SIZES, a_fleet_node, a_fleet_pool, decided, gone, on
from nodewright.model.disruption import Memory, Method
from nodewright.model.hashing import (
    HASH_VERSION,
    NODEPOOL_HASH,
    NODEPOOL_HASH_VERSION,
    hash_nodepool,
)
from nodewright.model.instant import print_instant
from nodewright.model.labels import ZONE
from nodewright.model.metadata import Condition, Taint


def stamped(node, pool, version=HASH_VERSION):
    made, claim = node
    annotations = {NODEPOOL_HASH: hash_nodepool(pool), NODEPOOL_HASH_VERSION: version}
    return made, replace(claim, metadata=replace(claim.metadata, annotations=annotations))


def drift_of(answer):
    return {one.detail for one in answer.commands if one.reason == "Drifted"}


def full(node):
    return on(node, "3900m")


@pytest.mark.parametrize(
    "changed",
    [
        a_fleet_pool(labels={"team": "blue"}),
        a_fleet_pool(taints=[Taint(key="x", effect="NoSchedule")]),
    ],
)
def test_a_changed_template_drifts_its_nodes(changed):
    node = stamped(a_fleet_node("n"), a_fleet_pool())

    assert "NodePoolDrifted" in {one.detail for one in decided(changed, node).commands} or gone(
        decided(changed, node)
    ) == {"n"}


def test_what_is_not_in_the_template_drifts_nothing():
    pool = a_fleet_pool()
    node = stamped(a_fleet_node("n"), pool)
    changed = a_fleet_pool(after="5m", weight=7, limits={"cpu": "100"})

    assert drift_of(decided(changed, node, full(node))) == set()


def test_fingerprints_of_other_versions_are_not_compared():
    node = stamped(a_fleet_node("n"), a_fleet_pool(), version="v3")

    assert drift_of(decided(a_fleet_pool(labels={"a": "b"}), node, full(node))) == set()


def test_a_requirement_that_the_node_does_not_meet_drifts_it():
    node = a_fleet_node("n")
    narrow = a_fleet_pool(requirements=[want(ZONE, "In", "zone-b")])
    wide = a_fleet_pool(requirements=[want(ZONE, "In", "zone-a", "zone-b")])

    assert drift_of(decided(narrow, node, full(node))) == {"RequirementsDrifted"}
    assert drift_of(decided(wide, node, full(node))) == set()


@pytest.mark.parametrize(
    ("age_ms", "reasons"), [(59 * 60_000, set()), (61 * 60_000, {"InstanceTypeNotFound"})]
)
def test_a_type_that_is_no_longer_sold_drifts_after_an_hour(age_ms, reasons):
    node = a_fleet_node("n", kind=a_type("gone"), age_ms=age_ms)

    assert drift_of(decided(*SIZES, node, full(node))) == reasons


def test_the_provider_says_what_only_it_knows():
    node = a_fleet_node("n")
    memory = Memory(provider_drift={"claim-of-n": "AMIDrift"})

    assert drift_of(decided(node, full(node), memory=memory)) == {"AMIDrift"}
    made, claim = node
    told = Condition(
        type="Drifted",
        status="True",
        reason="AMIDrift",
        last_transition_time=print_instant(NOW_MS - HOUR_MS),
    )
    marked = replace(claim, status=replace(claim.status, conditions=(told,)))
    assert drift_of(decided(made, marked, full(node))) == {"AMIDrift"}


def test_a_drifted_node_gets_its_replacement_whatever_it_costs():
    node = a_fleet_node("n")
    memory = Memory(provider_drift={"claim-of-n": "AMIDrift"})
    (command,) = decided(node, full(node), memory=memory).commands

    assert command.method is Method.DRIFT
    assert [one.offering.instance_type for one in command.replacements] == ["m.4"]
    assert command.savings == 0
