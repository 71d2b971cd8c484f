"""Node roles are let in by the entry that suits them, and nobody's map is written over."""

from nodewright.doctor.access import Access
from nodewright.doctor.checks.node_access import Facts, judge

ROLE = "arn:aws:iam::111122223333:role/KarpenterNodeRole-shop"


def test_a_map_that_nobody_can_read_is_not_written_over():
    unreadable = Access("shop", "CONFIG_MAP", aws_auth={"data": {"mapRoles": "{[no list"}})

    [found] = judge(Facts(unreadable, {ROLE: False}))

    assert not found.is_fixable
    assert found.commands == ("kubectl edit configmap -n kube-system aws-auth",)


def test_a_map_that_is_not_there_is_made_and_can_go_again():
    [found] = judge(Facts(Access("shop", "CONFIG_MAP"), {ROLE: False}))

    assert found.mends[0].step.sign == "+"
    assert "kubectl delete" in found.undo_commands[0]


def test_a_role_of_windows_nodes_alone_gets_the_entry_of_windows():
    [found] = judge(Facts(Access("shop", "API"), {ROLE: True}))

    assert found.mends[0].step.deeds[0].params["type"] == "EC2_WINDOWS"
