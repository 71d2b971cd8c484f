"""kube-proxy on Windows is let in: by a new entry with the old one's tags, or not at all where a role is shared."""

from nodewright.doctor.access import Access, Entry
from nodewright.doctor.windows_access import Facts, Shared, judge

ROLE = "arn:aws:iam::111122223333:role/WindowsNodes"
ENTRY = Access("shop", "API", {ROLE: Entry("EC2_LINUX", {"team": "shop"})})
WINDOWS = ("EC2NodeClass/win",)


def test_an_entry_is_made_anew_for_windows_and_put_back_as_it_was():
    [found] = judge(Facts(ENTRY, {ROLE: Shared(WINDOWS)}))

    away, anew = found.mends[0].step.deeds
    assert (away.call, anew.call) == ("eks.DeleteAccessEntry", "eks.CreateAccessEntry")
    assert (anew.params["type"], anew.params["tags"]) == ("EC2_WINDOWS", {"team": "shop"})
    assert found.mends[0].undo[1].params["type"] == "EC2_LINUX"


def test_a_role_that_linux_nodes_share_is_split_by_its_owner():
    [found] = judge(Facts(ENTRY, {ROLE: Shared(WINDOWS, ("EC2NodeClass/default",))}))

    assert not found.is_fixable
    assert "--cluster-name shop" in found.commands[0]
    assert "kubectl patch ec2nodeclass win" in found.commands[1]


def test_a_role_that_is_not_let_in_at_all_is_not_told_of_twice():
    assert list(judge(Facts(Access("shop", "API"), {ROLE: Shared(WINDOWS)}))) == []
