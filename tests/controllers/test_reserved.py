"""Reservations are looked after only where something is reserved."""

import asyncio

from builders import NOW_MS
from builders.lives import with_spec, with_status
from core.disruption.test_classdrift import REFERENCE
from core.test_reserved import a_class, a_reserved_node
from nodewright.controllers.ports import Memory, Settings
from nodewright.controllers.reserved import Reserved
from nodewright.model.labels import CAPACITY_TYPE
from nodewright.model.resource import NODE_CLAIMS, NODE_CLASSES, NODES, WATCHED
from nodewright.ports.cloud import Machine
from nodewright.state.mirror import Change, Mirror


class Account:
    """Ports of a cluster with one node, and a cloud that says how its machine is bought."""

    def __init__(self, bought, labels=None):
        self.clock = self.cloud = self
        self.now = NOW_MS
        self.lists = 0
        self.mirror = Mirror()
        node, claim = a_reserved_node(labels)
        claim = with_spec(claim, node_class_ref=REFERENCE)
        self.machine = Machine(node.spec.provider_id, "running", "m", "a", bought, 0)
        held = {NODE_CLASSES: [a_class()], NODE_CLAIMS: [claim], NODES: [node]}
        for resource in WATCHED:
            self.mirror.replace(resource, held.get(resource, []), "1")

    def now_ms(self):
        return self.now

    async def list_machines(self):
        self.lists += 1
        return (self.machine,)


def test_the_cloud_is_listed_once_a_minute():
    account = Account("on-demand")
    controller = Reserved(account, Memory(), Settings())
    for wait_ms in (0, 59_999, 1):
        account.now += wait_ms
        assert asyncio.run(controller.gather())
    found = [one.reason for one in controller.decide(controller.see())]

    assert account.lists == 2
    assert found == ["ReservationLapsed", "ReservationLapsed"]


def test_where_nothing_is_reserved_nobody_is_asked():
    account = Account("on-demand", {CAPACITY_TYPE: "on-demand"})

    assert not asyncio.run(Reserved(account, Memory(), Settings()).gather())
    assert account.lists == 0


def test_it_wakes_when_a_reservation_changes():
    controller = Reserved(Account("reserved"), Memory(), Settings())
    old = a_class()

    def hears(new):
        return controller.hears(Change(NODE_CLASSES, "default", old, new))

    assert hears(a_class(state="expiring"))
    assert not hears(with_status(old, instance_profile="x"))
    assert not controller.hears(Change(NODE_CLASSES, "default", None, old))
