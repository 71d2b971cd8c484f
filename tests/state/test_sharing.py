"""Sharing: equal parts of pods are one object, different ones stay apart."""

import msgspec

from builders import a_pod
from builders.snapshots import a_document, a_pod_value, read
from nodewright.state.sharing import PodSharer


def copied(pod, name):
    """A pod of another name that was read on its own."""
    fresh = msgspec.json.decode(msgspec.json.encode(pod), type=type(pod))
    return msgspec.structs.replace(
        fresh, metadata=msgspec.structs.replace(fresh.metadata, name=name)
    )


def test_equal_specs_and_labels_become_one():
    sharer = PodSharer()
    first = sharer.share(a_pod("a", cpu=1, labels={"app": "web"}))
    second = sharer.share(copied(first, "b"))
    assert second.spec is first.spec
    assert second.metadata.labels is first.metadata.labels
    assert second.metadata.name == "b"


def test_a_pod_that_is_new_in_every_part_stays_as_it_is():
    sharer = PodSharer()
    sharer.share(a_pod("a", cpu=1))
    other = a_pod("b", cpu=2, labels={"app": "db"})
    assert sharer.share(other) is other


def test_labels_are_shared_between_pods_of_different_specs():
    sharer = PodSharer()
    first = sharer.share(a_pod("a", cpu=1, labels={"app": "web"}))
    second = sharer.share(a_pod("b", cpu=2, labels={"app": "web"}))
    assert second.metadata.labels is first.metadata.labels
    assert second.spec is not first.spec


def test_the_order_of_keys_does_not_matter():
    sharer = PodSharer()
    first = sharer.share(a_pod("a", labels={"x": "1", "y": "2"}))
    second = sharer.share(a_pod("b", labels={"y": "2", "x": "1"}))
    assert second.metadata.labels is first.metadata.labels


def test_a_snapshot_shares_what_its_pods_repeat():
    world = read(a_document(*(a_pod_value(f"p{number}") for number in range(5)))).world
    assert len({id(pod.spec) for pod in world.pods}) == 1
