"""How long a pool takes to roll: budgets, windows, rates and waves."""

import pytest

from builders import NOW_MS
from builders.fleet import HOUR_MS, a_fleet_pool
from nodewright.core.disruption.policies import PoolPolicy, WaveRule
from nodewright.core.disruption.rolling import ROUND_MS, Rolling
from nodewright.model.nodepolicy import PolicyBudget, Rate
from nodewright.model.nodepool import Budget

MINUTE_MS = 60_000
ALL = [Budget(nodes="100%")]


def takes(count, budgets, policy=None, total=10):
    pool = a_fleet_pool(budgets=budgets)
    return Rolling(pool, policy or PoolPolicy(), total).takes_ms(count, NOW_MS)


@pytest.mark.parametrize(
    ("count", "nodes", "rounds"), [(10, "100%", 1), (10, "3", 4), (10, "10%", 10), (0, "0", 0)]
)
def test_a_budget_makes_rounds(count, nodes, rounds):
    assert takes(count, [Budget(nodes=nodes)]) == rounds * ROUND_MS


def test_a_budget_that_stays_closed_is_never_done():
    assert takes(1, [Budget(nodes="0")]) is None


def test_a_rate_is_waited_for():
    slow = PoolPolicy(budgets=(PolicyBudget(rate=Rate(nodes="2", per="1h")),))

    assert takes(5, ALL, slow) == 2 * HOUR_MS + ROUND_MS


def test_waves_grow_and_soak_in_between():
    waves = PoolPolicy(waves=WaveRule(1, 2, 10 * MINUTE_MS, 0))

    assert takes(7, ALL, waves) == 3 * ROUND_MS + 20 * MINUTE_MS
    assert takes(8, ALL, waves) == 4 * ROUND_MS + 30 * MINUTE_MS


def test_no_more_run_twice_than_the_budget_lets_go_at_once():
    rolling = Rolling(a_fleet_pool(budgets=[Budget(nodes="20%")]), PoolPolicy(), 10)

    assert (rolling.at_once(10, NOW_MS), rolling.at_once(1, NOW_MS)) == (2, 1)
