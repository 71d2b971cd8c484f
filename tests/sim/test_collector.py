import msgspec

from builders import a_node
from nodewright.model.metadata import ObjectMeta, OwnerReference
from nodewright.model.resource import NODES
from sim.stage import Stage


def owned(name, *uids, finalizers=()):
    owners = tuple(OwnerReference(kind="Node", name="x", uid=uid) for uid in uids)
    meta = ObjectMeta(name=name, owner_references=owners, finalizers=finalizers)
    return msgspec.structs.replace(a_node(name), metadata=meta)


def test_the_last_owner_takes_the_object_along():
    stage = Stage()
    first = stage.make(NODES, a_node("first")).metadata.uid
    second = stage.make(NODES, a_node("second")).metadata.uid
    stage.make(NODES, owned("child", first, second))
    stage.api.delete(NODES, "first", "user")
    stage.run()
    assert "child" in stage.nodes()
    stage.api.delete(NODES, "second", "user")
    stage.run()

    assert stage.nodes() == {}


def test_an_object_for_an_owner_that_never_was_goes():
    stage = Stage()
    stage.make(NODES, owned("child", "nobody"))
    stage.run()

    assert stage.nodes() == {}


def test_finalizers_hold_the_collector_too():
    stage = Stage()
    stage.make(NODES, owned("child", "nobody", finalizers=("hold/on",)))
    stage.run()

    assert stage.nodes()["child"].metadata.deletion_timestamp is not None
