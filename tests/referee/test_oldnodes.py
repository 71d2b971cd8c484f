"""Pods put on nodes that are there already."""

from builders import (
    a_csi_node,
    a_daemon_set,
    a_managed_node,
    a_node,
    a_node_claim,
    a_plan,
    a_pod,
    a_storage_class,
    a_taint,
    a_volume_claim,
    a_world,
    tolerating,
)
from nodewright.model.labels import ZONE
from referee import judge

NOW = "2026-11-15T09:00:00Z"


def rules(world, **existing):
    return {found.rule for found in judge(world, a_plan(existing=existing))}


def test_a_pod_that_fits_beside_the_others_is_right():
    node, pod = a_node(cpu=4), a_pod(cpu=2)
    assert rules(a_world(node, pod, a_pod("old", cpu=2, node=node)), node=[pod]) == set()


def test_what_bound_pods_take_is_gone():
    node, pod = a_node(cpu=4), a_pod(cpu=3)
    assert rules(a_world(node, pod, a_pod("old", cpu=2, node=node)), node=[pod]) == {"fit"}


def test_pods_that_are_over_take_nothing():
    node, pod = a_node(cpu=4), a_pod(cpu=3)
    over = a_pod("old", cpu=2, node=node, phase="Succeeded")
    assert rules(a_world(node, pod, over), node=[pod]) == set()


def test_room_is_kept_for_daemon_pods_to_come():
    node, pod, daemons = a_node(cpu=4), a_pod(cpu=4), a_daemon_set(cpu="100m")
    assert rules(a_world(node, pod, daemons), node=[pod]) == {"fit"}


def test_daemon_pods_that_are_there_are_not_counted_twice():
    node, pod, daemons = a_node(cpu=4), a_pod(cpu=3), a_daemon_set(cpu=1)
    there = a_pod("agent-1", namespace="kube-system", cpu=1, node=node, owner=daemons)
    assert rules(a_world(node, pod, daemons, there), node=[pod]) == set()


def test_a_label_that_is_not_there_is_not_assumed():
    node, pod = a_node(labels={ZONE: ""}), a_pod(selector={"team": "a"})
    assert rules(a_world(node, pod), node=[pod]) == {"labels"}


def test_a_node_that_is_being_deleted_takes_no_pods():
    node, pod = a_node(deleted=NOW), a_pod()
    assert rules(a_world(node, pod), node=[pod]) == {"leaving"}


def test_a_node_whose_claim_is_being_deleted_takes_no_pods():
    node, pod = a_node(pool="default"), a_pod()
    claim = a_node_claim(node=node, deleted=NOW)
    assert rules(a_world(node, claim, pod), node=[pod]) == {"leaving"}


def test_taints_of_a_node_count():
    node, pod = a_node(taints=[a_taint("gpu")]), a_pod()
    calm = a_pod("calm", tolerations=[tolerating("gpu", "", "NoSchedule")])
    assert rules(a_world(node, pod), node=[pod]) == {"taint"}
    assert rules(a_world(node, calm), node=[calm]) == set()


def test_startup_and_ephemeral_taints_pass_until_the_node_is_initialized():
    boot = a_taint("boot")
    taints = [boot, a_taint("node.kubernetes.io/not-ready")]
    pod = a_pod()
    young = a_managed_node(taints=taints, initialized=False, startup_taints=[boot])
    grown = a_managed_node(taints=taints, startup_taints=[boot])
    assert rules(a_world(young, pod), node=[pod]) == set()
    assert rules(a_world(grown, pod), node=[pod]) == {"taint"}


def test_a_claim_on_its_way_takes_pods_under_its_own_name():
    pod = a_pod(cpu=3)
    assert rules(a_world(a_node_claim(cpu=4), pod), claim=[pod]) == set()
    assert rules(a_world(a_node_claim(cpu=2), pod), claim=[pod]) == {"fit"}


def test_an_unknown_node_is_caught():
    pod = a_pod()
    assert "node" in rules(a_world(pod), nowhere=[pod])


def test_host_ports_of_bound_pods_are_taken():
    node, pod = a_node(), a_pod(ports=[80])
    assert rules(a_world(node, pod, a_pod("old", ports=[80], node=node)), node=[pod]) == {
        "host port"
    }


def test_volumes_beyond_what_the_node_can_attach_are_caught():
    node = a_node()
    claims = [a_volume_claim(name) for name in ("a", "b")]
    pod = a_pod(claims=claims)
    world = (node, pod, claims, a_storage_class())
    assert rules(a_world(*world, a_csi_node("node", 1)), node=[pod]) == {"volume limit"}
    assert rules(a_world(*world, a_csi_node("node", 2)), node=[pod]) == set()
