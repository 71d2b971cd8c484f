"""EC2NodeClasses are asked about when there is a reason to, and let go when all is given back."""

import asyncio

import msgspec

from builders import NOW_MS
from nodewright.controllers.ec2nodeclass import FRESH_MS, EC2NodeClasses
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.classfacts import ClassFacts, Trouble
from nodewright.model.decision import Release
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.metadata import ObjectMeta
from nodewright.model.resource import NODE_CLASSES, WATCHED, refer
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.mirror import Mirror

CLASS = EC2NodeClass(ObjectMeta(name="standard", uid="u", generation=1))


class Account:
    """Ports of a cluster with these classes, and an account that knows what they find."""

    def __init__(self, *classes, trouble=None):
        self.clock = self.kube = self
        self.mirror = Mirror()
        for resource in WATCHED:
            self.mirror.replace(resource, [], "1")
        self.put(*classes)
        self.now = NOW_MS
        self.trouble = trouble
        self.asked = []
        self.released = []

    def put(self, *classes):
        self.mirror.replace(NODE_CLASSES, classes, "1")

    def now_ms(self):
        return self.now

    async def find(self, node_class):
        self.asked.append((node_class.metadata.name, node_class.metadata.generation))
        meta = node_class.metadata
        return ClassFacts(meta.name, meta.generation, (), (), (), "profile")

    async def release(self, node_class):
        self.released.append(node_class.metadata.name)
        return self.trouble

    async def remove_finalizer(self, _ref, _thing, finalizer):
        self.released.append(finalizer)
        return Answer(Outcome.DONE)


def started(account):
    return EC2NodeClasses(account, Memory(), Settings(), account)


def with_meta(**fields):
    return msgspec.structs.replace(
        CLASS, metadata=msgspec.structs.replace(CLASS.metadata, **fields)
    )


def test_a_class_is_asked_about_once_a_minute_and_when_it_changes():
    account = Account(CLASS)
    controller = started(account)

    async def look():
        assert await controller.gather()

    for wait_ms in (0, FRESH_MS - 1, 1):
        account.now += wait_ms
        asyncio.run(look())
    account.put(with_meta(generation=2))
    asyncio.run(look())

    assert account.asked == [("standard", 1), ("standard", 1), ("standard", 2)]


def test_an_edit_of_an_annotation_asks_for_another_look_but_our_own_does_not():
    account = Account(CLASS)
    controller = started(account)
    for notes in ({}, {"karpenter.k8s.aws/ec2nodeclass-hash": "1"}, {"look": "again"}):
        account.put(with_meta(annotations=notes))
        asyncio.run(controller.gather())

    assert len(account.asked) == 2


def test_what_was_found_is_part_of_the_world():
    controller = started(Account(CLASS))
    asyncio.run(controller.gather())
    world = controller.see()

    assert [one.name for one in world.beside.class_facts] == ["standard"]
    reasons = [one.reason for one in controller.decide(world)]
    assert reasons == ["Finalizer", "UnhealthyDependents"]


def test_a_class_that_goes_is_not_asked_about():
    account = Account(with_meta(deletion_timestamp="2026-01-01T00:00:00Z"))
    asyncio.run(started(account).gather())

    assert account.asked == []


def test_a_class_goes_after_what_was_made_for_it():
    account = Account(CLASS)
    release = Release(subject=refer(NODE_CLASSES, CLASS), reason="Finalized", thing=CLASS)
    answer = asyncio.run(started(account).act(release))

    assert answer.is_done
    assert account.released == ["standard", "karpenter.k8s.aws/termination"]


def test_a_class_stays_while_something_is_left_of_it():
    account = Account(CLASS, trouble=Trouble("DeleteConflict", "in use"))
    release = Release(subject=refer(NODE_CLASSES, CLASS), reason="Finalized", thing=CLASS)
    answer = asyncio.run(started(account).act(release))

    assert (answer.outcome, answer.message) == (Outcome.BUSY, "in use")
    assert account.released == ["standard"]
