"""Pod affinity: near to its friends, or the first of them while there is none anywhere."""

from builders import (
    ZONES,
    a_managed_node,
    a_namespace,
    a_pod,
    a_pool,
    a_selector,
    a_term,
    a_type,
    pods,
    want,
)
from builders.solving import codes_of, home_of, plan_of, sizes_of, zone_of, zones_of
from nodewright.core.scheduling.rules.affinity import affinity_domains
from nodewright.core.scheduling.selectors import read_selector
from nodewright.core.scheduling.topology import Group, GroupKey, GroupKind
from nodewright.model.labels import HOSTNAME, ZONE
from nodewright.model.requirements import read_requirement

WEB, DB = {"app": "web"}, {"app": "db"}


def a_group(counts, key=ZONE):
    selector = read_selector(a_selector(app="web"))
    group = Group(0, GroupKey(GroupKind.AFFINITY, key, None, selector), ZONES)
    for domain, count in counts.items():
        group.record(domain, count)
    return group


def test_only_domains_with_friends_will_do():
    group = a_group({"zone-b": 2})
    assert affinity_domains(group, ZONES, None, counts_itself=True) == ["zone-b"]
    assert affinity_domains(group, ["zone-a"], None, counts_itself=True) == []


def test_the_first_of_its_kind_may_go_anywhere():
    assert affinity_domains(a_group({}), ZONES, None, counts_itself=True) == list(ZONES)


def test_a_pod_that_is_not_its_own_friend_cannot_be_the_first():
    assert affinity_domains(a_group({}), ZONES, None, counts_itself=False) == []


def test_a_domain_that_the_pod_may_not_use_is_no_candidate():
    only_a = read_requirement(want(ZONE, "In", "zone-a"))
    assert affinity_domains(a_group({}), ZONES, only_a, counts_itself=True) == ["zone-a"]


def test_a_host_affinity_of_pods_to_themselves_makes_one_node():
    near = pods(3, cpu="500m", labels=WEB, near=[a_term(HOSTNAME)])
    assert sizes_of(plan_of(near, a_type(cpu=2), a_type("l", cpu=8))) == [3]


def test_a_zone_affinity_of_pods_to_themselves_founds_one_zone_only():
    near = pods(6, cpu=3, labels=WEB, near=[a_term(ZONE)])
    zones = set(zones_of(plan_of(near, a_type(cpu=4))))
    assert len(zones) == 1
    assert zones <= set(ZONES)


def test_another_zone_is_founded_only_where_the_friends_are_out_of_reach():
    here = pods(2, "here", cpu=1, labels=WEB, near=[a_term(ZONE)], selector={ZONE: "zone-a"})
    there = pods(2, "there", cpu=1, labels=WEB, near=[a_term(ZONE)], selector={ZONE: "zone-b"})
    anywhere = pods(2, "any", cpu=1, labels=WEB, near=[a_term(ZONE)])
    plan = plan_of(here, there, anywhere, a_type())
    assert plan.unschedulable == {}
    assert set(zones_of(plan)) == {"zone-a", "zone-b"}


def test_friends_that_run_out_of_reach_do_not_keep_a_group_from_being_founded():
    node, claim = a_managed_node("a", cpu=1, zone="zone-a")
    old = a_pod("old", labels=WEB, node=node)
    new = pods(2, "new", cpu=2, labels=WEB, near=[a_term(ZONE)], selector={ZONE: "zone-b"})
    assert zones_of(plan_of(node, claim, old, new, a_type())) == ["zone-b", "zone-b"]


def test_a_pod_follows_a_friend_that_runs():
    node, claim = a_managed_node("b", cpu=1, zone="zone-b")
    old = a_pod("old", labels=WEB, node=node)
    new = a_pod("new", cpu=2, labels=DB, near=[a_term(ZONE)])
    assert zone_of(home_of(plan_of(node, claim, old, new, a_type()), new)) == "zone-b"


def test_a_pod_follows_a_friend_that_is_planned_whichever_is_larger():
    for big, small in (("web", "db"), ("db", "web")):
        friend = a_pod("web", cpu=3 if big == "web" else 1, labels=WEB, selector={ZONE: "zone-b"})
        follower = a_pod("db", cpu=3 if small == "web" else 1, labels=DB, near=[a_term(ZONE)])
        plan = plan_of(friend, follower, a_type(cpu=3))
        assert zones_of(plan) == ["zone-b", "zone-b"]


def test_a_pod_whose_friends_are_nowhere_is_left_behind():
    lonely = a_pod(cpu=1, labels=DB, near=[a_term(ZONE)])
    assert codes_of(plan_of(lonely, a_type())) == {"pod": "NW-1302"}


def test_a_preferred_friend_that_is_nowhere_is_given_up():
    lonely = a_pod(cpu=1, labels=DB, rather_near=[(1, a_term(ZONE))])
    assert plan_of(lonely, a_type()).unschedulable == {}


def test_friends_of_another_namespace_count_only_when_they_are_named():
    node, claim = a_managed_node("b", cpu=1, zone="zone-b")
    old = a_pod("old", namespace="shop", labels=WEB, node=node)
    shop = a_namespace("shop", team="red")

    def placed(term):
        new = a_pod("new", cpu=2, labels=DB, near=[term])
        home = home_of(plan_of(node, claim, old, new, shop, a_type()), new)
        return home is not None and zone_of(home) == "zone-b"

    assert not placed(a_term(ZONE))
    assert placed(a_term(ZONE, namespaces=("shop",)))
    assert placed(a_term(ZONE, namespace_selector=a_selector(team="red")))
    assert placed(a_term(ZONE, namespace_selector=a_selector()))
    assert not placed(a_term(ZONE, namespace_selector=a_selector(team="blue")))


def test_match_and_mismatch_label_keys_pick_friends_by_the_pods_own_values():
    node_a, claim_a = a_managed_node("a", cpu=1, zone="zone-a")
    node_b, claim_b = a_managed_node("b", cpu=1, zone="zone-b")
    running = (
        a_pod("one", labels={**WEB, "rev": "1"}, node=node_a),
        a_pod("two", labels={**WEB, "rev": "2"}, node=node_b),
    )

    def zone(**keys):
        new = a_pod("new", cpu=2, labels={"rev": "2"}, near=[a_term(ZONE, **keys)])
        plan = plan_of(node_a, claim_a, node_b, claim_b, running, new, a_type())
        return zone_of(home_of(plan, new))

    assert zone(match_label_keys=("rev",)) == "zone-b"
    assert zone(mismatch_label_keys=("rev",)) == "zone-a"


def test_a_domain_of_friends_that_the_pool_cannot_reach_leaves_the_pod_behind():
    node, claim = a_managed_node("c", cpu=1, zone="zone-c")
    old = a_pod("old", labels=WEB, node=node)
    pool = a_pool(requirements=[want(ZONE, "In", "zone-a")])
    new = a_pod("new", cpu=2, labels=DB, near=[a_term(ZONE)])
    assert codes_of(plan_of(node, claim, old, new, pool, a_type())) == {"new": "NW-1302"}


def test_only_one_of_many_that_keep_apart_may_found_a_host():
    # Near each other and apart from each other on one host: the first finds a place, nobody after it.
    hermits = pods(8, cpu=1, labels=WEB, near=[a_term(HOSTNAME)], apart=[a_term(HOSTNAME)])
    plan = plan_of(hermits, a_type())
    assert len(plan.new_nodes) == 1
    assert set(codes_of(plan).values()) == {"NW-1302"}


def test_nobody_founds_a_zone_while_a_friend_may_end_up_in_another():
    # The first needs company on its host only, so the zone of its node is open. The second needs it
    # in its zone: it has to follow, because neither order of coming would let it found a zone.
    apart = [a_term(HOSTNAME)]
    first = a_pod("first", cpu=2, labels=WEB, near=[a_term(HOSTNAME)])
    second = a_pod("second", cpu=1, labels=WEB, near=[a_term(ZONE)], apart=apart)
    plan = plan_of(first, second, a_type(price=1), a_type("s", cpu=1, zones=["zone-b"]))
    assert codes_of(plan) == {}
    assert zone_of(home_of(plan, first)) == zone_of(home_of(plan, second)) != ""
    assert len(plan.new_nodes) == 2


def test_a_friend_on_a_node_that_never_has_the_label_is_nowhere():
    friend = a_pod("friend", cpu=2, labels=WEB, selector={"side": "left"})
    founder = a_pod("founder", cpu=1, labels=WEB, near=[a_term("rack")])
    pools = [a_pool("bare", labels={"side": "left"}), a_pool("racks", labels={"rack": "r1"})]
    assert codes_of(plan_of(friend, founder, pools, a_type(cpu=2))) == {}
