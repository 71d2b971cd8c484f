"""The whole user data of each family, against golden files and against its operating system."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.awsdrafts import AUTHORITY, FULL_KUBELET, a_draft
from nodewright.aws.userdata.render import (
    BYTES_MAX,
    TooLong,
    encode,
    write_user_data,
)
from nodewright.model.metadata import Taint
from nodewright.sandbox.kubelet.al2 import read_al2
from nodewright.sandbox.kubelet.bottlerocket import read_bottlerocket
from nodewright.sandbox.kubelet.nodeadm import read_al2023
from nodewright.sandbox.kubelet.parts import decode
from nodewright.sandbox.kubelet.windows import read_windows

GOLDEN = Path(__file__).parent / "golden"
READERS = {
    "AL2": read_al2,
    "AL2023": read_al2023,
    "Bottlerocket": read_bottlerocket,
    "Windows2019": read_windows,
    "Windows2022": read_windows,
    "Windows2025": read_windows,
}
OWN = {
    "AL2": "#!/bin/bash\necho own\n",
    "AL2023": "#!/bin/bash\necho own\n",
    "Bottlerocket": '[settings.motd]\nmotd = "own"\n',
    "Windows2019": "Write-Host own",
    "Windows2022": "Write-Host own",
    "Windows2025": "Write-Host own",
}
LABELS = {
    "karpenter.sh/capacity-type": "spot",
    "karpenter.sh/do-not-sync-taints": "true",
    "karpenter.sh/nodepool": "default",
    "team": "search",
}


@pytest.mark.parametrize("family", sorted(READERS))
def test_user_data_is_written_as_the_golden_file_shows(family):
    kubelet = {key: one for key, one in FULL_KUBELET.items() if key != "podsPerCore"}
    draft = a_draft(kubelet=kubelet, joins_disks=True, written=OWN[family], image_version="v1.45.0")

    assert write_user_data(family, draft) == (GOLDEN / f"{family}.txt").read_text()


@pytest.mark.parametrize("family", sorted(READERS))
def test_the_operating_system_reads_what_was_meant(family):
    kubelet = {key: one for key, one in FULL_KUBELET.items() if key != "podsPerCore"}
    draft = a_draft(kubelet=kubelet, joins_disks=True, written=OWN[family])
    boot = READERS[family](decode(encode(write_user_data(family, draft))))

    assert boot.cluster_name == "demo"
    assert boot.endpoint == "https://demo.eks.example"
    assert boot.authority == AUTHORITY
    assert boot.cluster_dns == ("10.100.0.20",)
    assert boot.labels == LABELS
    assert boot.taints == (
        Taint(key="dedicated", value="search", effect="NoSchedule"),
        Taint(key="karpenter.sh/unregistered", effect="NoExecute"),
    )
    assert boot.max_pods == 58
    assert boot.kube_reserved == {"cpu": "150m", "ephemeral-storage": "2Gi"}
    assert boot.system_reserved == {"cpu": "100m", "memory": "200Mi"}
    assert boot.eviction_hard == {"memory.available": "5%", "nodefs.available": "8%"}
    assert boot.joins_disks is (not family.startswith("Windows"))


@pytest.mark.parametrize("family", ["AL2", "AL2023", "Windows2022"])
def test_pods_per_core_reaches_the_kubelet(family):
    draft = a_draft(kubelet={"podsPerCore": 4})

    assert READERS[family](write_user_data(family, draft)).pods_per_core == 4


@pytest.mark.parametrize("family", sorted(READERS))
def test_without_kubelet_settings_the_cluster_s_dns_is_used(family):
    boot = READERS[family](write_user_data(family, a_draft()))

    assert boot.cluster_dns == ("10.100.0.10",)
    assert not boot.joins_disks


def test_custom_user_data_is_the_user_s_alone():
    assert write_user_data("Custom", a_draft(written="#!/bin/sh\r\nmine")) == "#!/bin/sh\r\nmine"


def test_user_data_that_ec2_would_not_take_is_refused():
    with pytest.raises(TooLong) as refused:
        write_user_data("Custom", a_draft(written="a" * (BYTES_MAX + 7)))

    assert "shorten it by 7 bytes" in refused.value.advice
    assert refused.value.code == "NW-3014"


WORD = st.from_regex(r"[a-z0-9]([a-z0-9._-]{0,20}[a-z0-9])?", fullmatch=True)


@pytest.mark.parametrize("family", sorted(READERS))
@settings(max_examples=20)
@given(labels=st.dictionaries(WORD, WORD, max_size=6), name=WORD, pods=st.integers(0, 999))
def test_every_family_says_the_same(family, labels, name, pods):
    draft = a_draft(labels=labels, taints=(Taint(key=name, effect="NoExecute"),), max_pods=pods)
    boot = READERS[family](write_user_data(family, draft))

    assert boot.labels == {**labels, "karpenter.sh/do-not-sync-taints": "true"}
    assert [one.key for one in boot.taints] == [name, "karpenter.sh/unregistered"]
    assert boot.max_pods == pods
