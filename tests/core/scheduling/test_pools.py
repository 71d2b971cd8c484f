"""NodePools: which are used, in which order, and what their nodes are like."""

import msgspec
import pytest

from builders import a_pod, a_pool, a_type, a_world, want
from builders.solving import codes_of, home_of, plan_of
from nodewright.core.scheduling.pools import pool_requirements, read_pools
from nodewright.core.scheduling.solve import solve
from nodewright.model.labels import ARCH, CAPACITY_TYPE, NODEPOOL, ZONE
from nodewright.model.metadata import Condition
from nodewright.model.nodepool import NodePoolStatus

GONE = "2026-11-15T08:00:00Z"


def pools_of(*things, **options):
    return read_pools(a_world(*things, **options), ())


def names(*things, **options):
    return [supply.name for supply in pools_of(*things, **options).supplies]


def unready(pool, status="False", message="no role"):
    condition = Condition(type="Ready", status=status, message=message)
    return msgspec.structs.replace(pool, status=NodePoolStatus(conditions=(condition,)))


def test_heavier_pools_come_first_and_equal_ones_from_z_to_a():
    made = [a_pool("a"), a_pool("z"), a_pool("m", weight=10), a_pool("b", weight=10)]
    assert names(made, a_type()) == ["m", "b", "z", "a"]


def test_the_heavier_pool_makes_the_node_whatever_it_costs():
    pod = a_pod(cpu=1)
    dear, cheap = a_type("dear", price=9), a_type("cheap", price=1)
    plan = plan_of(
        pod, a_pool("rich", weight=5), a_pool("poor"), types={"rich": [dear], "poor": [cheap]}
    )
    assert home_of(plan, pod).node_pool == "rich"


def test_of_pools_that_cost_the_same_the_later_name_makes_the_node():
    pod = a_pod(cpu=1)
    assert home_of(plan_of(pod, a_pool("a"), a_pool("z"), a_type()), pod).node_pool == "z"


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        (a_pool(deleted=GONE), "being deleted"),
        (a_pool(replicas=3), "fixed number of nodes (3 replicas)"),
        (unready(a_pool()), "no role"),
        (a_pool(limits={"cpu": "lots"}), "limit cpu lots of the NodePool is not a quantity"),
        (
            a_pool(requirements=[want(ZONE, "Near", "zone-a")]),
            "has operator Near, which is unknown",
        ),
        (a_pool(requirements=[want(ARCH, "In", "s390x")]), "leaves 0 of 1 instance type"),
    ],
)
def test_a_pool_that_cannot_make_nodes_now_says_why(pool, words):
    pools = pools_of(pool, a_type())
    assert pools.supplies == ()
    assert len(pools.skipped) == 1
    (unplaced,) = plan_of(a_pod(cpu=1), pool, a_type()).unschedulable.values()
    assert words in unplaced.summary


def test_what_the_class_lacks_is_said_before_that_the_pool_is_not_ready():
    found = [
        Condition(type="NodeClassReady", status="False", reason="NodeClassNotFound"),
        Condition(type="Ready", status="False", message="NodeClassReady is False"),
    ]
    pool = msgspec.structs.replace(a_pool(), status=NodePoolStatus(conditions=tuple(found)))
    (unplaced,) = plan_of(a_pod(cpu=1), pool, a_type()).unschedulable.values()

    assert unplaced.summary == "the NodePool is not ready: NodeClassNotFound"


def test_a_pool_that_does_not_know_yet_whether_it_is_ready_is_used():
    assert names(unready(a_pool(), status="Unknown"), a_type()) == ["default"]


def test_a_pool_of_a_class_that_others_serve_is_left_alone():
    pools = read_pools(msgspec.structs.replace(a_world(a_type()), instance_types={}), ())
    (skipped,) = pools.skipped
    assert skipped.cause is not None
    assert skipped.cause.kind == "pool-foreign"


def test_without_a_pool_a_pod_is_told_that_there_is_none():
    world = msgspec.structs.replace(a_world(a_pod(cpu=1)), node_pools=(), instance_types={})
    assert codes_of(solve(world)) == {"pod": "NW-1101"}


def test_every_node_of_a_pool_carries_its_labels_its_name_and_its_class():
    pool = a_pool("p", labels={"team": "a"}, requirements=[want(ZONE, "In", "zone-a")])
    assert pool_requirements(pool).labels() == {
        "team": "a",
        ZONE: "zone-a",
        NODEPOOL: "p",
        "karpenter.k8s.aws/ec2nodeclass": "default",
    }


def test_types_without_an_offering_that_the_pool_allows_are_left_out():
    spot_only = a_type("spot", capacity_types=("spot",))
    pool = a_pool(requirements=[want(CAPACITY_TYPE, "In", "on-demand")])
    (supply,) = pools_of(pool, a_type("m"), spot_only).supplies
    assert [one.name for one in supply.types] == ["m"]


def test_a_custom_label_lets_each_pod_choose_where_the_pool_leaves_it_open():
    pool = a_pool(requirements=[want("team", "Exists")])
    red, blue = (
        a_pod("red", cpu=1, selector={"team": "red"}),
        a_pod("blue", cpu=1, selector={"team": "blue"}),
    )
    plan = plan_of(red, blue, pool, a_type())
    assert home_of(plan, red).requirements.labels()["team"] == "red"
    assert home_of(plan, blue).requirements.labels()["team"] == "blue"


@pytest.mark.parametrize(
    ("expression", "fits"),
    [
        (want("team", "In", "a"), False),
        (want("team", "Exists"), False),
        (want("team", "Gt", "1"), False),
        (want("team", "NotIn", "a"), True),
        (want("team", "DoesNotExist"), True),
    ],
)
def test_a_label_that_no_pool_defines_satisfies_only_what_can_do_without_it(expression, fits):
    plan = plan_of(a_pod(cpu=1, terms=[[expression]]), a_type())
    assert (plan.unschedulable == {}) is fits
    assert fits or codes_of(plan) == {"pod": "NW-1203"}


def test_a_label_that_another_pod_rules_values_out_of_may_be_asked_for_on_its_node():
    # No pool defines the label. The claim of the first pod's node speaks of it, so the node gets it.
    avoiding = a_pod("avoiding", cpu=2, terms=[[want("team", "NotIn", "red")]])
    wanting = a_pod("wanting", cpu=1, selector={"team": "blue"})
    plan = plan_of(avoiding, wanting, a_type())
    assert home_of(plan, wanting) is home_of(plan, avoiding)
    assert home_of(plan, wanting).requirements.labels()["team"] == "blue"
    assert codes_of(plan_of(wanting, a_type())) == {"wanting": "NW-1203"}
    refused = a_pod("refused", cpu=1, selector={"team": "red"})
    assert codes_of(plan_of(avoiding, refused, a_type())) == {"refused": "NW-1203"}


def test_an_old_name_of_a_label_meets_todays():
    pod = a_pod(cpu=1, selector={"beta.kubernetes.io/arch": "amd64"})
    pool = a_pool(requirements=[want(ARCH, "In", "amd64")])
    assert plan_of(pod, pool, a_type()).unschedulable == {}


def test_a_mistyped_key_is_answered_with_the_likely_one():
    plan = plan_of(a_pod(cpu=1, selector={"zone": "zone-a"}), a_type())
    assert ZONE in plan.unschedulable["default/pod"].summary
