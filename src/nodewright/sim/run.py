"""Run a scenario with a seed, and where it fails, find the least that still fails.

A run that breaks a promise is made smaller before anybody looks at it: faults that it does not need
are left out one by one, and of its history only the lines about what was broken are kept.
"""

from typing import Final

import msgspec

from nodewright.catalog.resolve import instance_types_for
from nodewright.catalog.settings import NodeSettings, SubnetZone
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS
from nodewright.sim.checkers.endings import is_at_rest
from nodewright.sim.cloud.ec2 import Ec2Settings
from nodewright.sim.cloud.market import MarketSettings
from nodewright.sim.faults import Fault
from nodewright.sim.furnish import Furnisher
from nodewright.sim.process import Autoscaler
from nodewright.sim.scenario import CODE, CatalogWords, FaultWords, Scenario, read_ms
from nodewright.sim.simulation import Result, Settings, Simulation
from nodewright.sim.story import tell_story

SHRINK_RUNS_MAX: Final = 30
STORY_LINES_MAX: Final = 60


class Report(msgspec.Struct, frozen=True):
    """What came of a run, with the lines that matter where it failed."""

    scenario: Scenario
    result: Result
    story: tuple[str, ...] = ()
    counts: dict[str, int] = {}

    @property
    def is_fine(self) -> bool:
        """Whether every promise was kept."""
        return not self.result.violations


def run_scenario(
    scenario: Scenario, seed: int, autoscaler: Autoscaler | None = None, speed: float = 0.0
) -> Report:
    """Run a scenario from its start to its end."""
    sim = Simulation(settings_of(scenario, seed, speed), autoscaler)
    Furnisher(sim, scenario).furnish()
    duration_ms = read_ms(scenario.duration)
    if sim.run_for(duration_ms):
        end_ms = sim.faults.end_ms()
        late_ms = max(0, (end_ms or 0) - sim.loop.now_ms())
        if scenario.faults or scenario.events:
            sim.run_for(late_ms)
            _settle(sim, read_ms(scenario.settle), read_ms(scenario.calm or scenario.settle))
    counts = _count(sim)
    result = sim.conclude()
    story = tell_story(sim, result.violations[0], STORY_LINES_MAX) if result.violations else ()
    return Report(scenario, result, tuple(story), counts)


def _settle(sim: Simulation, most_ms: int, calm_ms: int) -> None:
    """Let the world come to rest; one that is at rest need not be watched any longer."""
    end_ms = sim.loop.now_ms() + most_ms
    while (left_ms := end_ms - sim.loop.now_ms()) > 0:
        before = sim.ground.history.count
        if not sim.run_for(min(calm_ms, left_ms)):
            return
        if sim.ground.history.count == before and is_at_rest(sim.api, sim.ec2):
            return


def shrink(report: Report, autoscaler: Autoscaler | None) -> Report:
    """Leave out the faults that a failure does not need."""
    wanted = report.result.violations[0].checker
    smallest = report
    runs_left = SHRINK_RUNS_MAX
    for fault in report.scenario.faults:
        kept = tuple(one for one in smallest.scenario.faults if one is not fault)
        if runs_left == 0 or len(kept) == len(smallest.scenario.faults):
            continue
        runs_left -= 1
        smaller = msgspec.structs.replace(smallest.scenario, faults=kept)
        tried = run_scenario(smaller, report.result.seed, autoscaler)
        if any(one.checker == wanted for one in tried.result.violations):
            smallest = tried
    return smallest


def settings_of(scenario: Scenario, seed: int, speed: float = 0.0) -> Settings:
    """Give the settings that a scenario stands for."""
    cloud = scenario.cloud
    return Settings(
        seed=seed,
        speed=speed,
        types=choose_types(scenario.catalog),
        zones=scenario.catalog.zones,
        market=MarketSettings(cloud.depth, cloud.depths, cloud.spot_moves),
        ec2=Ec2Settings(
            boot_ms=(read_ms(cloud.boot[0]), read_ms(cloud.boot[1])),
            spot_interruptions_per_hour=cloud.spot_interruptions_per_hour,
        ),
        faults=tuple(_fault(words) for words in scenario.faults),
    )


def choose_types(words: CatalogWords) -> tuple[InstanceType, ...]:
    """Give the instance types that a scenario has on sale."""
    zones = tuple(SubnetZone(zone) for zone in words.zones)
    every = instance_types_for(words.region, NodeSettings(zones=zones))
    if words.types:
        chosen = tuple(one for one in every if one.name in words.types)
    else:
        chosen = tuple(
            one
            for one in every
            if one.name.partition(".")[0] in words.families
            and one.name.partition(".")[2] in words.sizes
        )
    if not chosen:
        raise UserError(
            f"catalog: no instance type of {words.region} is left",
            code=CODE,
            advice="name `types`, or other `families` and `sizes`",
        )
    return chosen


def _fault(words: FaultWords) -> Fault:
    return Fault(
        kind=words.kind,
        rate=words.rate,
        from_ms=read_ms(words.from_),
        until_ms=read_ms(words.until) if words.until else None,
        at_ms=tuple(read_ms(at) for at in words.at),
    )


def _count(sim: Simulation) -> dict[str, int]:
    phases: dict[str, int] = {}
    for pod in sim.api.each(PODS):
        phases[pod.status.phase] = phases.get(pod.status.phase, 0) + 1
    return {
        "nodes": sim.api.count(NODES),
        "nodeClaims": sim.api.count(NODE_CLAIMS),
        **{f"pods{phase}": count for phase, count in sorted(phases.items())},
    }
