"""Host ports: the same port of the same address is open once on a node."""

import pytest

from builders import a_daemon_set, a_node, a_pod, a_pool, a_type, pods, want
from builders.solving import home_of, plan_of, sizes_of
from nodewright.core.scheduling.rules.ports import HostPort, first_taken, host_ports
from nodewright.model.labels import INSTANCE_TYPE
from nodewright.model.pod import ContainerPort


def port(number=80, address="", protocol="TCP"):
    return ContainerPort(host_port=number, host_ip=address, protocol=protocol)


def the_port(written):
    (one,) = host_ports(a_pod(ports=[written]).spec)
    return one


@pytest.mark.parametrize(
    ("left", "right", "clash"),
    [
        (port(), port(), True),
        (port(80), port(81), False),
        (port(80), port(80, protocol="UDP"), False),
        (port(80, "10.0.0.1"), port(80, "10.0.0.2"), False),
        (port(80, "10.0.0.1"), port(80, "10.0.0.1"), True),
        (port(80, "10.0.0.1"), port(80, "0.0.0.0"), True),
        (port(80, "10.0.0.1"), port(80, "::"), True),
        (port(80, "10.0.0.1"), port(80), True),
    ],
)
def test_ports_clash_by_number_protocol_and_address(left, right, clash):
    assert the_port(left).clashes(the_port(right)) is clash
    assert the_port(right).clashes(the_port(left)) is clash


def test_only_ports_of_the_host_count():
    assert host_ports(a_pod(ports=[ContainerPort(container_port=80)]).spec) == ()


def test_the_first_port_that_is_taken_is_told():
    taken = [HostPort("", "TCP", 80)]
    assert first_taken([HostPort("", "TCP", 81), HostPort("", "TCP", 80)], taken) == taken[0]
    assert first_taken([HostPort("", "UDP", 80)], taken) is None


def test_pods_with_one_port_get_a_node_each():
    assert sizes_of(plan_of(pods(3, cpu="100m", ports=[80]), a_type())) == [1, 1, 1]


def test_a_pod_never_clashes_with_itself():
    assert sizes_of(plan_of(a_pod(cpu=1, ports=[80, 80]), a_type())) == [1]


def test_a_port_on_an_existing_node_is_taken():
    node = a_node()
    pod, there = a_pod("new", cpu=1, ports=[80]), a_pod("old", ports=[80], node=node)
    assert home_of(plan_of(pod, there, node, a_type()), pod) != "node"


def test_a_daemon_port_blocks_only_the_types_that_the_daemon_runs_on():
    daemon = a_daemon_set(ports=[80], terms=[[want(INSTANCE_TYPE, "In", "small")]])
    small, large = a_type("small", cpu=2), a_type("large", cpu=8)
    pod = a_pod(cpu=1, ports=[80])
    assert home_of(plan_of(pod, daemon, small, large), pod).instance_types == ("large",)
    free = a_pod(cpu=1, ports=[81])
    assert home_of(plan_of(free, daemon, small, large), free).instance_types == ("small", "large")


def test_ports_of_daemons_that_do_not_tolerate_the_pool_block_nothing():
    daemon = a_daemon_set(ports=[80], selector={"team": "other"})
    assert plan_of(a_pod(cpu=1, ports=[80]), daemon, a_pool(), a_type()).unschedulable == {}
