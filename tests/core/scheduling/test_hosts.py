"""Existing nodes: a node and its claim are one, and each speaks when it knows best."""

import msgspec
import pytest

from builders import (
    a_managed_node,
    a_node,
    a_node_claim,
    a_pod,
    a_taint,
    a_type,
    a_world,
    want,
)
from builders.solving import home_of, plan_of
from nodewright.core.scheduling.daemons import read_daemons
from nodewright.core.scheduling.hosts import HostBuilder, copy_hosts, join
from nodewright.core.scheduling.rules.volumes import Storage
from nodewright.model.labels import INITIALIZED, INSTANCE_TYPE, REGISTERED, ZONE
from nodewright.model.metadata import Condition
from nodewright.model.quantity import parse_resources

GONE = "2026-11-15T08:00:00Z"
TYPED = {INSTANCE_TYPE: "m"}


def hosts_of(*things):
    world = a_world(*things)
    builder = HostBuilder(world, read_daemons(world.daemon_sets, world.pods), Storage(world))
    return builder.build(join(world))


def the_host(*things):
    (host,) = hosts_of(*things)
    return host


def without(node, *labels):
    kept = {key: value for key, value in node.metadata.labels.items() if key not in labels}
    return msgspec.structs.replace(
        node, metadata=msgspec.structs.replace(node.metadata, labels=kept)
    )


def test_a_node_and_its_claim_are_joined_by_provider_id_or_by_name():
    node, claim = a_managed_node()
    (one,) = join(a_world(node, claim))
    assert (one.node, one.claim) == (node, claim)
    anonymous = msgspec.structs.replace(
        node, spec=msgspec.structs.replace(node.spec, provider_id="")
    )
    (one,) = join(a_world(anonymous, claim))
    assert (one.node, one.claim) == (anonymous, claim)


def test_a_claim_without_a_node_is_a_host_on_its_way():
    host = the_host(a_node_claim(labels=TYPED))
    assert host.name == "claim"
    assert not host.initialized
    assert host.available == parse_resources({"cpu": 4, "memory": "16Gi", "pods": 110})


def test_initialized_nodes_come_first_then_by_name():
    young = a_managed_node("a-young", initialized=False, labels=TYPED)
    hosts = hosts_of(young, a_managed_node("c"), a_managed_node("b"))
    assert [host.name for host in hosts] == ["b", "c", "a-young"]
    assert [host.number for host in copy_hosts(hosts)] == [0, 1, 2]


@pytest.mark.parametrize("what", ["node", "claim"])
def test_what_is_being_deleted_takes_no_pods(what):
    node, claim = a_managed_node(deleted=GONE if what == "node" else None)
    if what == "claim":
        claim = a_node_claim("c", node=node, deleted=GONE)
    assert hosts_of(node, claim) == []


def test_an_instance_that_is_terminating_takes_no_pods():
    node, claim = a_managed_node()
    ending = msgspec.structs.replace(
        claim,
        status=msgspec.structs.replace(
            claim.status, conditions=(Condition(type="InstanceTerminating", status="True"),)
        ),
    )
    assert hosts_of(node, ending) == []


def test_pods_on_it_take_their_part():
    node = a_node(cpu=4, memory="8Gi", pods=10)
    running = a_pod(cpu=1, memory="1Gi", node=node)
    done = a_pod("done", cpu=3, node=node, phase="Succeeded")
    host = the_host(node, running, done)
    assert host.available == parse_resources({"cpu": 3, "memory": "7Gi", "pods": 9})


def test_a_node_with_less_than_nothing_left_of_anything_is_full():
    node = a_node(cpu=1, memory="8Gi")
    assert the_host(node, a_pod(cpu=2, node=node)).is_full
    assert (
        home_of(plan_of(node, a_pod("a", cpu=2, node=node), a_pod("b"), a_type()), a_pod("b"))
        != "node"
    )


def test_until_it_is_initialized_the_claim_promises_what_the_kubelet_does_not_report():
    node, claim = a_managed_node(initialized=False, labels=TYPED, more={"gpu": 0})
    promised = msgspec.structs.replace(
        claim,
        status=msgspec.structs.replace(
            claim.status, allocatable={**claim.status.allocatable, "gpu": 2}
        ),
    )
    assert the_host(node, promised).available["gpu"] == 2000
    grown = msgspec.structs.replace(
        node,
        metadata=msgspec.structs.replace(
            node.metadata, labels={**node.metadata.labels, INITIALIZED: "true"}
        ),
    )
    assert the_host(grown, promised).available["gpu"] == 0


def test_until_it_has_registered_the_claim_speaks_for_labels_and_taints():
    node, _ = a_managed_node(
        initialized=False, zone="zone-b", taints=[a_taint("odd")], labels=TYPED
    )
    claim = a_node_claim("c", node=node, zone="zone-a", labels=TYPED, taints=[a_taint("gpu")])
    early = the_host(without(node, REGISTERED), claim)
    assert (early.labels[ZONE], early.taints) == ("zone-a", (a_taint("gpu"),))
    late = the_host(node, claim)
    assert (late.labels[ZONE], late.taints) == ("zone-b", (a_taint("odd"),))


def test_a_cordoned_node_takes_no_pods():
    node = a_node()
    cordoned = msgspec.structs.replace(
        node, spec=msgspec.structs.replace(node.spec, unschedulable=True)
    )
    pod = a_pod(cpu=1)
    assert home_of(plan_of(pod, cordoned, a_type()), pod) != "node"


def test_a_claim_that_is_not_launched_yet_is_not_counted_on():
    claim = a_node_claim(labels=TYPED)
    waiting = msgspec.structs.replace(
        claim, status=msgspec.structs.replace(claim.status, provider_id="")
    )
    assert hosts_of(waiting) == []


def test_a_pod_goes_to_a_node_on_its_way_before_a_new_one_is_made():
    pod, claim = a_pod(cpu=1), a_node_claim(labels=TYPED)
    assert home_of(plan_of(pod, claim, a_type()), pod) == "claim"


def test_a_node_lacks_a_label_that_it_does_not_have_even_a_well_known_one():
    bare = without(a_node(), ZONE)
    anywhere, choosy = a_pod("a", cpu=1), a_pod("b", cpu=1, terms=[[want(ZONE, "In", "zone-a")]])
    plan = plan_of(bare, anywhere, choosy, a_type())
    assert home_of(plan, anywhere) == "node"
    assert home_of(plan, choosy) != "node"


def test_the_name_stands_in_for_a_missing_hostname():
    host = the_host(without(a_node("n1"), "kubernetes.io/hostname"))
    assert host.hostname == "n1"
