"""The controller dies at one call after the other, and everything comes out right all the same."""

import pytest

from builders import a_pool
from nodewright.model.resource import NODE_POOLS, PODS
from nodewright.sim.furnish import workload_manifest
from nodewright.sim.simulation import Settings, Simulation
from scenarios.stub import autoscale
from sim.checkers.worlds import MINUTE_MS, TYPES, put, web


def outcome(die_at_call):
    sim = Simulation(Settings(seed=5, types=TYPES), autoscale)
    sim.api.create(NODE_POOLS, a_pool(), "user")
    put(sim, workload_manifest(web(replicas=10)))
    sim.process.die_at_call = die_at_call
    sim.run_for(20 * MINUTE_MS)
    running = sum(pod.status.phase == "Running" for pod in sim.api.each(PODS))
    result = sim.conclude()
    return running, result.life_count, result.violations


@pytest.mark.parametrize("call", range(20, 150, 13))
def test_a_death_between_two_calls_changes_nothing(call):
    assert outcome(call) == (10, 2, ())


@pytest.mark.soak
@pytest.mark.parametrize("call", range(1, 250))
def test_a_death_at_any_call_changes_nothing(call):
    assert outcome(call) == (10, 2, ())
