"""The user data of ready-made machines."""

from nodewright.model.metadata import Taint
from nodewright.sandbox.accounts.clusters import Made
from nodewright.sandbox.accounts.network import Vpc
from nodewright.sandbox.accounts.userdata import render
from nodewright.sandbox.kubelet.boot import Boot
from nodewright.sandbox.kubelet.nodeadm import read_al2023

CLUSTER = Made(
    name="shop",
    arn="arn:aws:eks:us-west-2:123456789012:cluster/shop",
    version="1.34",
    endpoint="https://shop.eks.example",
    authority="Q0E=",
    service_range="10.100.0.0/16",
    group_id="sg-1",
    issuer="https://oidc.example/id/1",
    provider="arn:aws:iam::123456789012:oidc-provider/oidc.example/id/1",
    vpc=Vpc("vpc-1", "10.0.0.0/16", (), ()),
)


def test_a_machine_reads_what_was_written():
    taint = Taint(key="a", value="b", effect="NoSchedule")

    assert read_al2023(render(CLUSTER, {"team": "a"}, (taint,))) == Boot(
        cluster_name="shop",
        endpoint="https://shop.eks.example",
        authority="Q0E=",
        labels={"team": "a"},
        taints=(taint,),
    )
