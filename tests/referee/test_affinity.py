"""Pods that want or refuse company."""

from builders import (
    a_namespace,
    a_node,
    a_plan,
    a_planned_node,
    a_pod,
    a_selector,
    a_term,
    a_type,
    a_world,
    pods,
    want,
)
from nodewright.model.labels import HOSTNAME, ZONE
from referee import judge

WEB = {"app": "web"}


def rules(world, *nodes, **extra):
    return {found.rule for found in judge(world, a_plan(*nodes, **extra))}


def on(kind, zone, *here):
    return a_planned_node(here, [kind], zone=zone)


def test_pods_that_keep_apart_by_host_need_their_own_nodes():
    one, two = pods(2, labels=WEB, apart=[a_term(HOSTNAME)])
    kind = a_type()
    world = a_world(one, two, kind)
    assert rules(world, a_planned_node([one, two], [kind])) == {"anti-affinity"}
    assert rules(world, a_planned_node([one], [kind]), a_planned_node([two], [kind])) == set()


def test_pods_that_keep_apart_by_zone_need_zones_that_cannot_meet():
    one, two = pods(2, labels=WEB, apart=[a_term(ZONE)])
    kind = a_type()
    world = a_world(one, two, kind)
    assert rules(world, on(kind, "zone-a", one), on(kind, "zone-b", two)) == set()
    assert rules(world, on(kind, "zone-a", one), a_planned_node([two], [kind])) == {"anti-affinity"}


def test_a_bound_pod_keeps_others_out_of_its_zone():
    node = a_node(zone="zone-a")
    hermit = a_pod("hermit", node=node, apart=[a_term(ZONE)])
    pod, kind = a_pod(labels=WEB), a_type()
    world = a_world(node, hermit, pod, kind)
    assert rules(world, on(kind, "zone-a", pod)) == {"anti-affinity"}
    assert rules(world, on(kind, "zone-b", pod)) == set()


def test_a_pod_that_is_going_away_keeps_nobody_out():
    node = a_node(zone="zone-a")
    hermit = a_pod("hermit", node=node, apart=[a_term(ZONE)], deleted="2026-11-15T09:00:00Z")
    pod, kind = a_pod(labels=WEB), a_type()
    assert rules(a_world(node, hermit, pod, kind), on(kind, "zone-a", pod)) == set()


def test_company_must_be_in_the_same_domain():
    node = a_node(zone="zone-a")
    friend = a_pod("friend", labels=WEB, node=node)
    pod, kind = a_pod(near=[a_term(ZONE)]), a_type()
    world = a_world(node, friend, pod, kind)
    assert rules(world, on(kind, "zone-a", pod)) == set()
    assert rules(world, on(kind, "zone-b", pod)) == {"affinity"}
    assert rules(world, a_planned_node([pod], [kind])) == {"affinity"}


def test_the_first_of_a_group_may_come_alone_and_the_others_follow():
    one, two = pods(2, labels=WEB, near=[a_term(ZONE)])
    kind = a_type()
    world = a_world(one, two, kind)
    assert rules(world, on(kind, "zone-a", one), on(kind, "zone-a", two)) == set()
    assert rules(world, on(kind, "zone-a", one), on(kind, "zone-b", two)) == {"affinity"}


def test_nobody_may_come_alone_who_is_not_of_the_group():
    pod, kind = a_pod(near=[a_term(ZONE)]), a_type()
    assert rules(a_world(pod, kind), on(kind, "zone-a", pod)) == {"affinity"}


def test_company_that_is_planned_too_counts():
    friend, pod = a_pod("friend", labels=WEB), a_pod(near=[a_term(ZONE)])
    kind = a_type()
    world = a_world(friend, pod, kind)
    assert rules(world, on(kind, "zone-a", friend), on(kind, "zone-a", pod)) == set()
    assert rules(world, a_planned_node([friend], [kind]), on(kind, "zone-a", pod)) == {"affinity"}


def test_a_founder_may_come_before_others_of_its_kind():
    other, pod = a_pod("other", labels=WEB), a_pod(labels=WEB, near=[a_term(ZONE)])
    kind = a_type()
    world = a_world(other, pod, kind)
    assert rules(world, on(kind, "zone-a", other), on(kind, "zone-b", pod)) == set()


def test_a_group_may_be_founded_again_where_its_company_is_out_of_reach():
    node = a_node(zone="zone-a")
    friend = a_pod("friend", labels=WEB, node=node)
    pod = a_pod(labels=WEB, near=[a_term(ZONE)], selector={ZONE: "zone-b"})
    kind = a_type()
    assert rules(a_world(node, friend, pod, kind), on(kind, "zone-b", pod)) == set()


def test_terms_look_into_the_namespaces_they_name():
    node = a_node(zone="zone-a")
    friend = a_pod("friend", labels=WEB, node=node, namespace="other")
    kind = a_type()
    for term, right in (
        (a_term(ZONE), False),
        (a_term(ZONE, namespaces=("other",)), True),
        (a_term(ZONE, namespace_selector=a_selector(env="test")), True),
        (a_term(ZONE, namespace_selector=a_selector()), True),
        (a_term(ZONE, namespace_selector=a_selector(env="live")), False),
    ):
        pod = a_pod(near=[term])
        world = a_world(node, friend, pod, kind, a_namespace("other", env="test"))
        assert (rules(world, on(kind, "zone-a", pod)) == set()) is right


def test_label_keys_narrow_a_term_to_pods_of_the_same_value():
    node = a_node()
    old = a_pod("old", labels={**WEB, "hash": "1"}, node=node)
    same = a_term(HOSTNAME, match_label_keys=("hash",))
    pod = a_pod(labels={**WEB, "hash": "2"}, apart=[same])
    assert rules(a_world(node, old, pod), existing={"node": [pod]}) == set()
    twin = a_pod(labels={**WEB, "hash": "1"}, apart=[same])
    assert rules(a_world(node, old, twin), existing={"node": [twin]}) == {"anti-affinity"}


def test_a_term_without_a_selector_means_nobody():
    node = a_node()
    old = a_pod("old", labels=WEB, node=node)
    pod = a_pod(labels=WEB, apart=[a_term(HOSTNAME, selector=None)])
    assert rules(a_world(node, old, pod), existing={"node": [pod]}) == set()


def test_a_pod_may_found_where_one_of_its_alternatives_sees_no_company():
    node = a_node(zone="zone-a")
    friend = a_pod("friend", labels=WEB, node=node)
    terms = [[want(ZONE, "In", "zone-b")], [want("kubernetes.io/os", "In", "linux")]]
    pod, kind = a_pod(labels=WEB, near=[a_term(ZONE)], terms=terms), a_type()
    assert rules(a_world(node, friend, pod, kind), on(kind, "zone-b", pod)) == set()


def test_a_founder_may_come_before_those_who_have_company_already():
    db = {"app": "db"}
    first = a_pod("first", labels=WEB, near=[a_term(HOSTNAME)])
    friend = a_pod("friend", labels=db, near=[a_term(HOSTNAME)])
    founder = a_pod("founder", labels=db, near=[a_term(HOSTNAME, selector=a_selector(**db))])
    kind = a_type()
    world = a_world(first, friend, founder, kind)
    nodes = [a_planned_node([first, friend], [kind]), a_planned_node([founder], [kind])]
    assert rules(world, *nodes) == set()
    stuck = a_pod("founder", labels=WEB, near=[a_term(HOSTNAME, selector=a_selector(**db))])
    lonely = [a_planned_node([first, friend], [kind]), a_planned_node([stuck], [kind])]
    assert rules(a_world(first, friend, stuck, kind), *lonely) == {"affinity"}
