"""Whether a machine gets through."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sandbox.kubelet.fault import Weight
from nodewright.sandbox.kubelet.network import Group, Rule, Site, judge_network

EVERYWHERE = Rule("-1", 0, 65_535, ranges=("0.0.0.0/0",))
SHARED = Group("sg-shared", (Rule("-1", 0, 65_535, frozenset({"sg-shared"})),), (EVERYWHERE,))
GOOD = Site(
    address="10.0.1.5",
    subnet_id="subnet-1",
    free_count=200,
    route="nat",
    groups=(SHARED,),
    control_groups=(SHARED,),
    control_ranges=("10.0.0.0/24",),
)
ENDPOINTS = frozenset({"ec2", "eks", "ecr.api", "ecr.dkr", "s3"})


def judged(asks_eks=False, **changes):
    return list(judge_network(msgspec.structs.replace(GOOD, **changes), asks_eks=asks_eks))


def weights(**changes):
    return [fault.weight for fault in judged(**changes)]


def a_group(name, ingress=(), egress=(EVERYWHERE,)):
    return Group(name, tuple(ingress), tuple(egress))


def test_a_node_with_the_clusters_own_group_and_a_nat_has_all_it_needs():
    assert judged() == judged(asks_eks=True) == []


def test_a_public_machine_needs_a_public_address():
    assert judged(route="internet", has_public_address=True) == []

    faults = judged(route="internet")

    assert [fault.weight for fault in faults] == [Weight.ABSENT, Weight.UNREADY]
    assert "internet gateway and the machine has no public address" in faults[0].text


@pytest.mark.parametrize("route", ["none", "blackhole"])
def test_without_a_way_out_endpoints_stand_in_one_for_each_service(route):
    assert judged(route=route, endpoints=ENDPOINTS, asks_eks=True) == []
    assert weights(route=route) == [Weight.ABSENT, Weight.UNREADY]
    [only] = judged(route=route, endpoints=ENDPOINTS - {"ecr.dkr"})
    assert only.weight is Weight.UNREADY
    assert "VPC endpoint for ecr.dkr" in only.text
    [only] = judged(route=route, endpoints=ENDPOINTS - {"eks"}, asks_eks=True)
    assert "no VPC endpoint for eks" in only.text


def test_a_public_api_server_is_reached_the_way_out():
    assert judged(is_api_private=False) == []
    assert weights(is_api_private=False, route="none", endpoints=ENDPOINTS) == [Weight.ABSENT]


def test_an_own_group_needs_443_in_and_10250_back():
    alone = a_group("sg-node")
    control = a_group("sg-control", [Rule("tcp", 443, 443, frozenset({"sg-node"}))])
    back = a_group("sg-node", [Rule("tcp", 10250, 10250, frozenset({"sg-control"}))])

    assert judged(groups=(back,), control_groups=(control,)) == []
    [only] = judged(groups=(alone,), control_groups=(control,))
    assert only.weight is Weight.LIMITED
    assert "TCP 10250 in from sg-control" in only.text
    [only] = judged(groups=(back,), control_groups=(a_group("sg-control"),))
    assert only.weight is Weight.ABSENT
    assert "no ingress rule of sg-control lets TCP 443 in from sg-node" in only.text


def test_a_group_that_lets_nothing_out_keeps_a_machine_from_everything():
    closed = a_group("sg-shared", SHARED.ingress, egress=())

    assert weights(groups=(closed,)) == [Weight.ABSENT, Weight.ABSENT, Weight.UNREADY]


def test_rules_may_name_ranges_instead_of_groups():
    by_range = a_group("sg-control", [Rule("tcp", 443, 443, ranges=("10.0.0.0/16",))])
    back = a_group("sg-node", [Rule("tcp", 1025, 65_535, ranges=("10.0.0.0/24",))])
    elsewhere = a_group("sg-control", [Rule("tcp", 443, 443, ranges=("10.1.0.0/16",))])

    assert judged(groups=(back,), control_groups=(by_range,)) == []
    assert Weight.ABSENT in weights(groups=(back,), control_groups=(elsewhere,))


def test_a_full_subnet_leaves_the_network_plugin_without_addresses():
    [only] = judged(free_count=0)

    assert only.weight is Weight.UNREADY
    assert "InsufficientFreeAddressesInSubnet: subnet-1" in only.text


def test_a_vpc_without_dns_finds_nobody():
    assert weights(has_dns=False) == [Weight.ABSENT]


def test_a_machine_without_a_name_cannot_be_a_node():
    assert weights(has_name=False) == [Weight.ABSENT]


@given(st.integers(0, 65_535), st.integers(0, 65_535), st.sampled_from(["tcp", "udp", "-1"]))
def test_a_rule_opens_the_port_it_covers_and_no_other(low, high, protocol):
    control = a_group("sg-c", [Rule(protocol, low, high, frozenset({"sg-shared"}))])

    opens = protocol == "-1" or (protocol == "tcp" and low <= 443 <= high)

    assert (Weight.ABSENT not in weights(control_groups=(control,))) == opens
