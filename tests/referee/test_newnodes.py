"""One planned node: a right one passes, and each way to be wrong is caught."""

from builders import (
    a_container,
    a_daemon_set,
    a_plan,
    a_planned_node,
    a_pod,
    a_pool,
    a_taint,
    a_type,
    a_world,
    an_offering,
    tolerating,
    want,
)
from nodewright.model.labels import CAPACITY_TYPE, ZONE
from nodewright.model.quantity import parse_resources
from referee import judge


def rules(world, *nodes, **extra):
    return {found.rule for found in judge(world, a_plan(*nodes, **extra))}


def test_a_pod_on_a_type_that_fits_is_right():
    pod, kind = a_pod(cpu=2), a_type(cpu=4)
    assert rules(a_world(pod, kind), a_planned_node([pod], [kind])) == set()


def test_a_listed_type_that_is_too_small_is_caught():
    pod, small, large = a_pod(cpu=6), a_type("s", cpu=4), a_type("l", cpu=8)
    assert rules(a_world(pod, small, large), a_planned_node([pod], [small, large])) == {"fit"}


def test_overhead_is_taken_from_what_pods_can_use():
    pod, kind = a_pod(cpu=4), a_type(cpu=4, overhead={"cpu": "100m"})
    assert rules(a_world(pod, kind), a_planned_node([pod], [kind])) == {"fit"}


def test_the_largest_init_container_counts():
    pod, kind = a_pod(cpu=1, init=[a_container({"cpu": 5})]), a_type(cpu=4)
    node = a_planned_node([pod], [kind], requests=parse_resources({"cpu": 5, "pods": 1}))
    assert rules(a_world(pod, kind), node) == {"fit"}


def test_a_sidecar_runs_beside_the_containers():
    pod, kind = a_pod(cpu=3, init=[a_container({"cpu": 2}, stays=True)]), a_type(cpu=4)
    node = a_planned_node([pod], [kind], requests=parse_resources({"cpu": 5, "pods": 1}))
    assert rules(a_world(pod, kind), node) == {"fit"}


def test_daemon_pods_need_room_on_the_types_they_run_on():
    pod, kind = a_pod(cpu=4), a_type(cpu=4)
    world = a_world(pod, kind, a_daemon_set(cpu="100m"))
    node = a_planned_node([pod], [kind], requests=parse_resources({"cpu": "4100m", "pods": 2}))
    assert rules(world, node) == {"fit"}


def test_daemon_pods_that_cannot_run_there_need_no_room():
    pod, kind = a_pod(cpu=4), a_type(cpu=4)
    elsewhere = a_daemon_set(cpu="100m", selector={"kubernetes.io/arch": "arm64"})
    shy = a_daemon_set("shy", cpu="100m")
    pool = a_pool(taints=[a_taint("gpu")])
    quiet = a_pod(cpu=4, tolerations=[tolerating("gpu")])
    assert rules(a_world(pod, kind, elsewhere), a_planned_node([pod], [kind])) == set()
    assert rules(a_world(quiet, kind, shy, pool), a_planned_node([quiet], [kind])) == set()


def test_a_daemon_pod_of_another_zone_needs_room_only_there():
    pod, kind = a_pod(cpu=4), a_type(cpu=4)
    world = a_world(pod, kind, a_daemon_set(cpu="100m", selector={ZONE: "zone-b"}))
    assert rules(world, a_planned_node([pod], [kind], zone="zone-a")) == set()
    anywhere = a_planned_node([pod], [kind])
    assert rules(world, anywhere) == {"fit"}


def test_requests_below_what_runs_there_are_caught():
    pod, kind = a_pod(cpu=1), a_type(cpu=4)
    world = a_world(pod, kind, a_daemon_set(cpu="100m"))
    assert rules(world, a_planned_node([pod], [kind])) == {"requests"}


def test_requests_above_everything_that_could_run_are_caught():
    pod, kind = a_pod(cpu=1), a_type(cpu=4)
    node = a_planned_node([pod], [kind], requests=parse_resources({"cpu": 3, "pods": 1}))
    assert rules(a_world(pod, kind), node) == {"requests"}


def test_a_node_that_may_land_in_a_refused_zone_is_caught():
    pod, kind = a_pod(selector={ZONE: "zone-a"}), a_type()
    world = a_world(pod, kind)
    assert rules(world, a_planned_node([pod], [kind])) == {"labels"}
    assert rules(world, a_planned_node([pod], [kind], zone="zone-a")) == set()


def test_alternatives_may_be_met_differently_by_each_launch():
    terms = [[want(ZONE, "In", "zone-a")], [want(ZONE, "In", "zone-b")]]
    pod, kind = a_pod(terms=terms), a_type(zones=["zone-a", "zone-b"])
    assert rules(a_world(pod, kind), a_planned_node([pod], [kind])) == set()


def test_an_open_label_must_be_closed_as_the_pod_wants_it():
    pool = a_pool(requirements=[want("team", "Exists")])
    pod, kind = a_pod(selector={"team": "a"}), a_type()
    world = a_world(pod, kind, pool)
    assert rules(world, a_planned_node([pod], [kind], requirements=[want("team")])) == {"labels"}
    closed = a_planned_node([pod], [kind], requirements=[want("team", "In", "a")])
    assert rules(world, closed) == set()


def test_a_label_that_no_pool_defines_is_caught():
    pod, kind = a_pod(selector={"team": "a"}), a_type()
    node = a_planned_node([pod], [kind], requirements=[want("team", "In", "a")])
    assert rules(a_world(pod, kind), node) == {"undefined label"}


def test_a_label_that_another_pod_speaks_of_is_there():
    pod, kind = a_pod(selector={"team": "a"}), a_type()
    other = a_pod("other", terms=[[want("team", "NotIn", "b")]])
    node = a_planned_node([pod, other], [kind], requirements=[want("team", "In", "a")])
    assert rules(a_world(pod, other, kind), node) == set()


def test_bounds_are_compared_as_numbers():
    key = "karpenter.k8s.aws/instance-cpu"
    small, large = a_type("s", labels={key: "8"}), a_type("l", labels={key: "16"}, price=3)
    pod = a_pod(terms=[[want(key, "Gt", "9")]])
    world = a_world(pod, small, large)
    wanted = [want(key, "Gt", "9")]
    assert rules(world, a_planned_node([pod], [large], requirements=wanted)) == set()
    both = a_planned_node([pod], [small, large], requirements=wanted)
    assert "offering" in rules(world, both)


def test_a_label_that_must_be_missing_is_caught_when_it_is_there():
    pool = a_pool(labels={"team": "a"})
    pod, kind = a_pod(terms=[[want("team", "DoesNotExist")]]), a_type()
    assert rules(a_world(pod, kind, pool), a_planned_node([pod], [kind])) == {"labels"}


def test_the_pools_own_requirements_must_hold():
    pool = a_pool(requirements=[want(ZONE, "In", "zone-a")])
    pod, kind = a_pod(), a_type()
    world = a_world(pod, kind, pool)
    assert rules(world, a_planned_node([pod], [kind])) == {"pool requirements"}
    assert rules(world, a_planned_node([pod], [kind], zone="zone-a")) == set()


def test_a_taint_nobody_tolerates_is_caught():
    pool, kind = a_pool(taints=[a_taint("gpu")]), a_type()
    pod, calm = a_pod(), a_pod(tolerations=[tolerating("gpu")])
    assert rules(a_world(pod, kind, pool), a_planned_node([pod], [kind])) == {"taint"}
    assert rules(a_world(calm, kind, pool), a_planned_node([calm], [kind])) == set()


def test_a_taint_that_only_prefers_and_a_startup_taint_keep_nobody_away():
    pool = a_pool(
        taints=[a_taint("x", effect="PreferNoSchedule")], startup_taints=[a_taint("boot")]
    )
    pod, kind = a_pod(), a_type()
    assert rules(a_world(pod, kind, pool), a_planned_node([pod], [kind])) == set()


def test_two_pods_with_one_host_port_are_caught():
    one, two, kind = a_pod("one", ports=[80]), a_pod("two", ports=[80]), a_type()
    node = a_planned_node([one, two], [kind])
    assert rules(a_world(one, two, kind), node) == {"host port"}


def test_a_host_port_of_a_daemon_pod_is_taken():
    pod, kind = a_pod(ports=[80]), a_type()
    world = a_world(pod, kind, a_daemon_set(ports=[80]))
    node = a_planned_node([pod], [kind], requests=parse_resources({"pods": 2}))
    assert rules(world, node) == {"host port"}


def test_a_type_that_is_not_on_sale_is_caught():
    gone = a_type("gone", offerings=[an_offering(available=False)])
    pod, kind = a_pod(), a_type()
    node = a_planned_node([pod], [kind, gone])
    assert rules(a_world(pod, kind, gone), node) == {"offering"}


def test_a_type_whose_offerings_are_all_outside_the_requirements_is_caught():
    pod, here, there = a_pod(), a_type("here"), a_type("there", zones=["zone-z"])
    node = a_planned_node([pod], [here, there], zone="zone-a")
    assert rules(a_world(pod, here, there), node) == {"offering"}


def test_a_type_of_another_pool_is_caught():
    pod, mine, theirs = a_pod(), a_type("mine"), a_type("theirs")
    world = a_world(pod, a_pool(), a_pool("other"), types={"default": [mine], "other": [theirs]})
    assert rules(world, a_planned_node([pod], [mine, theirs])) == {"types"}


def test_pools_that_make_no_nodes_are_caught():
    pod, kind = a_pod(), a_type()
    node = a_planned_node([pod], [kind])
    assert rules(a_world(pod, kind, a_pool(replicas=1)), node) == {"pool"}
    assert rules(a_world(pod, kind, a_pool(deleted="2026-11-15T09:00:00Z")), node) == {"pool"}
    assert "pool" in rules(a_world(pod, kind, a_pool("other")), node)


def test_too_few_distinct_values_are_caught_unless_the_policy_bends():
    pool = a_pool(requirements=[want("node.kubernetes.io/instance-type", at_least=2)])
    pod, one, two = a_pod(), a_type("one"), a_type("two")
    few = a_planned_node([pod], [one])
    world = a_world(pod, one, two, pool)
    assert rules(world, few) == {"minValues"}
    assert rules(world, a_planned_node([pod], [one, two])) == set()
    bending = a_world(pod, one, two, pool, min_values_policy="BestEffort")
    assert rules(bending, few) == set()


def test_every_capacity_type_that_may_be_launched_must_be_accepted():
    pod = a_pod(selector={CAPACITY_TYPE: "on-demand"})
    kind = a_type(capacity_types=["on-demand", "spot"])
    world = a_world(pod, kind)
    assert "labels" in rules(world, a_planned_node([pod], [kind]))
