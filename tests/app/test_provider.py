"""Which cloud is chosen, and which classes are its own."""

import pytest

from nodewright.app.provider import check_named, watched_kinds
from nodewright.app.settings import Written, read_settings
from nodewright.model.errors import UserError
from nodewright.model.resource import KWOK_NODE_CLASSES, NODE_CLASSES, WATCHED


def test_without_a_name_the_user_is_told_what_to_set():
    with pytest.raises(UserError, match="which cluster") as refused:
        check_named(read_settings(Written(cloud="aws")))

    assert "CLUSTER_NAME" in refused.value.advice
    check_named(read_settings(Written(cloud="aws", cluster_name="shop")))
    check_named(read_settings(Written(cloud="kwok")))


def test_kwok_plays_the_classes_of_ec2_too():
    assert watched_kinds("kwok") == WATCHED


def test_ec2_leaves_classes_of_kwok_alone():
    watched = watched_kinds("aws")

    assert KWOK_NODE_CLASSES not in watched
    assert NODE_CLASSES in watched
    assert len(watched) == len(WATCHED) - 1
