"""Journals of simulated runs."""

from pathlib import Path
from typing import NamedTuple

from nodewright.app.planning import plan_document, plan_world
from nodewright.app.run import run_controllers
from nodewright.journal.recorder import Recorder
from nodewright.journal.segments import Limits, measure
from nodewright.sim.furnish import Furnisher
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import read_scenario
from nodewright.sim.simulation import Simulation

_WEEK = Path(__file__).parent.parent / "scenarios" / "week.yaml"
_HOURS = 7 * 24
_GROW = Path(__file__).parent.parent / "scenarios" / "grow.yaml"


class Run(NamedTuple):
    """A journal, and the plans of its provisioning looks as they were made."""

    folder: Path
    plans: dict[str, dict[str, object]]


class Planner:
    """A witness that plans what provisioning saw, at the moment it is told."""

    def __init__(self) -> None:
        self.plans: dict[str, dict[str, object]] = {}

    def decided(self, controller, world, decisions, duration_ms):
        """Plan."""
        del decisions, duration_ms
        if controller == "provisioning":
            self.plans[f"{controller}@{world.now_ms}"] = plan_document(plan_world(world))

    def came_of(self, controller, decision, answer, duration_ms):
        """Take no note."""


def record_simulation(
    folder: Path, minutes: int, seed: int = 0, limits: Limits | None = None
) -> Run:
    """Let the controllers run for a while on a simulated cluster, and journal it."""
    planner = Planner()

    async def autoscale(ports):
        recorder = Recorder(folder, ports.clock, limits or Limits())
        await run_controllers(ports._replace(witnesses=(recorder, planner)), is_strict=True)

    scenario = read_scenario(_GROW)
    sim = Simulation(settings_of(scenario, seed), autoscale)
    Furnisher(sim, scenario).furnish()
    fine = sim.run_for(minutes * 60_000)
    sim.conclude()
    assert fine, sim.violations
    return Run(folder, planner.plans)


def record_week(folder: Path, limits: Limits) -> list[int]:
    """Journal a week of the controllers on a simulated cluster; give how large it was after each hour."""

    async def autoscale(ports):
        recorder = Recorder(folder, ports.clock, limits)
        await run_controllers(ports._replace(witnesses=(recorder,)), is_strict=True)

    scenario = read_scenario(_WEEK)
    sim = Simulation(settings_of(scenario, 0), autoscale)
    Furnisher(sim, scenario).furnish()
    sizes = []
    for _ in range(_HOURS):
        assert sim.run_for(3_600_000), sim.violations
        sizes.append(measure(folder))
    sim.close()
    return sizes
