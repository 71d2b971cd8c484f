import pytest

from forecast.small import MINUTE_MS, a_setup
from nodewright.forecast.player import Player
from nodewright.forecast.setup import settings_of, types_on_sale
from nodewright.model.errors import UserError
from nodewright.model.resource import DISRUPTION_BUDGETS, PODS
from nodewright.sim.objects import DEPLOYMENTS, JOBS, REPLICA_SETS
from nodewright.sim.simulation import Simulation
from nodewright.trace.entry import Arrival, Scaling, Size, Thing, Trace

SIZE = Size({"cpu": "1"}, {"app": "web"}, spec={"nodeSelector": {"disk": "fast"}})
BUDGET = {
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}},
}


def play(*entries, warm_ms=0):
    setup = a_setup()
    sim = Simulation(settings_of(setup, types_on_sale(setup), 1))
    Player(sim, Trace("t", iter(entries)), setup.zones, warm_ms).begin()
    return sim


def test_workloads_grow_shrink_and_go():
    sim = play(
        Thing(0, BUDGET),
        Scaling(0, "shop/web", 3, SIZE),
        Scaling(MINUTE_MS, "shop/web", 5),
        Scaling(2 * MINUTE_MS, "shop/web", None),
    )

    counts = []
    for _ in range(3):
        sim.run_for(MINUTE_MS // 2)
        counts.append(sim.api.count(PODS))
        sim.run_for(MINUTE_MS // 2)

    assert counts == [3, 5, 0]
    assert sim.api.count(DISRUPTION_BUDGETS) == 1
    assert sim.api.count(DEPLOYMENTS) == 0


def test_pods_that_last_are_jobs_and_pods_that_are_there_until_then_are_sets():
    sim = play(
        Arrival(0, "ci/build", SIZE, lasts_ms=MINUTE_MS, count=2),
        Arrival(0, "ci/build", SIZE, until_ms=2 * MINUTE_MS),
        Arrival(0, "ci/stays", SIZE),
    )

    sim.run_for(MINUTE_MS)
    assert (sim.api.count(JOBS), sim.api.count(REPLICA_SETS), sim.api.count(PODS)) == (1, 2, 4)
    assert all(pod.spec.node_selector == {"disk": "fast"} for pod in sim.api.each(PODS))
    sim.run_for(2 * MINUTE_MS)
    assert sim.api.count(REPLICA_SETS) == 1


def test_what_a_workload_begins_with_is_there_before_it_begins():
    sim = play(Scaling(0, "a/w", 1, SIZE), Scaling(1, "a/w", 4), warm_ms=MINUTE_MS)

    sim.run_for(MINUTE_MS // 2)
    assert sim.api.count(PODS) == 1
    sim.run_for(MINUTE_MS)
    assert sim.api.count(PODS) == 4


def test_an_object_that_cannot_be_is_one_sentence():
    with pytest.raises(UserError, match="the simulator knows no kind 'Wish'"):
        play(Thing(0, {"kind": "Wish"}))
