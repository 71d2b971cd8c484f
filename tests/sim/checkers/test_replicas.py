import pytest

from nodewright.app.run import autoscale
from scenarios import mutants
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, begin, running
from scenarios.test_disruption import edit

APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {
                "topologyKey": "kubernetes.io/hostname",
                "labelSelector": {"matchLabels": {"app": "web"}},
            }
        ]
    }
}


@pytest.mark.parametrize(
    ("autoscaler", "replicas", "complaints"),
    [
        (autoscale, 2, set()),
        (autoscale, 4, set()),
        (mutants.heedless, 1, set()),
        (mutants.heedless, 2, {"last-replicas"}),
        (mutants.heedless, 4, {"last-replicas"}),
    ],
)
def test_last_replicas_that_are_drained_together_are_noticed(autoscaler, replicas, complaints):
    pool = a_pool_manifest(disruption={"consolidateAfter": "0s", "budgets": [{"nodes": "100%"}]})
    web = {"name": "web", "replicas": replicas, "cpu": "900m", "memory": "1Gi"}
    sim, _ = begin(
        CLASS, pool, workloads=[{**web, "pod": {"affinity": APART}}], autoscaler=autoscaler
    )
    assert sim.run_until(lambda: running(sim) >= replicas, 10 * MINUTE_MS)
    edit(sim, team="blue")
    sim.run_for(10 * MINUTE_MS)

    assert {one.checker for one in sim.close().violations} == complaints
