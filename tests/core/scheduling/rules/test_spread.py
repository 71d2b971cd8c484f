"""Topology spread: no domain may get too far ahead of the emptiest one that the pod may use."""

import pytest

from builders import (
    ZONES,
    a_managed_node,
    a_node,
    a_pod,
    a_pool,
    a_selector,
    a_spread,
    a_taint,
    a_type,
    pods,
    want,
)
from builders.solving import codes_of, home_of, plan_of, sizes_of, zone_of, zones_of
from nodewright.core.scheduling.rules.spread import emptiest_count, spread_domains
from nodewright.core.scheduling.selectors import read_selector
from nodewright.core.scheduling.topology import Group, GroupKey, GroupKind
from nodewright.model.labels import ARCH, CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, ZONE
from nodewright.model.requirements import read_requirement

WEB = {"app": "web"}
ANYWHERE = (None,)


def a_group(counts, key=ZONE, skew=1, least=None):
    spec = GroupKey(
        kind=GroupKind.SPREAD,
        key=key,
        namespaces=frozenset({"default"}),
        selector=read_selector(a_selector(app="web")),
        max_skew=skew,
        min_domains=least,
    )
    group = Group(0, spec, counts)
    for domain, count in counts.items():
        group.record(domain, count)
    return group


def test_the_emptiest_domain_is_looked_for_where_the_pod_may_go():
    group = a_group({"zone-a": 3, "zone-b": 1, "zone-c": 0})
    only_ab = (read_requirement(want(ZONE, "In", "zone-a", "zone-b")),)
    assert emptiest_count(group, ANYWHERE) == 0
    assert emptiest_count(group, only_ab) == 1


def test_alternatives_reach_further_together():
    group = a_group({"zone-a": 3, "zone-b": 1, "zone-c": 0})
    reach = (
        read_requirement(want(ZONE, "In", "zone-a")),
        read_requirement(want(ZONE, "In", "zone-c")),
    )
    assert emptiest_count(group, reach) == 0


def test_too_few_domains_count_as_an_empty_one():
    group = a_group({"zone-a": 2, "zone-b": 2}, least=3)
    assert emptiest_count(group, ANYWHERE) == 0
    assert emptiest_count(a_group({"zone-a": 2, "zone-b": 2}, least=2), ANYWHERE) == 2


def test_a_new_host_is_always_possible_so_hosts_compare_with_nothing():
    assert emptiest_count(a_group({"node-a": 2, "node-b": 5}, key=HOSTNAME), ANYWHERE) == 0


@pytest.mark.parametrize(
    ("skew", "itself", "fitting"),
    [
        (1, True, ["zone-c"]),
        (1, False, ["zone-c", "zone-b"]),
        (2, True, ["zone-c", "zone-b"]),
        (4, True, ["zone-c", "zone-b", "zone-a"]),
    ],
)
def test_domains_that_keep_the_skew_come_emptiest_first(skew, itself, fitting):
    group = a_group({"zone-a": 3, "zone-b": 1, "zone-c": 0}, skew=skew)
    assert spread_domains(group, ZONES, ANYWHERE, counts_itself=itself) == fitting


def test_pods_spread_over_all_zones():
    plan = plan_of(pods(6, cpu=1, labels=WEB, spread=[a_spread()]), a_type())
    assert zones_of(plan) == sorted(ZONES * 2)


def test_two_kinds_in_opposite_zones_keep_the_skew_together():
    near = pods(2, "a", cpu=1, labels=WEB, spread=[a_spread()], selector={ZONE: "zone-a"})
    far = pods(2, "b", cpu=1, labels=WEB, spread=[a_spread()], selector={ZONE: "zone-b"})
    pool = a_pool(requirements=[want(ZONE, "In", "zone-a", "zone-b")])
    plan = plan_of(near, far, pool, a_type())
    assert zones_of(plan) == ["zone-a", "zone-a", "zone-b", "zone-b"]


def test_a_skew_that_is_broken_already_lets_pods_only_into_the_emptiest_zone():
    node, claim = a_managed_node("a", cpu=1, zone="zone-a")
    there = pods(4, "old", labels=WEB, node=node)
    new = pods(3, "new", cpu=2, labels=WEB, spread=[a_spread()])
    assert set(zones_of(plan_of(node, claim, there, new, a_type()))) == {"zone-b", "zone-c"}


def test_min_domains_beyond_the_zones_leaves_pods_past_the_skew_behind():
    pool = a_pool(requirements=[want(ZONE, "In", "zone-a", "zone-b")])
    plan = plan_of(pods(4, cpu=1, labels=WEB, spread=[a_spread(min_domains=3)]), pool, a_type())
    assert zones_of(plan) == ["zone-a", "zone-b"]
    assert set(codes_of(plan).values()) == {"NW-1301"}


def test_constraints_that_differ_in_min_domains_alone_are_kept_apart():
    loose = pods(2, "loose", cpu=1, labels=WEB, spread=[a_spread()])
    strict = pods(2, "strict", cpu=1, labels=WEB, spread=[a_spread(min_domains=4)])
    plan = plan_of(loose, strict, a_type())
    assert all(home_of(plan, pod) is not None for pod in loose)


def test_hosts_are_domains_too():
    plan = plan_of(pods(4, cpu="100m", labels=WEB, spread=[a_spread(HOSTNAME, 2)]), a_type())
    assert sizes_of(plan) == [2, 2]


def test_capacity_types_are_domains_too():
    kinds = a_type(capacity_types=("on-demand", "spot"))
    plan = plan_of(pods(4, cpu=1, labels=WEB, spread=[a_spread(CAPACITY_TYPE)]), kinds)
    bought = [node.offering.capacity_type for node in plan.new_nodes for _ in node.pods]
    assert sorted(bought) == ["on-demand", "on-demand", "spot", "spot"]


def test_any_label_of_a_pool_is_a_domain():
    pool = a_pool(requirements=[want("rack", "In", "r1", "r2")])
    plan = plan_of(pods(4, cpu=1, labels=WEB, spread=[a_spread("rack")]), pool, a_type())
    racks = [node.requirements.labels()["rack"] for node in plan.new_nodes for _ in node.pods]
    assert sorted(racks) == ["r1", "r1", "r2", "r2"]


def test_a_key_without_domains_leaves_the_pod_behind():
    pod = a_pod(cpu=1, labels=WEB, spread=[a_spread("rack")])
    assert codes_of(plan_of(pod, a_type())) == {"pod": "NW-1301"}


def test_values_that_a_pool_excludes_are_no_domains():
    # With zone-c counted as an empty domain, the second pod of a zone would have no place.
    pool = a_pool(requirements=[want(ZONE, "NotIn", "zone-c")])
    plan = plan_of(pods(4, cpu=1, labels=WEB, spread=[a_spread()]), pool, a_type(zones=ZONES[:2]))
    assert zones_of(plan) == ["zone-a", "zone-a", "zone-b", "zone-b"]


def test_only_zones_that_the_pods_own_affinity_allows_are_compared():
    pod = pods(3, cpu=1, labels=WEB, spread=[a_spread()], selector={ZONE: "zone-a"})
    assert zones_of(plan_of(pod, a_type())) == ["zone-a"] * 3


def test_tainted_nodes_take_part_unless_the_policy_honours_taints():
    node = a_node("t", zone="zone-c", taints=[a_taint("gpu")])
    pool = a_pool(requirements=[want(ZONE, "In", "zone-a", "zone-b")])
    ignoring = pods(4, cpu=1, labels=WEB, spread=[a_spread()])
    honouring = pods(4, cpu=1, labels=WEB, spread=[a_spread(node_taints_policy="Honor")])
    # The tainted node's zone stays empty, so where it counts no other may get a second pod.
    assert zones_of(plan_of(node, pool, ignoring, a_type())) == ["zone-a", "zone-b"]
    assert len(zones_of(plan_of(node, pool, honouring, a_type()))) == 4


def test_a_selector_that_selects_nothing_never_counts_the_pod():
    plan = plan_of(pods(3, cpu=1, labels=WEB, spread=[a_spread(selector=None)]), a_type(cpu=4))
    assert plan.unschedulable == {}


def test_a_selector_that_cannot_be_read_selects_nothing():
    odd = a_spread(selector=a_selector(("app", "Near", "web")))
    assert plan_of(pods(3, cpu=1, labels=WEB, spread=[odd]), a_type()).unschedulable == {}


def test_match_label_keys_narrow_the_count_to_the_pods_own_revision():
    node, claim = a_managed_node("a", cpu=1, zone="zone-a")
    old = pods(3, "old", labels={**WEB, "rev": "1"}, node=node)
    new = pods(
        3, "new", cpu=2, labels={**WEB, "rev": "2"}, spread=[a_spread(match_label_keys=("rev",))]
    )
    assert zones_of(plan_of(node, claim, old, new, a_type())) == sorted(ZONES)


def test_a_match_label_key_that_the_pod_lacks_is_skipped():
    spread = a_spread(match_label_keys=("rev",))
    plan = plan_of(pods(3, cpu=1, labels=WEB, spread=[spread]), a_type())
    assert zones_of(plan) == sorted(ZONES)


def test_a_soft_spread_is_kept_while_it_can_be_and_given_up_when_not():
    soft = a_spread(when_unsatisfiable="ScheduleAnyway")
    plan = plan_of(pods(3, cpu=1, labels=WEB, spread=[soft]), a_type())
    assert zones_of(plan) == sorted(ZONES)
    unknown = a_spread("rack", when_unsatisfiable="ScheduleAnyway")
    assert plan_of(a_pod(cpu=1, labels=WEB, spread=[unknown]), a_type()).unschedulable == {}


def test_pods_of_other_namespaces_do_not_count():
    node, claim = a_managed_node("a", cpu=1, zone="zone-a")
    others = pods(3, "old", namespace="other", labels=WEB, node=node)
    new = pods(3, "new", cpu=2, labels=WEB, spread=[a_spread()])
    assert zones_of(plan_of(node, claim, others, new, a_type())) == sorted(ZONES)


def test_pods_that_are_going_do_not_count():
    node, claim = a_managed_node("a", cpu=1, zone="zone-a")
    going = pods(3, "old", labels=WEB, node=node, deleted="2026-11-15T08:00:00Z")
    new = pods(3, "new", cpu=2, labels=WEB, spread=[a_spread()])
    assert zones_of(plan_of(node, claim, going, new, a_type())) == sorted(ZONES)


def test_a_pod_relaxed_late_meets_the_counts_that_are_there():
    # One pod gives up its second alternative after the others are placed. A group that started
    # from zero then would let it into a zone that is full.
    first = pods(3, "a", cpu=2, labels=WEB, spread=[a_spread()])
    late = a_pod(
        "late",
        cpu=1,
        labels=WEB,
        spread=[a_spread()],
        terms=[[want("team", "In", "nobody")], [want(ZONE, "In", "zone-a", "zone-b")]],
    )
    plan = plan_of(first, late, a_type(cpu=2))
    assert zone_of(home_of(plan, late)) in {"zone-a", "zone-b"}
    counts = [zones_of(plan).count(zone) for zone in ZONES]
    assert max(counts) - min(counts) <= 1


def test_alternatives_that_a_pod_gave_up_still_say_which_nodes_count():
    # Both pods have the same alternatives, and only the second gives one up. Whoever binds it later
    # counts the first all the same.
    spread = a_spread("rack")
    terms = [[want(ARCH, "In", "amd64")], [want(ZONE, "Exists")]]
    pool = a_pool(requirements=[want("rack", "In", "r1", "r2")], limits={"nodes": 1})
    both = pods(2, cpu=1, labels=WEB, spread=[spread], terms=terms)
    assert len(codes_of(plan_of(both, pool, a_type()))) == 1


def test_pods_on_nodes_that_may_not_count_do_not_make_room_elsewhere():
    # The planned node may become a type that the other pods refuse, and then it counts for nothing.
    pools = [
        a_pool("one", labels={"rack": "r1", "side": "left"}),
        a_pool("two", labels={"rack": "r2"}),
    ]
    anyhow = pods(2, "a", cpu=1, labels=WEB, selector={"side": "left"})
    picky = pods(
        2,
        "b",
        cpu=1,
        labels=WEB,
        spread=[a_spread("rack")],
        terms=[[want(INSTANCE_TYPE, "NotIn", "x"), want("side", "DoesNotExist")]],
    )
    types = [a_type("m"), a_type("x")]
    plan = plan_of(anyhow, picky, pools, *types)
    assert len(codes_of(plan)) == 1


def test_doubtful_pods_fill_their_domain_and_do_not_raise_the_emptiest():
    group = a_group({"zone-a": 2, "zone-b": 1})
    group.doubt("zone-b", 1)
    assert emptiest_count(group, ANYWHERE) == 0
    assert group.count("zone-b") == 1
    assert spread_domains(group, ["zone-a", "zone-b"], ANYWHERE, counts_itself=True) == []
    group.doubt("zone-b", -1)
    assert spread_domains(group, ["zone-a", "zone-b"], ANYWHERE, counts_itself=True) == ["zone-b"]
