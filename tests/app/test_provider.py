"""Which cloud is chosen, and which classes are its own."""

from nodewright.app.provider import watched_kinds
from nodewright.model.resource import KWOK_NODE_CLASSES, NODE_CLASSES, WATCHED


def test_kwok_plays_the_classes_of_ec2_too():
    assert watched_kinds("kwok") == WATCHED


def test_ec2_leaves_classes_of_kwok_alone():
    watched = watched_kinds("aws")

    assert KWOK_NODE_CLASSES not in watched
    assert NODE_CLASSES in watched
    assert len(watched) == len(WATCHED) - 1
