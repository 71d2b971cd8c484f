"""Pools are counted anew when something that they count has changed."""

import msgspec
import pytest

from builders import a_node
from builders.lives import a_claim, with_conditions, with_meta, with_status
from nodewright.controllers.nodepool import NodePools
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.resource import NODE_CLAIMS, NODES
from nodewright.state.mirror import Change

CLAIM, NODE = a_claim("c"), a_node("n")


@pytest.fixture
def controller():
    return NodePools(None, Memory(), Settings())


@pytest.mark.parametrize(
    "after",
    [
        with_status(CLAIM, provider_id="aws:///z/i-9"),
        with_status(CLAIM, capacity={"cpu": "99"}),
        with_conditions(CLAIM, Registered="True"),
        with_meta(CLAIM, deletion_timestamp="2026-01-01T00:00:00Z"),
        None,
    ],
)
def test_what_counts_of_a_claim_wakes(controller, after):
    assert controller.hears(Change(NODE_CLAIMS, "c", CLAIM, after))


def test_the_time_of_a_pod_event_wakes_nobody(controller):
    after = with_status(CLAIM, last_pod_event_time="2026-01-01T00:00:00Z")

    assert not controller.hears(Change(NODE_CLAIMS, "c", CLAIM, after))


def test_a_node_wakes_when_it_comes_or_reports_another_capacity(controller):
    more = msgspec.structs.replace(NODE.status, capacity={"cpu": "99"})
    grown = msgspec.structs.replace(NODE, status=more)

    assert controller.hears(Change(NODES, "n", None, NODE))
    assert controller.hears(Change(NODES, "n", NODE, grown))
    assert not controller.hears(Change(NODES, "n", NODE, with_meta(NODE, resource_version="9")))
