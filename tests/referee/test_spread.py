"""Spreads that must hold, in some order."""

from builders import (
    a_node,
    a_plan,
    a_planned_node,
    a_pod,
    a_pool,
    a_selector,
    a_spread,
    a_taint,
    a_type,
    a_world,
    pods,
    tolerating,
    want,
)
from builders.lives import with_conditions
from nodewright.model.labels import HOSTNAME, ZONE
from referee import judge

WEB = {"app": "web"}


def rules(world, *nodes, **extra):
    return {found.rule for found in judge(world, a_plan(*nodes, **extra))}


def over(kind, **zones):
    return [
        a_planned_node(here, [kind], zone=zone.replace("_", "-")) for zone, here in zones.items()
    ]


def test_one_pod_in_each_zone_is_even():
    a, b, c = pods(3, labels=WEB, spread=[a_spread()])
    kind = a_type()
    assert rules(a_world(a, b, c, kind), *over(kind, zone_a=[a], zone_b=[b], zone_c=[c])) == set()


def test_two_in_one_zone_and_none_in_another_is_uneven():
    a, b, c = pods(3, labels=WEB, spread=[a_spread()])
    kind = a_type()
    nodes = over(kind, zone_a=[a, b], zone_b=[c])
    assert rules(a_world(a, b, c, kind), *nodes) == {"spread"}
    wider = pods(3, labels=WEB, spread=[a_spread(skew=2)])
    nodes = over(kind, zone_a=wider[:2], zone_b=wider[2:])
    assert rules(a_world(wider, kind), *nodes) == set()


def test_a_zone_that_the_pod_cannot_use_does_not_count():
    demand = [[want(ZONE, "In", "zone-a", "zone-b")]]
    web = pods(4, labels=WEB, spread=[a_spread()], terms=demand)
    kind = a_type()
    assert rules(a_world(web, kind), *over(kind, zone_a=web[:2], zone_b=web[2:])) == set()


def test_a_node_in_no_certain_domain_is_caught():
    pod, kind = a_pod(labels=WEB, spread=[a_spread()]), a_type()
    assert rules(a_world(pod, kind), a_planned_node([pod], [kind])) == {"spread"}


def test_bound_pods_count_where_they_are():
    nodes = [a_node(f"node-{zone}", zone=zone) for zone in ("zone-a", "zone-b", "zone-c")]
    old = [a_pod(f"old-{index}", labels=WEB, node=node) for index, node in enumerate(nodes[:2])]
    pod, kind = a_pod(labels=WEB, spread=[a_spread()]), a_type()
    world = a_world(nodes, old, pod, kind)
    assert rules(world, *over(kind, zone_c=[pod])) == set()
    assert rules(world, *over(kind, zone_a=[pod])) == {"spread"}


def test_a_skew_that_is_there_already_is_not_the_plans_fault():
    node = a_node(zone="zone-a")
    old = pods(5, "old", labels=WEB, node=node)
    b, c = pods(2, labels=WEB, spread=[a_spread()])
    kind = a_type()
    world = a_world(node, old, b, c, kind)
    assert rules(world, *over(kind, zone_b=[b], zone_c=[c])) == set()


def test_pods_that_are_counted_but_not_bound_may_come_later():
    pod = a_pod(labels=WEB, spread=[a_spread()])
    free = pods(3, "free", labels=WEB)
    kind = a_type()
    world = a_world(pod, free, kind)
    assert rules(world, *over(kind, zone_a=[pod, *free])) == set()


def test_pods_that_are_counted_but_not_bound_may_fill_the_emptiest_zone_first():
    web = pods(2, labels=WEB, spread=[a_spread()])
    free = pods(2, "free", labels=WEB)
    kind = a_type()
    world = a_world(web, free, kind)
    nodes = over(kind, zone_a=web, zone_b=[free[0]], zone_c=[free[1]])
    assert rules(world, *nodes) == set()


def test_a_pod_that_does_not_count_itself_may_join_any_zone_within_the_skew():
    spread = a_spread(selector=a_selector(app="other"))
    web = pods(4, labels=WEB, spread=[spread])
    kind = a_type()
    assert rules(a_world(web, kind), *over(kind, zone_a=web)) == set()
    node = a_node(zone="zone-a")
    crowd = pods(2, "other", labels={"app": "other"}, node=node)
    assert rules(a_world(web, kind, node, crowd), *over(kind, zone_a=web)) == {"spread"}


def test_hosts_hold_no_more_than_the_skew():
    one, two = pods(2, labels=WEB, spread=[a_spread(HOSTNAME)])
    kind = a_type()
    world = a_world(one, two, kind)
    assert rules(world, a_planned_node([one, two], [kind])) == {"spread"}
    assert rules(world, a_planned_node([one], [kind]), a_planned_node([two], [kind])) == set()


def test_too_few_domains_count_the_least_as_none():
    web = pods(2, labels=WEB, spread=[a_spread(min_domains=4)])
    kind = a_type()
    node = a_node(zone="zone-a")
    old = [a_pod("old", labels=WEB, node=node)]
    assert rules(a_world(web, kind), *over(kind, zone_a=web[:1], zone_b=web[1:])) == set()
    world = a_world(web[0], kind, node, old)
    assert rules(world, *over(kind, zone_a=web[:1])) == {"spread"}


def test_domains_behind_taints_count_only_when_taints_are_ignored():
    far = a_pool("far", taints=[a_taint("far")], requirements=[want(ZONE, "In", "zone-c")])
    near = a_pool(requirements=[want(ZONE, "In", "zone-a", "zone-b")])
    kind = a_type()
    for policy, right in ((None, False), ("Ignore", False), ("Honor", True)):
        web = pods(4, labels=WEB, spread=[a_spread(node_taints_policy=policy)])
        world = a_world(web, kind, near, far)
        verdict = rules(world, *over(kind, zone_a=web[:2], zone_b=web[2:]))
        assert (verdict == set()) is right
    calm = pods(
        4, labels=WEB, spread=[a_spread(node_taints_policy="Honor")], tolerations=[tolerating()]
    )
    world = a_world(calm, kind, near, far)
    assert rules(world, *over(kind, zone_a=calm[:2], zone_b=calm[2:])) == {"spread"}


def test_pods_on_nodes_that_the_pod_refuses_do_not_count_unless_affinity_is_ignored():
    arm = a_node(zone="zone-a", labels={"kubernetes.io/arch": "arm64"})
    old = pods(2, "old", labels=WEB, node=arm)
    kind = a_type()
    for policy, right in ((None, True), ("Ignore", False)):
        pod = a_pod(
            labels=WEB,
            spread=[a_spread(node_affinity_policy=policy)],
            selector={"kubernetes.io/arch": "amd64"},
        )
        verdict = rules(a_world(arm, old, pod, kind), *over(kind, zone_a=[pod]))
        assert (verdict == set()) is right


def test_a_spread_that_is_only_wished_for_is_not_judged():
    web = pods(3, labels=WEB, spread=[a_spread(when_unsatisfiable="ScheduleAnyway")])
    kind = a_type()
    assert rules(a_world(web, kind), a_planned_node(web, [kind])) == set()


def test_a_pod_may_count_only_the_domains_of_one_of_its_alternatives():
    terms = [[want(ZONE, "In", "zone-a")], [want("kubernetes.io/os", "In", "linux")]]
    web = pods(3, labels=WEB, spread=[a_spread()], terms=terms)
    kind = a_type()
    assert rules(a_world(web, kind), *over(kind, zone_a=web)) == set()
    assert rules(a_world(web, kind), *over(kind, zone_b=web)) == {"spread"}


def test_zones_that_only_a_pool_that_is_not_ready_could_use_do_not_count():
    node = a_node("one", zone="zone-a")
    here = pods(2, labels=WEB, spread=[a_spread()])
    plan = {"existing": {"one": here}}
    assert rules(a_world(*here, node, a_pool(), a_type()), **plan) == {"spread"}
    closed = with_conditions(a_pool(), Ready="False")
    assert rules(a_world(*here, node, closed, a_type()), **plan) == set()
