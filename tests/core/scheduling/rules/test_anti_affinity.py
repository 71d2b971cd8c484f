"""Pod anti-affinity: away from pods that are there, and away from where they may come to be."""

from builders import ZONES, a_managed_node, a_node, a_pod, a_selector, a_term, a_type, pods
from builders.solving import codes_of, home_of, plan_of, sizes_of, zone_of, zones_of
from nodewright.core.scheduling.rules.anti_affinity import free_domains
from nodewright.core.scheduling.selectors import read_selector
from nodewright.core.scheduling.topology import Group, GroupKey, GroupKind
from nodewright.model.labels import HOSTNAME, ZONE

WEB, DB = {"app": "web"}, {"app": "db"}


def test_domains_are_free_where_nothing_is_counted():
    selector = read_selector(a_selector(app="web"))
    group = Group(0, GroupKey(GroupKind.ANTI_AFFINITY, ZONE, None, selector), ZONES)
    group.record("zone-b", 1)
    assert free_domains(group, ZONES) == ["zone-a", "zone-c"]
    group.record("zone-b", -1)
    assert free_domains(group, ZONES) == list(ZONES)


def test_pods_that_keep_off_each_other_get_a_node_each():
    plan = plan_of(pods(4, cpu="100m", labels=WEB, apart=[a_term(HOSTNAME)]), a_type())
    assert sizes_of(plan) == [1, 1, 1, 1]


def test_pods_that_keep_off_each_other_by_zone_get_a_zone_each_in_one_pass():
    plan = plan_of(pods(4, cpu=1, labels=WEB, apart=[a_term(ZONE)]), a_type())
    assert zones_of(plan) == sorted(ZONES)
    assert list(codes_of(plan).values()) == ["NW-1303"]


def test_a_pod_keeps_away_from_one_that_runs():
    node, claim = a_managed_node("a", cpu=8, zone="zone-a")
    old = a_pod("old", labels=WEB, node=node)
    new = a_pod("new", cpu=1, labels=DB, apart=[a_term(ZONE)])
    home = home_of(plan_of(node, claim, old, new, a_type()), new)
    assert home != "a"
    assert zone_of(home) in {"zone-b", "zone-c"}


def test_a_running_pod_that_keeps_others_away_is_respected():
    node, claim = a_managed_node("a", cpu=8, zone="zone-a")
    hermit = a_pod("hermit", labels=DB, node=node, apart=[a_term(ZONE)])
    new = a_pod("new", cpu=1, labels=WEB)
    plan = plan_of(node, claim, hermit, new, a_type())
    assert home_of(plan, new) != "a"
    assert all(one.zone != "zone-a" for one in [home_of(plan, new).offering])


def test_a_planned_pod_that_keeps_others_away_is_respected_in_either_order():
    for cpu in ("100m", "3"):
        hermit = a_pod("hermit", cpu=cpu, labels=DB, apart=[a_term(HOSTNAME)])
        plan = plan_of(hermit, pods(2, "web", cpu=1, labels=WEB), a_type(cpu=4))
        assert home_of(plan, hermit).pods == ("default/hermit",)


def test_a_preference_of_a_running_pod_keeps_nobody_away():
    node = a_node("a", cpu=8)
    shy = a_pod("shy", labels=DB, node=node, rather_apart=[(1, a_term(HOSTNAME))])
    new = a_pod("new", cpu=1, labels=WEB)
    assert home_of(plan_of(node, shy, new, a_type()), new) == "a"


def test_preferred_distance_is_kept_while_it_can_be():
    soft = pods(2, cpu="100m", labels=WEB, rather_apart=[(1, a_term(HOSTNAME))])
    assert sizes_of(plan_of(soft, a_type())) == [1, 1]


def test_preferred_distance_is_given_up_when_there_is_no_other_place():
    node = a_node("only", cpu=8)
    soft = pods(2, cpu=1, labels=WEB, rather_apart=[(1, a_term(HOSTNAME))])
    plan = plan_of(node, soft, types={"default": []})
    assert [len(one.pods) for one in plan.existing_nodes] == [2]


def test_a_preference_is_not_even_tried_where_the_policy_ignores_it():
    soft = pods(2, cpu="100m", labels=WEB, rather_apart=[(1, a_term(HOSTNAME))])
    assert sizes_of(plan_of(soft, a_type(), preference_policy="Ignore")) == [2]


def test_a_node_without_the_label_is_in_nobodys_way():
    node = a_node("bare")
    old = a_pod("old", labels=WEB, node=node)
    new = a_pod("new", cpu=1, labels=DB, apart=[a_term("rack")])
    assert home_of(plan_of(node, old, new, a_type()), new) == "bare"
