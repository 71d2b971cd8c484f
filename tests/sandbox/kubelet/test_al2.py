"""Amazon Linux 2: scripts, and in them bootstrap.sh."""

import pytest

from builders.userdata import mime
from nodewright.model.metadata import Taint
from nodewright.sandbox.kubelet.al2 import read_al2
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.parts import SHELL

GENERATED = """#!/bin/bash -xe
exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1
/etc/eks/bootstrap.sh 'shop' --apiserver-endpoint 'https://shop.eks.example' \\
--b64-cluster-ca 'Q0E=' \\
--dns-cluster-ip '10.100.0.10' \\
--use-max-pods false \\
--kubelet-extra-args '--node-labels="karpenter.sh/nodepool=default,team=a" \
--register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=29' \\
--local-disks raid0
"""
CUSTOM = "#!/bin/bash\necho hello > /etc/motd"


def script(text):
    return f"#!/bin/bash\n{text}\n"


def test_what_the_autoscaler_writes_is_read_back_whole():
    found = read_al2(mime((SHELL, CUSTOM), (SHELL, GENERATED)))

    assert found == Boot(
        cluster_name="shop",
        endpoint="https://shop.eks.example",
        authority="Q0E=",
        cluster_dns=("10.100.0.10",),
        labels={"karpenter.sh/nodepool": "default", "team": "a"},
        taints=(Taint(key="karpenter.sh/unregistered", effect="NoExecute"),),
        max_pods=29,
        joins_disks=True,
    )


def test_a_name_is_enough_for_a_machine_that_may_ask_eks():
    assert read_al2(script("/etc/eks/bootstrap.sh shop")) == Boot(cluster_name="shop")
    assert read_al2(script("set -o xtrace\nB=shop\nsudo bash -x /etc/eks/bootstrap.sh $B"))


def test_without_a_count_of_its_own_a_kubelet_takes_110_pods():
    found = read_al2(script("/etc/eks/bootstrap.sh shop --use-max-pods false"))

    assert found.max_pods == 110


def test_an_option_of_another_form_is_a_position():
    found = read_al2(script("/etc/eks/bootstrap.sh --b64-cluster-ca=Q0E= shop"))

    assert found.cluster_name == "--b64-cluster-ca=Q0E="


def test_cloud_config_may_run_it_too():
    text = "#cloud-config\nruncmd:\n- echo hi\n- [/etc/eks/bootstrap.sh, shop]\n"

    assert read_al2(text).cluster_name == "shop"


def test_a_failing_script_does_not_keep_the_next_from_running():
    found = read_al2(
        mime((SHELL, "echo no interpreter"), (SHELL, "#!/bin/sh\necho '"), (SHELL, GENERATED))
    )

    assert found.cluster_name == "shop"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "bootstrap.sh was never run"),
        ("hello", "bootstrap.sh was never run"),
        (script("echo hi"), "bootstrap.sh was never run"),
        (script("exit 1\n/etc/eks/bootstrap.sh shop"), "ended at its line 2"),
        (script("echo 'open\n/etc/eks/bootstrap.sh shop"), "line 2: unexpected EOF"),
        (mime((SHELL, "/etc/eks/bootstrap.sh shop")), "Exec format error"),
        (script("/etc/eks/bootstrap.sh"), "cluster name is not defined"),
        (script("/etc/eks/bootstrap.sh c --kubelet-extra-args '--bad=1'"), "unknown flag: --bad"),
        (script("""/etc/eks/bootstrap.sh c --kubelet-extra-args "'" """), "No closing quotation"),
        (
            script("/etc/eks/bootstrap.sh c --kubelet-extra-args --node-labels=k8s.io/a=b"),
            "k8s.io/a",
        ),
        ("#cloud-config\nruncmd: [\n", "Failed loading yaml"),
    ],
)
def test_the_console_says_why_no_kubelet_came_up(text, said):
    with pytest.raises(BootError, match=said):
        read_al2(text)
