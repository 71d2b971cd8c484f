"""A snapshot taken on the way gives the plan that the controllers made at that moment."""

from pathlib import Path

import msgspec

from nodewright.app.planning import plan_document, plan_world
from nodewright.app.run import CONTROLLERS
from nodewright.controllers.loop import run_all
from nodewright.controllers.ports import Memory, Settings
from nodewright.controllers.provisioning import Provisioning
from nodewright.sim.furnish import Furnisher
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import read_scenario
from nodewright.sim.simulation import Simulation
from nodewright.state.live import take_snapshot, with_machines
from nodewright.state.snapshot import read_snapshot
from nodewright.state.writing import SnapshotMetadata, write_snapshot

GROW = read_scenario(Path(__file__).parent / "grow.yaml")
MINUTE_MS = 60_000


def planned(world):
    """What `plan -o json` prints of a World, without the time that it took."""
    return msgspec.json.encode(plan_document(plan_world(world)) | {"solveSeconds": 0})


def test_the_plan_of_a_snapshot_taken_live_is_the_plan_that_was_made():
    taken = []

    class Watched(Provisioning):
        """Takes a snapshot of what it is about to look at, with what is on its way beside it."""

        def look(self):
            ports, held = self.ports, self.memory.expectations.hold()
            now_ms = ports.clock.now_ms()
            seen = take_snapshot(ports.mirror, now_ms, self._types, self.settings.options)
            document = write_snapshot(
                with_machines(seen, ports.mirror), SnapshotMetadata(), held=held
            )
            world = super().look()
            taken.append((held, document, world))
            return world

    async def autoscale(ports):
        kinds = [Watched if one is Provisioning else one for one in CONTROLLERS]
        memory = Memory()
        await run_all([kind(ports, memory, Settings()) for kind in kinds], is_strict=True)

    sim = Simulation(settings_of(GROW, 3), autoscale)
    Furnisher(sim, GROW).furnish()
    assert sim.run_for(16 * MINUTE_MS)
    sim.conclude()

    assert len(taken) > 3
    assert any(held.placed for held, _, _ in taken)
    for _, document, world in taken:
        assert planned(read_snapshot(document, "taken").world) == planned(world)
