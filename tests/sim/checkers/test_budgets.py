import pytest

from nodewright.app.run import autoscale
from scenarios import mutants
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, begin, running
from scenarios.test_disruption import edit

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
