"""Where machines stand is asked now and then, and only where there are classes of EC2."""

import asyncio

import msgspec

from builders import NOW_MS
from builders.fleet import SIZES, a_fleet_pool
from builders.lives import with_conditions, with_spec, with_status
from core.disruption.test_classdrift import REFERENCE, a_class, a_node
from nodewright.controllers.disruptable import Disruptable
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.resource import NODE_CLAIMS, NODE_CLASSES, NODE_POOLS, WATCHED
from nodewright.ports.cloud import Machine, Unavailable
from nodewright.state.mirror import Change, Mirror

WORKS = {"Launched": "True", "Registered": "True", "Initialized": "True"}


class Account:
    """Ports of a cluster with one node, and a cloud that tells how its machine stands."""

    def __init__(self, *classes):
        self.clock = self.cloud = self
        self.now = NOW_MS
        self.lists = 0
        self.machines = ()
        self.mirror = Mirror()
        _, claim = a_node()
        self.claim = with_conditions(with_spec(claim, node_class_ref=REFERENCE), **WORKS)
        held = {NODE_CLASSES: classes, NODE_CLAIMS: [self.claim], NODE_POOLS: [a_fleet_pool()]}
        for resource in WATCHED:
            self.mirror.replace(resource, held.get(resource, []), "1")

    def now_ms(self):
        return self.now

    async def instance_types(self, _node_class):
        return SIZES

    async def list_machines(self):
        self.lists += 1
        return self.machines

    def put(self, **standing):
        provider_id = self.claim.status.provider_id
        one = Machine(provider_id, "running", "m.4", "zone-a", "on-demand", 0, **standing)
        self.machines = (one,)


def drifts(controller):
    assert asyncio.run(controller.gather())
    found = controller.decide(controller.see())
    return [one.reason for one in found if one.kind == "Change" and one.reason.endswith("Drift")]


def test_a_machine_in_a_subnet_that_the_class_left_has_drifted():
    account = Account(a_class())
    controller = Disruptable(account, Memory(), Settings())
    account.put(subnet_id="subnet-9", security_groups=("sg-1", "sg-2"))

    assert drifts(controller) == ["SubnetDrift"]


def test_machines_are_listed_once_a_minute():
    account = Account(a_class())
    controller = Disruptable(account, Memory(), Settings())
    account.put(subnet_id="subnet-1", security_groups=("sg-1", "sg-2"))
    for wait_ms in (0, 59_999, 1):
        account.now += wait_ms
        assert drifts(controller) == []

    assert account.lists == 2


def test_a_cloud_that_is_silent_settles_nothing():
    account = Account(a_class())
    account.machines = Unavailable("no")
    controller = Disruptable(account, Memory(), Settings())

    assert drifts(controller) == []
    assert controller.see().beside.cloud.machines is None


def test_without_classes_of_ec2_nobody_is_asked():
    account = Account()
    asyncio.run(Disruptable(account, Memory(), Settings()).gather())

    assert account.lists == 0


def test_an_edit_of_a_class_wakes_and_a_mere_version_does_not():
    controller = Disruptable(Account(a_class()), Memory(), Settings())
    old = a_class()
    meta = msgspec.structs.replace(old.metadata, resource_version="9")

    def hears(new):
        return controller.hears(Change(NODE_CLASSES, "default", old, new))

    assert hears(with_status(old, amis=()))
    assert not hears(msgspec.structs.replace(old, metadata=meta))
