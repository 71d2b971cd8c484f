import asyncio

from nodewright.sim.faults import Fault
from nodewright.sim.simulation import Settings, Simulation

MINUTE_MS = 60_000


class Beats:
    """A controller that only notes that it is alive."""

    def __init__(self):
        self.seen = []

    async def __call__(self, ports):
        life = len({one for one, _ in self.seen}) + 1
        while True:
            self.seen.append((life, ports.clock.now_ms()))
            await ports.clock.sleep_ms(1_000)

    def lives(self):
        return {life for life, _ in self.seen}


def test_a_killed_process_stops_at_once_and_another_begins():
    beats = Beats()
    sim = Simulation(Settings(seed=1), beats)
    sim.run_for(10_000)
    sim.process.kill()
    killed_ms = sim.loop.now_ms()
    sim.run_for(20_000)

    assert beats.lives() == {1, 2}
    assert max(at for life, at in beats.seen if life == 1) <= killed_ms


def test_kills_come_at_their_moments():
    faults = (Fault("controller.kill", at_ms=(MINUTE_MS, 3 * MINUTE_MS)),)
    sim = Simulation(Settings(seed=1, faults=faults), Beats())
    sim.run_for(5 * MINUTE_MS)

    assert sim.process.life_count == 3


def test_a_leader_that_lost_its_lease_runs_on_for_a_while_without_effect():
    leaders = []

    async def main(ports):
        leaders.append(ports.clock)
        await asyncio.sleep(1e9)

    sim = Simulation(Settings(seed=1), main)
    sim.run_for(1_000)
    sim.process.lose_lease()
    sim.run_for(20_000)
    old, new = leaders

    assert (old.is_leader, old.is_dead, new.is_leader) == (False, False, True)
    sim.run_for(60_000)
    assert (old.is_dead, new.is_dead) == (True, False)


def test_an_error_that_escapes_is_kept_and_the_process_starts_again():
    async def main(ports):
        await ports.clock.sleep_ms(5_000)
        raise KeyError("gone")

    sim = Simulation(Settings(seed=1), main)
    sim.run_for(30_000)

    assert isinstance(sim.process.crashes[0], KeyError)
    assert sim.process.life_count > 1


def test_the_mirror_of_a_process_shows_the_cluster():
    seen = {}

    async def main(ports):
        while ports.mirror.waiting_for():
            await ports.clock.sleep_ms(50)
        from nodewright.model.resource import NAMESPACES

        seen["names"] = [one.metadata.name for one in ports.mirror.all(NAMESPACES)]
        await ports.clock.sleep_ms(10**9)

    sim = Simulation(Settings(seed=1), main)
    sim.run_for(10_000)

    assert seen["names"] == ["default", "kube-system"]
