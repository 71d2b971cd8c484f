"""A total that is carried along instead of added up is noticed; ours is the sum at every step."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from nodewright.app.run import autoscale
from nodewright.model.labels import NODEPOOL
from nodewright.model.resource import NODE_CLAIMS, NODES
from nodewright.sim.checkers.costs import CostTotal
from nodewright.sim.furnish import Furnisher
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import read_scenario
from nodewright.sim.simulation import Simulation

GROW = read_scenario(Path(__file__).parents[2] / "scenarios" / "grow.yaml")


class CarriedAlong(CostTotal):
    """Adds what is new and takes off what is gone, at the price of that moment."""

    def __init__(self, scene):
        super().__init__(scene)
        self._known = {}
        self._total = 0

    def told(self, world, prices):
        machines = {
            one.status.provider_id: one.metadata.labels
            for one in world.node_claims
            if one.status.provider_id
        }
        machines |= {
            one.spec.provider_id: one.metadata.labels
            for one in world.nodes
            if NODEPOOL in one.metadata.labels
        }
        new, old = machines.keys() - self._known.keys(), self._known.keys() - machines.keys()
        self._total += sum(prices.of(machines[name]) or 0 for name in new)
        self._total -= sum(prices.of(self._known[name]) or 0 for name in old)
        self._known = machines
        return self._total


class BehindForAMoment(CostTotal):
    """Leaves out machines of which it heard less than a tenth of a second ago."""

    def __init__(self, scene):
        self._heard_ms = {}
        scene.ground.api.listen(NODE_CLAIMS, self._hear)
        super().__init__(scene)

    def _hear(self, change):
        if change.new is not None:
            self._heard_ms.setdefault(change.new.status.provider_id, self.loop.now_ms())

    def told(self, world, prices):
        until_ms = world.now_ms - 100
        claims = tuple(
            one for one in world.node_claims if self._heard_ms[one.status.provider_id] <= until_ms
        )
        return super().told(replace(world, node_claims=claims), prices)


@pytest.mark.parametrize(
    ("checker", "complaints"),
    [(CostTotal, set()), (CarriedAlong, {"cost-total"}), (BehindForAMoment, {"cost-total"})],
)
def test_a_total_that_drifts_or_is_behind_for_a_moment_is_noticed(checker, complaints):
    sim = Simulation(replace(settings_of(GROW, 7), checkers=(checker,)), autoscale)
    Furnisher(sim, GROW).furnish()
    made = []
    sim.api.listen(NODES, made.append)
    sim.api.listen(NODE_CLAIMS, made.append)
    sim.run_for(30 * 60_000)

    assert {one.checker for one in sim.close().violations} == complaints
    assert made
