"""Daemon pods: what each type of machine must keep free for them, no more and no less."""

import msgspec

from builders import (
    a_container,
    a_daemon_set,
    a_managed_node,
    a_node,
    a_pod,
    a_pool,
    a_taint,
    a_type,
    pods,
    tolerating,
    want,
)
from builders.solving import codes_of, home_of, plan_of
from nodewright.core.scheduling.daemons import daemon_loads, read_daemons
from nodewright.core.scheduling.pools import pool_requirements
from nodewright.model.labels import ARCH, HOSTNAME, INSTANCE_TYPE, WELL_KNOWN
from nodewright.model.quantity import parse_resources

AGENT = a_daemon_set(cpu="100m", memory="64Mi")


def loads(daemon_sets, pool, types, live=()):
    daemons = read_daemons(daemon_sets, live)
    taints = pool.spec.template.spec.taints
    found = daemon_loads(daemons, pool_requirements(pool), taints, types, WELL_KNOWN)
    return [one.requests.get("cpu", 0) for one in found]


def test_a_daemon_takes_its_share_of_every_type_it_runs_on():
    arm = a_type("arm", labels={ARCH: "arm64"})
    only_arm = a_daemon_set("only-arm", cpu="300m", selector={ARCH: "arm64"})
    assert loads([AGENT, only_arm], a_pool(), [a_type(), arm]) == [100, 400]


def test_a_daemon_without_pods_is_known_by_its_template_with_limits_for_requests():
    limited = a_daemon_set(containers=[a_container(limits={"cpu": "250m"})])
    (daemon,) = read_daemons([limited], [])
    assert daemon.requests == parse_resources({"cpu": "250m", "pods": 1})


def test_the_newest_live_pod_speaks_for_its_daemon():
    def live(name, cpu, created):
        return a_pod(name, namespace="kube-system", cpu=cpu, owner=AGENT, node="n", created=created)

    running = [live("old", 1, "2026-11-01T00:00:00Z"), live("new", 2, "2026-11-02T00:00:00Z")]
    assert loads([AGENT], a_pool(), [a_type()], running) == [2000]


def test_a_live_pods_pin_to_its_host_is_not_taken_for_the_daemons_own():
    pinned = a_pod(
        namespace="kube-system",
        cpu=1,
        owner=AGENT,
        node="n",
        terms=[[want(HOSTNAME, "In", "n")]],
    )
    assert loads([AGENT], a_pool(), [a_type()], [pinned]) == [1000]


def test_a_daemon_stays_off_pools_whose_taints_it_does_not_tolerate():
    tainted = a_pool(taints=[a_taint("gpu")])
    calm = a_daemon_set("calm", cpu="200m", tolerations=[tolerating()])
    assert loads([AGENT, calm], tainted, [a_type()]) == [200]


def test_startup_taints_and_soft_taints_keep_no_daemon_off():
    pool = a_pool(
        taints=[a_taint("soft", effect="PreferNoSchedule")], startup_taints=[a_taint("boot")]
    )
    assert loads([AGENT], pool, [a_type()]) == [100]


def test_one_of_two_alternatives_is_enough_and_types_do_not_disturb_each_other():
    either = a_daemon_set(
        cpu=1,
        terms=[[want(INSTANCE_TYPE, "In", "a")], [want(INSTANCE_TYPE, "In", "b")]],
    )
    types = [a_type(name) for name in "abcab"]
    assert loads([either], a_pool(), types) == [1000, 1000, 0, 1000, 1000]


def test_daemons_may_wait_for_a_node_to_be_registered():
    ready = a_daemon_set(cpu=1, selector={"karpenter.sh/registered": "true"})
    assert loads([ready], a_pool(), [a_type()]) == [1000]


def test_a_daemon_that_asks_for_an_unknown_label_does_not_run_there():
    picky = a_daemon_set(cpu=1, selector={"team": "a"})
    assert loads([picky], a_pool(), [a_type()]) == [0]
    assert loads([picky], a_pool(labels={"team": "a"}), [a_type()]) == [1000]


def test_a_daemon_that_cannot_be_read_is_left_out_of_the_reckoning():
    assert read_daemons([a_daemon_set(cpu="lots")], []) == ()


def test_a_machine_that_its_daemons_fill_takes_no_pod():
    hungry = a_daemon_set(cpu=4)
    pod = a_pod(cpu="100m")
    home = home_of(plan_of(pod, hungry, a_type("s", cpu=4), a_type("l", cpu=8)), pod)
    assert home.instance_types == ("l",)


def test_daemons_that_fill_every_machine_leave_all_pods_behind():
    plan = plan_of(pods(2, cpu="100m"), a_daemon_set(cpu=8), a_type(cpu=4))
    assert len(codes_of(plan)) == 2


def test_requests_of_a_planned_node_count_the_least_that_daemons_take():
    picky = a_daemon_set("picky", cpu=1, terms=[[want(INSTANCE_TYPE, "In", "l")]])
    pod = a_pod(cpu=1)
    plan = plan_of(pod, AGENT, picky, a_type("s", cpu=4), a_type("l", cpu=8))
    home = home_of(plan, pod)
    assert home.instance_types == ("s", "l")
    assert home.requests == parse_resources({"cpu": "1100m", "memory": "64Mi", "pods": 2})


def test_room_is_withheld_on_an_existing_node_for_daemons_still_to_come():
    node = a_node(cpu=4)
    pod = a_pod(cpu=4)
    assert home_of(plan_of(pod, node, a_type(cpu=8)), pod) == "node"
    assert home_of(plan_of(pod, node, AGENT, a_type(cpu=8)), pod) != "node"


def test_a_daemon_pod_that_has_come_is_not_waited_for_again():
    node = a_node(cpu=4)
    there = a_pod(
        "agent-x", namespace="kube-system", cpu="100m", memory="64Mi", owner=AGENT, node=node
    )
    pod = a_pod(cpu="3900m")
    assert home_of(plan_of(pod, there, node, AGENT, a_type(cpu=8)), pod) == "node"


def test_a_daemon_larger_than_expected_gives_no_negative_overhead():
    node = a_node(cpu=4)
    there = a_pod("agent-x", namespace="kube-system", cpu=2, owner=AGENT, node=node)
    grown = msgspec.structs.replace(
        there, metadata=msgspec.structs.replace(there.metadata, creation_timestamp=None)
    )
    pod = a_pod(cpu=2)
    assert home_of(plan_of(pod, grown, node, AGENT, a_type(cpu=8)), pod) == "node"
    more = a_pod(cpu="2100m")
    assert home_of(plan_of(more, grown, node, AGENT, a_type(cpu=8)), more) != "node"


def test_daemons_are_expected_on_nodes_by_their_real_labels():
    node, claim = a_managed_node(cpu=4)
    elsewhere = a_daemon_set(cpu=3, selector={"disk": "fast"})
    pod = a_pod(cpu=4)
    assert home_of(plan_of(pod, node, claim, elsewhere, a_type(cpu=8)), pod) == "node"
