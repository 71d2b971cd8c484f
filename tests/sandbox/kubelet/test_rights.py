"""What missing rights lead to."""

import pytest

from nodewright.sandbox.kubelet.fault import Weight
from nodewright.sandbox.kubelet.rights import ALL, BOOT, LOOKUP, PLUGIN, REGISTRY, judge_rights

ROLE = "arn:aws:iam::123456789012:role/Node"


def weights(allowed, asks_eks=True, plugin_has_role=False):
    found = judge_rights(ROLE, allowed, asks_eks=asks_eks, plugin_has_role=plugin_has_role)
    return [fault.weight for fault in found]


def test_the_whole_set_is_enough():
    assert weights(ALL) == []


@pytest.mark.parametrize("action", ALL)
def test_each_right_is_missed(action):
    late = action in REGISTRY + PLUGIN

    assert weights(set(ALL) - {action}) == [Weight.UNREADY if late else Weight.ABSENT]


def test_what_is_not_needed_is_not_missed():
    assert weights(set(ALL) - set(LOOKUP), asks_eks=False) == []
    assert weights(set(ALL) - set(PLUGIN), plugin_has_role=True) == []
    assert weights(set(ALL) - set(BOOT), asks_eks=False) == [Weight.ABSENT]
