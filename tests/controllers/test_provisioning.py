"""Provisioning: the window is looked at when it is over, not each time that a pod comes."""

import asyncio

from builders import NOW_MS, a_pod, a_pool
from builders.lives import with_status
from nodewright.controllers.ports import Memory, Settings
from nodewright.controllers.provisioning import Provisioning
from nodewright.model.metadata import Condition
from nodewright.model.resource import NODE_POOLS, PODS, WATCHED
from nodewright.state.mirror import Mirror

UNPLACED = Condition(type="PodScheduled", status="False", reason="Unschedulable")


class Rush:
    """Ports of a cluster to which pods come."""

    def __init__(self):
        self.cloud = self.clock = self
        self.mirror = Mirror()
        for resource in WATCHED:
            self.mirror.replace(resource, [], "1")
        self.mirror.replace(NODE_POOLS, [a_pool()], "1")
        self.time_ms = NOW_MS

    def now_ms(self):
        return self.time_ms

    async def instance_types(self, node_class):
        del node_class
        return ()

    def come(self, name):
        """Let a pod come that nobody has room for."""
        pod = with_status(a_pod(name), conditions=(UNPLACED,))
        return self.mirror.put(PODS, pod, "2")


def test_pods_that_come_while_the_window_is_open_are_seen_when_it_is_over():
    rush = Rush()
    controller = Provisioning(rush, Memory(), Settings(batch_idle_ms=1_000, batch_most_ms=10_000))

    assert controller.hears(rush.come("first"))
    assert not asyncio.run(controller.gather())
    rush.time_ms += 600
    assert not controller.hears(rush.come("second"))
    assert controller.next_look_ms() == 400
    rush.time_ms += 400
    assert not asyncio.run(controller.gather())
    assert controller.next_look_ms() == 600
    rush.time_ms += 600
    assert asyncio.run(controller.gather())
    assert controller.hears(rush.come("third"))


def test_pods_that_found_no_place_are_planned_for_again_when_a_pool_becomes_ready():
    rush = Rush()
    controller = Provisioning(rush, Memory(), Settings(batch_idle_ms=1_000, batch_most_ms=10_000))
    controller.hears(rush.come("first"))
    asyncio.run(controller.gather())
    rush.time_ms += 1_000
    planned = asyncio.run(controller.gather())
    rush.time_ms += 1_000
    at_rest = asyncio.run(controller.gather())
    ready = with_status(a_pool(), conditions=(Condition(type="Ready", status="True"),))
    woken = controller.hears(rush.mirror.put(NODE_POOLS, ready, "3"))
    asyncio.run(controller.gather())
    rush.time_ms += 1_000

    assert planned
    assert not at_rest
    assert woken
    assert asyncio.run(controller.gather())


def test_a_pool_whose_counters_change_opens_no_window():
    rush = Rush()
    controller = Provisioning(rush, Memory(), Settings(batch_idle_ms=1_000, batch_most_ms=10_000))
    controller.hears(rush.come("first"))
    asyncio.run(controller.gather())
    rush.time_ms += 1_000
    asyncio.run(controller.gather())
    counted = with_status(a_pool(), resources={"nodes": "3"})
    controller.hears(rush.mirror.put(NODE_POOLS, counted, "3"))
    asyncio.run(controller.gather())
    rush.time_ms += 1_000

    assert not asyncio.run(controller.gather())
