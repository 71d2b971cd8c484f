"""The plan as a value: every type that will do, the price of the cheapest, and what is asked."""

from builders import a_daemon_set, a_node, a_pod, a_pool, a_type, an_offering, pods, want
from builders.solving import home_of, plan_of
from nodewright.model.instance import NANO
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.quantity import parse_resources

POD = a_pod(cpu=1, memory="1Gi")


def test_every_type_that_will_do_is_listed_cheapest_first():
    types = [a_type("dear", price=3), a_type("cheap", price=1), a_type("mid", price=2)]
    home = home_of(plan_of(POD, types, a_type("tiny", cpu="500m")), POD)
    assert home.instance_types == ("cheap", "mid", "dear")
    assert home.offering.instance_type == "cheap"


def test_the_list_is_not_cut():
    types = [a_type(f"t{number:04}", price=1 + number / 1000) for number in range(700)]
    home = home_of(plan_of(POD, types), POD)
    assert len(home.instance_types) == 700


def test_types_whose_only_offering_is_sold_out_are_not_listed():
    gone = a_type("gone", offerings=[an_offering(available=False, price=0.1)])
    assert home_of(plan_of(POD, a_type("m"), gone), POD).instance_types == ("m",)


def test_the_offering_is_the_cheapest_one_in_reach():
    kind = a_type(
        offerings=[
            an_offering("zone-a", price=3),
            an_offering("zone-b", "spot", price=1),
            an_offering("zone-c", price=2),
        ]
    )
    tied = a_pod(cpu=1, selector={CAPACITY_TYPE: "on-demand"})
    home = home_of(plan_of(tied, kind), tied)
    assert (home.offering.zone, home.offering.price) == ("zone-c", 2 * NANO)
    free = home_of(plan_of(POD, kind), POD)
    assert (free.offering.capacity_type, free.offering.price) == ("spot", NANO)


def test_the_price_of_a_plan_sums_its_nodes():
    plan = plan_of(pods(3, cpu=3), a_type(cpu=4, price=0.25))
    assert plan.price == 3 * NANO // 4
    assert plan.lower_bound is None


def test_requirements_join_pool_pod_and_topology():
    pool = a_pool("p", labels={"team": "a"}, requirements=[want(ZONE, "In", "zone-a", "zone-b")])
    pod = a_pod(cpu=1, terms=[[want(ZONE, "NotIn", "zone-a")]])
    home = home_of(plan_of(pod, pool, a_type()), pod)
    assert home.requirements[ZONE].values == {"zone-b"}
    assert home.requirements[NODEPOOL].values == {"p"}
    assert home.requirements["team"].values == {"a"}


def test_requests_count_pods_and_daemons():
    plan = plan_of(pods(2, cpu=1, memory="1Gi"), a_daemon_set(cpu="100m"), a_type())
    (node,) = plan.new_nodes
    assert node.requests == parse_resources({"cpu": "2100m", "memory": "2Gi", "pods": 3})


def test_a_demand_for_choice_is_written_on_the_node():
    pool = a_pool(requirements=[want(INSTANCE_TYPE, "Exists", at_least=2)])
    home = home_of(plan_of(POD, pool, a_type("s"), a_type("l", cpu=8)), POD)
    assert home.requirements[INSTANCE_TYPE].min_values == 2
    assert not home.min_values_relaxed


def test_existing_nodes_that_got_pods_are_named_and_others_are_not():
    plan = plan_of(POD, a_node("a"), a_node("b"), a_type())
    assert [(one.name, one.pods) for one in plan.existing_nodes] == [("a", ("default/pod",))]
    assert (plan.new_nodes, plan.price) == ((), 0)


def test_pods_left_behind_are_listed_by_name():
    plan = plan_of(a_pod("z", cpu=99), a_pod("a", cpu=99), a_type())
    assert list(plan.unschedulable) == ["default/a", "default/z"]


def test_an_estimated_price_stays_marked():
    offering = type(an_offering())(
        an_offering().requirements, an_offering().price, price_is_estimate=True
    )
    assert home_of(plan_of(POD, a_type(offerings=[offering])), POD).offering.price_is_estimate
