"""Bottlerocket: settings are merged table by table."""

import tomllib

import pytest

from builders.awsdrafts import a_draft
from nodewright.aws.userdata.bottlerocket import write_bottlerocket
from nodewright.aws.userdata.draft import BadUserData
from nodewright.model.metadata import Taint

OWN = """
[settings.kubernetes]
max-pods = 5
allowed-unsafe-sysctls = ["net.core.somaxconn"]
[settings.kubernetes.node-labels]
own = "1"
team = "other"
[settings.kubernetes.node-taints]
own = ["a:NoSchedule"]
[settings.bootstrap-commands.first]
commands = [["true"]]
mode = "once"
[settings.kernel]
lockdown = "none"
"""


def written(text="", **more):
    return tomllib.loads(write_bottlerocket(a_draft(written=text, **more)))["settings"]


def test_ours_replace_the_user_s_and_labels_are_merged():
    kubernetes = written(OWN)["kubernetes"]

    assert kubernetes["max-pods"] == 58
    assert kubernetes["node-labels"]["own"] == "1"
    assert kubernetes["node-labels"]["team"] == "search"
    assert kubernetes["node-taints"] == {
        "dedicated": ["search:NoSchedule"],
        "karpenter.sh/unregistered": [":NoExecute"],
    }


def test_what_we_do_not_know_is_kept():
    settings = written(OWN)

    assert settings["kernel"] == {"lockdown": "none"}
    assert settings["kubernetes"]["allowed-unsafe-sysctls"] == ["net.core.somaxconn"]


def test_two_effects_of_one_taint_are_one_list():
    taints = tuple(Taint(key="a", effect=effect) for effect in ("NoSchedule", "NoExecute"))

    assert written(taints=taints)["kubernetes"]["node-taints"]["a"] == [":NoSchedule", ":NoExecute"]


def test_thresholds_are_text():
    kubelet = {"imageGCHighThresholdPercent": 85, "cpuCFSQuota": False}
    kubernetes = written(kubelet=kubelet)["kubernetes"]

    assert kubernetes["image-gc-high-threshold-percent"] == "85"
    assert kubernetes["cpu-cfs-quota-enforced"] is False


@pytest.mark.parametrize(
    ("version", "is_told"),
    [("v1.45.9", True), ("1.46.0", False), ("v1.50.1", False), ("latest", False), ("", True)],
)
def test_older_versions_are_told_what_to_bind(version, is_told):
    commands = written(OWN, joins_disks=True, image_version=version)["bootstrap-commands"]
    _, bind = commands["000-mount-instance-storage"]["commands"]

    assert ("--dirs" in bind) is is_told
    assert commands["first"] == {"commands": [["true"]], "mode": "once"}


@pytest.mark.parametrize("text", ["[settings", "settings = 1", "[settings]\nkubernetes = 2"])
def test_what_is_no_settings_file_is_refused(text):
    with pytest.raises(BadUserData):
        write_bottlerocket(a_draft(written=text))
