"""A pool says what it has and may have, what its budgets leave, and who spends them."""

from builders import a_node_claim, a_world
from builders.fleet import SIZES, a_fleet_node, a_fleet_pool, on
from builders.lives import ago, with_conditions, with_meta
from nodewright.model.nodepool import Budget
from nodewright.view.pools import add_amounts
from nodewright.view.values import Amount, LimitRow, Origin
from nodewright.view.viewer import Known, Viewer


def only(*things):
    (pool,) = Viewer().view(Known(a_world(*things, *SIZES), Origin("snapshot"))).pools
    return pool


def test_nodes_claims_and_limits_are_counted():
    pool = only(
        a_fleet_pool(limits={"cpu": 100, "nodes": 9}),
        a_fleet_node("n", 4),
        a_fleet_node("s", 8, capacity_type="spot"),
        a_node_claim("c", cpu=2),
    )

    assert (pool.nodes, pool.spot, pool.claims) == (2, 1, 1)
    assert pool.limits == (LimitRow("cpu", 100_000, 14_000), LimitRow("nodes", 9_000, 3_000))


def test_nodes_that_go_or_are_not_ready_spend_the_budget():
    going, claim = a_fleet_node("going")
    sick, of_sick = a_fleet_node("sick")
    pool = only(
        a_fleet_pool(budgets=(Budget(nodes="2"),)),
        (going, with_meta(claim, deletion_timestamp=ago(1))),
        (with_conditions(sick, Ready="False"), of_sick),
        a_fleet_node("fine"),
    )

    assert pool.spenders == ("going", "sick")
    assert pool.going == 1
    assert (pool.tightest.allowed, pool.tightest.free, pool.tightest.used) == (2, 0, 2)


def test_a_closed_window_says_by_what_and_until_when():
    closed = Budget(nodes="0", schedule="0 0 * * *", duration="24h")
    pool = only(a_fleet_pool(budgets=(closed,)), a_fleet_node("n"))

    assert pool.tightest.free == 0
    assert pool.tightest.closed_by == "0 (0 0 * * * for 24h)"
    assert pool.tightest.opens_ms is not None


def test_a_pool_without_limits_has_no_tightest_budget():
    assert only(a_fleet_pool(budgets=()), a_fleet_node("n")).tightest is None


def test_money_of_a_pool_is_that_of_its_nodes():
    node = a_fleet_node("n", 4)
    pool = only(a_fleet_pool(), node, on(node, "2"))

    assert 0 < pool.idle_nanousd_hour < pool.price_nanousd_hour
    assert pool.unpriced == 0


def test_use_is_known_only_where_it_is_known_of_all():
    assert add_amounts([Amount(1, 2, 1), Amount(1, 2, 2)]) == Amount(2, 4, 3)
    assert add_amounts([Amount(1, 2, 1), Amount(1, 2)]).used is None
    assert add_amounts([Amount(1, 2, 1), Amount()]).used == 1
    assert add_amounts([]) == Amount()
