"""Windows: one PowerShell block."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.metadata import Taint
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.windows import read_windows

GENERATED = """<powershell>
Write-Host 'mine; and "yours"'  # a remark
[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"
& $EKSBootstrapScriptFile -EKSClusterName 'shop' -APIServerEndpoint 'https://shop.eks.example' `
  -Base64ClusterCA 'Q0E=' -KubeletExtraArgs '--node-labels="a=1,b=2" --max-pods=110 \
--register-with-taints="karpenter.sh/unregistered:NoExecute"' -DNSClusterIP '10.100.0.10'
</powershell>"""


def block(text):
    return f"<powershell>\n{text}\n</powershell>"


def call(arguments):
    return block(f'& "C:\\Program Files\\Amazon\\EKS\\Start-EKSBootstrap.ps1" {arguments}')


def test_what_the_autoscaler_writes_is_read_back_whole():
    assert read_windows(GENERATED) == Boot(
        cluster_name="shop",
        endpoint="https://shop.eks.example",
        authority="Q0E=",
        cluster_dns=("10.100.0.10",),
        labels={"a": "1", "b": "2"},
        taints=(Taint(key="karpenter.sh/unregistered", effect="NoExecute"),),
        max_pods=110,
    )


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1))
def test_quoted_names_read_back(name):
    quoted = name.replace("'", "''")

    if "</powershell>" in name.lower():
        return
    assert read_windows(call(f"-EKSClusterName '{quoted}'")).cluster_name == name


def test_parameters_may_be_cut_short_and_joined_by_variables():
    found = read_windows(
        block(
            '$n = "sh"\n& x\\Start-EKSBootstrap.ps1 -eksc "${n}op" -DNS:1.1.1.1'.replace(
                "-DNS:", "-DNS: "
            )
        )
    )

    assert found == Boot(cluster_name="shop", cluster_dns=("1.1.1.1",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("& Start-EKSBootstrap.ps1 -EKSClusterName shop", "no <powershell> block"),
        (block("Write-Host hello"), "never called"),
        (block("Write-Host 'open\n& Start-EKSBootstrap.ps1"), "line 2: the string is missing"),
        (call("-DNSClusterIP 1.1.1.1"), "missing an argument for parameter EKSClusterName"),
        (call("-ClusterName shop"), "matches parameter name 'ClusterName'"),
        (call("-EKSClusterName shop -KubeletExtraArgs '--bad=1'"), "unknown flag: --bad"),
        (call("""-EKSClusterName shop -KubeletExtraArgs '"'"""), "No closing quotation"),
    ],
)
def test_the_console_says_why_no_kubelet_came_up(text, said):
    with pytest.raises(BootError, match=said):
        read_windows(text)
