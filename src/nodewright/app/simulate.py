"""Simulation runs: a scenario file, a seed, an autoscaler, and the report that comes out.

The autoscaler is named by an entry point (`module:function`) that is handed the ports of a process.
Nodewright's own controllers run unless another one is named; with `none` the cluster runs alone.
"""

import importlib
from pathlib import Path
from typing import Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.model.instant import print_instant
from nodewright.sim.process import Autoscaler
from nodewright.sim.run import Report, run_scenario, shrink
from nodewright.sim.scenario import read_scenario

OURS: Final = "nodewright.app.run:autoscale"
NOBODY: Final = "none"
_CODE: Final = "NW-9403"


class Order(msgspec.Struct, frozen=True):
    """What is to be run."""

    scenario: Path
    seed: int = 0
    autoscaler: str = OURS
    speed: float = 0.0

    def command(self) -> str:
        """Give the command line that runs this again."""
        words = f"nodewright simulate --scenario {self.scenario} --seed {self.seed}"
        return words if self.autoscaler == OURS else f"{words} --autoscaler {self.autoscaler}"


class Broken(msgspec.Struct, frozen=True, rename="camel"):
    """A promise that was not kept."""

    checker: str
    at: str
    sentence: str


class Outcome(msgspec.Struct, frozen=True, rename="camel"):
    """What is shown of a run."""

    scenario: str
    seed: int
    ended_at: str
    steps: int
    processes: int
    digest: str
    counts: dict[str, int]
    violations: tuple[Broken, ...] = ()
    needed_faults: tuple[str, ...] = ()
    story: tuple[str, ...] = ()
    replay: str = ""


def simulate(order: Order) -> Outcome:
    """Run a scenario; a failure is made as small as possible before it is told."""
    scenario = read_scenario(order.scenario)
    autoscaler = load_autoscaler(order.autoscaler)
    try:
        report = run_scenario(scenario, order.seed, autoscaler, order.speed)
    except UserError as error:
        # What only turns out on the way is a mistake in the file all the same.
        where = error.where or str(order.scenario)
        raise UserError(error.message, code=error.code, where=where, advice=error.advice) from None
    if report.is_fine:
        return _outcome(report, report, order)
    return _outcome(report, shrink(report, autoscaler), order)


def load_autoscaler(entry: str) -> Autoscaler | None:
    """Find an autoscaler by its entry point, unless nobody is to run."""
    if entry == NOBODY:
        return None
    module, _, name = entry.partition(":")
    try:
        found: Autoscaler | None = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise UserError(f"--autoscaler {entry}: {error}", code=_CODE) from None
    if not callable(found):
        raise UserError(
            f"--autoscaler {entry}: {module} has no function {name!r}",
            code=_CODE,
            advice="write it as module:function",
        )
    return found


def _outcome(report: Report, smallest: Report, order: Order) -> Outcome:
    result = report.result
    return Outcome(
        scenario=report.scenario.name,
        seed=result.seed,
        ended_at=print_instant(result.ended_ms),
        steps=result.step_count,
        processes=result.life_count,
        digest=result.digest,
        counts=report.counts,
        violations=tuple(
            Broken(one.checker, print_instant(one.instant_ms), one.sentence)
            for one in result.violations
        ),
        needed_faults=tuple(one.kind for one in smallest.scenario.faults)
        if result.violations
        else (),
        story=smallest.story,
        replay=order.command() if result.violations else "",
    )
