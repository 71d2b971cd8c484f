"""Amazon Linux 2023: NodeConfigs are merged, and ours wins."""

import pytest

from builders.awsdrafts import a_cluster, a_draft
from builders.userdata import mime
from nodewright.aws.userdata.al2023 import node_config, write_al2023
from nodewright.aws.userdata.draft import BadUserData
from nodewright.sandbox.kubelet.nodeadm import read_al2023
from nodewright.sandbox.kubelet.parts import read_parts

CONFIG = """apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      maxPods: 7
      podsPerCore: 3
    flags: [--v=5]
"""


def test_a_text_that_is_an_object_is_a_node_config():
    parts = read_parts(write_al2023(a_draft(written=CONFIG)))

    assert [one.kind for one in parts] == ["application/node.eks.aws"] * 2


@pytest.mark.parametrize("written", ["#!/bin/bash\na: 1\n", "echo: [", "echo hello"])
def test_any_other_text_is_a_script(written):
    first, _ = read_parts(write_al2023(a_draft(written=written)))

    assert first.kind == "text/x-shellscript"


def test_the_generated_config_wins_and_the_rest_of_the_user_s_stays():
    boot = read_al2023(write_al2023(a_draft(written=CONFIG)))

    assert (boot.max_pods, boot.pods_per_core) == (58, 3)


def test_parts_of_the_user_stay_in_front():
    written = mime(("text/x-shellscript", "#!/bin/sh\nb"), ("application/node.eks.aws", CONFIG))
    parts = read_parts(write_al2023(a_draft(written=written)))

    assert [one.kind.rpartition("/")[2] for one in parts] == [
        "x-shellscript",
        "node.eks.aws",
        "node.eks.aws",
    ]


def test_settings_that_we_do_not_interpret_pass_through():
    config = node_config(
        a_draft(kubelet={"singleProcessOOMKill": True, "kubeReserved": {"cpu": 1}})
    )
    kubelet = config["spec"]["kubelet"]["config"]

    assert kubelet["singleProcessOOMKill"] is True
    assert kubelet["kubeReserved"] == {"cpu": "1"}


def test_without_the_services_range_nothing_is_written():
    with pytest.raises(BadUserData, match="range of service addresses"):
        write_al2023(a_draft(cluster=a_cluster(service_range="")))
