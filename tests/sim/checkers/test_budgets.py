import pytest

from nodewright.app.run import autoscale
from scenarios import mutants
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, begin, running
from scenarios.test_disruption import edit

SHORT = {"schedule": "* * * * *", "duration": "1h"}
RARE = {"schedule": "0 0 29 2 *", "duration": "1h"}
WEB = {"name": "web", "replicas": 12, "cpu": "1500m", "memory": "1Gi"}


@pytest.mark.parametrize(
    ("autoscaler", "budget", "complaints"),
    [
        (autoscale, "1", set()),
        (autoscale, "20%", set()),
        (mutants.greedy, "1", {"node-budgets"}),
        (mutants.greedy, "20%", {"node-budgets"}),
        (mutants.greedy, "100%", set()),
    ],
)
def test_a_budget_that_is_exceeded_is_noticed(autoscaler, budget, complaints):
    pool = a_pool_manifest(disruption={"consolidateAfter": "0s", "budgets": [{"nodes": budget}]})
    sim, _ = begin(CLASS, pool, workloads=[WEB], autoscaler=autoscaler)
    assert sim.run_until(lambda: running(sim) >= 12, 10 * MINUTE_MS)
    edit(sim, team="blue")
    sim.run_for(10 * MINUTE_MS)

    assert {one.checker for one in sim.close().violations} == complaints


@pytest.mark.parametrize(
    ("window", "complaints"), [(SHORT, {"node-budgets"}), (RARE, set()), ({}, {"node-budgets"})]
)
def test_a_budget_counts_within_its_window_only(window, complaints):
    budgets = [{"nodes": "1", **window}]
    pool = a_pool_manifest(disruption={"consolidateAfter": "0s", "budgets": budgets})
    sim, _ = begin(CLASS, pool, workloads=[WEB], autoscaler=mutants.greedy)
    assert sim.run_until(lambda: running(sim) >= 12, 10 * MINUTE_MS)
    edit(sim, team="blue")
    sim.run_for(10 * MINUTE_MS)

    assert {one.checker for one in sim.close().violations} == complaints


@pytest.mark.parametrize(
    ("autoscaler", "complaints"), [(autoscale, set()), (mutants.forgetful, {"node-budgets"})]
)
def test_a_rate_of_a_policy_that_is_exceeded_is_noticed(autoscaler, complaints):
    pool = a_pool_manifest(disruption={"consolidateAfter": "0s", "budgets": [{"nodes": "1"}]})
    slow = {"budgets": [{"rate": {"nodes": "1", "per": "30m"}}]}
    policy = {"kind": "NodePolicy", "metadata": {"name": "slow"}, "spec": slow}
    sim, _ = begin(CLASS, pool, policy, workloads=[WEB], autoscaler=autoscaler)
    assert sim.run_until(lambda: running(sim) >= 12, 10 * MINUTE_MS)
    edit(sim, team="blue")
    sim.run_for(40 * MINUTE_MS)

    assert {one.checker for one in sim.close().violations} == complaints
