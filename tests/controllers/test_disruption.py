"""Disruption looks only where its answer may be another one than before."""

import asyncio

import pytest

from builders import NOW_MS, a_node, a_pod, a_pool, a_type
from builders.lives import (
    a_claim,
    a_new_node,
    a_registered_pair,
    with_conditions,
    with_meta,
    with_status,
)
from nodewright.controllers.disruption import Disruption
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.decision import Tell
from nodewright.model.keeping import Keeping
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, PODS, WATCHED, Ref
from nodewright.state.mirror import Change, Mirror

MINUTE_MS = 60_000
CHEAP, DEAR = a_type("small"), a_type("large")


class Market:
    """Ports of a cluster with one pool, and a cloud whose types can be changed."""

    def __init__(self):
        self.cloud = self.clock = self
        self.mirror = Mirror()
        for resource in WATCHED:
            self.mirror.replace(resource, [], "1")
        self.mirror.replace(NODE_POOLS, [a_pool()], "1")
        self.types = (CHEAP,)
        self.time_ms = NOW_MS

    def now_ms(self):
        return self.time_ms

    def repair_rules(self):
        return ()

    async def instance_types(self, node_class):
        del node_class
        return self.types


@pytest.fixture
def market():
    return Market()


@pytest.fixture
def controller(market):
    made = Disruption(market, Memory(), Settings())
    assert not look(made)
    market.time_ms += 10_000
    assert look(made)
    return made


def look(controller):
    """Look as the loop does, and tell whether anything was decided."""
    if not asyncio.run(controller.gather()):
        return False
    controller.note(tuple(controller.decide(controller.see())))
    return True


def test_while_nothing_changes_nothing_is_decided(controller, market):
    market.time_ms += 10 * MINUTE_MS

    assert not look(controller)
    assert not look(controller)


def test_other_prices_are_looked_at_though_nobody_tells_of_them(controller, market):
    market.types = (DEAR,)
    market.time_ms += MINUTE_MS
    assert not look(controller)

    market.time_ms += 4 * MINUTE_MS
    assert look(controller)


def test_after_an_hour_everything_is_looked_at_anyway(controller, market):
    market.time_ms += 60 * MINUTE_MS

    assert look(controller)


CLAIM = a_claim(true=("Launched", "Registered", "Initialized"))


@pytest.mark.parametrize(
    ("new", "is_news"),
    [
        (with_meta(CLAIM, resource_version="9"), False),
        (with_conditions(CLAIM, Consolidatable="True"), False),
        (with_conditions(CLAIM, ConsistentStateFound="True"), False),
        (with_conditions(CLAIM, Drifted="True"), True),
        (with_status(CLAIM, last_pod_event_time="2026-01-01T00:00:00Z"), False),
        (with_meta(CLAIM, annotations={"a": "b"}), True),
        (None, True),
    ],
)
def test_what_claims_say_for_readers_is_no_news(controller, market, new, is_news):
    assert controller.hears(Change(NODE_CLAIMS, "claim", CLAIM, new)) == is_news

    market.time_ms += 10_000
    assert look(controller) == is_news


def test_what_leaves_is_looked_at_together(controller, market):
    news = Change(PODS, "default/p", BOUND, None)
    assert controller.hears(news)
    assert not look(controller)
    assert controller.next_look_ms() == 10_000

    market.time_ms += 9_000
    assert controller.hears(news)
    assert controller.next_look_ms() == 1_000

    market.time_ms += 1_000
    assert look(controller)
    assert not look(controller)


STARTING, COMING = a_registered_pair()
WORKING, THERE = a_registered_pair(true=("Launched", "Registered", "Initialized"))


@pytest.mark.parametrize(
    ("resource", "old", "new", "is_news"),
    [
        (NODE_CLAIMS, None, COMING, False),
        (NODE_CLAIMS, COMING, with_conditions(COMING, Registered="Unknown"), False),
        (NODE_CLAIMS, COMING, with_meta(COMING, deletion_timestamp="2026-01-01T00:00:00Z"), True),
        (NODE_CLAIMS, COMING, None, True),
        (NODE_CLAIMS, COMING, THERE, True),
        (NODE_CLAIMS, THERE, COMING, True),
        (NODES, None, a_new_node(COMING), False),
        (NODES, a_new_node(COMING), STARTING, False),
        (NODES, STARTING, WORKING, True),
        (NODES, WORKING, STARTING, True),
        (NODES, STARTING, None, True),
        (NODES, None, a_node("of-others"), True),
    ],
)
def test_nodes_that_come_are_news_once_they_work(controller, resource, old, new, is_news):
    assert controller.hears(Change(resource, "name", old, new)) == is_news


POD, BOUND = a_pod("p"), a_pod("p", node="n")


@pytest.mark.parametrize(
    ("old", "new", "is_news"),
    [
        (None, POD, False),
        (POD, BOUND, False),
        (POD, None, False),
        (BOUND, with_status(BOUND, phase="Succeeded"), True),
        (BOUND, None, True),
        (BOUND, with_meta(BOUND, annotations={DO_NOT_DISRUPT: "true"}), True),
        (None, BOUND, True),
    ],
)
def test_pods_that_come_are_no_news_and_pods_that_leave_are(controller, old, new, is_news):
    assert controller.hears(Change(PODS, "default/p", old, new)) == is_news


def test_last_replicas_are_asked_about_again_soon(controller, market):
    held = Tell(
        subject=Ref(NODES, "n"),
        reason="DisruptionBlocked",
        note="the last healthy replicas would go",
        dedupe=(Keeping.LAST_REPLICAS.code,),
    )
    controller.note((held,))
    market.time_ms += MINUTE_MS

    assert look(controller)
