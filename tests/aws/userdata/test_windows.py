"""Windows: one block, in which the user's lines come first."""

from builders.awsdrafts import a_cluster, a_draft
from nodewright.aws.userdata.windows import write_windows
from nodewright.sandbox.kubelet.windows import read_windows


def test_the_user_s_lines_come_first():
    text = write_windows(a_draft(written="Write-Host one\nWrite-Host two\n"))

    assert text.startswith("<powershell>\nWrite-Host one\nWrite-Host two\n[string]$EKSBootstrap")


def test_a_block_of_the_user_s_is_opened():
    text = write_windows(a_draft(written="<powershell>\nWrite-Host one\n</powershell>\n"))

    assert text.count("<powershell>") == 1
    assert text.count("</powershell>") == 1
    assert read_windows(text).cluster_name == "demo"


def test_a_quote_in_a_name_does_not_end_it():
    assert (
        read_windows(write_windows(a_draft(cluster=a_cluster(name="it's")))).cluster_name == "it's"
    )
