"""Everything that a machine needs, together."""

import base64

import msgspec
import pytest

from nodewright.sandbox.kubelet.access import Door, Entry
from nodewright.sandbox.kubelet.boot import Boot
from nodewright.sandbox.kubelet.family import Image
from nodewright.sandbox.kubelet.fault import Weight
from nodewright.sandbox.kubelet.judge import Cluster, Facts, judge
from nodewright.sandbox.kubelet.rights import ALL
from sandbox.kubelet.test_access import a_map
from sandbox.kubelet.test_network import GOOD
from sandbox.kubelet.test_node import PLUGIN

ROLE = "arn:aws:iam::123456789012:role/Node"
AUTHORITY = base64.b64encode(b"-----CERT-----\n").decode()
CLUSTER = Cluster("shop", "https://shop.eks.example", AUTHORITY, "1.34")
FACTS = Facts(
    boot=Boot("shop", "https://shop.eks.example", AUTHORITY),
    image=Image("AL2023", "1.34"),
    cluster=CLUSTER,
    site=GOOD,
    role=ROLE,
    allowed=frozenset(ALL),
    door=Door("API_AND_CONFIG_MAP", {}, a_map(role=ROLE)),
    daemons=(PLUGIN,),
)


def judged(**changes):
    return judge(msgspec.structs.replace(FACTS, **changes))


def test_a_machine_with_everything_has_no_fault():
    assert judged() == ()
    assert judged(boot=Boot("shop")) == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cluster": None}, "token is for the cluster shop"),
        ({"cluster": None, "boot": Boot("shop")}, "No cluster found for name: shop"),
        ({"boot": Boot("shop", "https://else.example", AUTHORITY)}, "lookup else.example: no such"),
        ({"boot": Boot("shop", CLUSTER.endpoint, "Q0E=")}, "unknown authority"),
        ({"boot": Boot("shop", CLUSTER.endpoint, "%")}, "unknown authority"),
        ({"image": Image("AL2", "1.30")}, "kubelet 1.30 cannot work with an API server of 1.34"),
        ({"image": Image("AL2023", "1.35")}, "never newer"),
        ({"role": ""}, "the instance profile is missing or holds no role"),
        ({"allowed": frozenset()}, "may|not authorized"),
        ({"door": Door("API")}, "has no access entry"),
        ({"site": msgspec.structs.replace(GOOD, route="none")}, "no default route"),
    ],
)
def test_each_thing_alone_keeps_the_node_away(changes, said):
    faults = judged(**changes)

    assert faults[0].weight is Weight.ABSENT
    assert any(part in faults[0].text for part in said.split("|"))


def test_older_images_join_within_the_skew():
    assert judged(image=Image("AL2", "1.31")) == ()
    assert judged(image=Image("Custom", "")) == ()


def test_the_worst_comes_first():
    faults = judged(daemons=(), door=Door("API"))

    assert [fault.weight for fault in faults] == [Weight.ABSENT, Weight.UNREADY]


def test_windows_has_no_use_for_linux_daemons_and_wants_its_group():
    image = Image("Windows2022", "1.34")

    [fault] = judged(image=image, daemons=())

    assert fault.weight is Weight.LIMITED
    assert judged(image=image, door=Door("API", {ROLE: Entry("EC2_WINDOWS")})) == ()
