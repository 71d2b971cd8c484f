"""One run: a cluster, a cloud, trouble, an autoscaler, and the checkers that watch them.

It ends at its time, or at once when a promise is broken, so that the history ends where it matters.
"""

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from nodewright.model.instance import InstanceType
from nodewright.sim.checkers.budgets import NodeBudgets
from nodewright.sim.checkers.checker import Checker, Scene, Violation
from nodewright.sim.checkers.costs import CostTotal
from nodewright.sim.checkers.endings import ClaimsEnd, Settled
from nodewright.sim.checkers.interruptions import HeededWarnings
from nodewright.sim.checkers.machines import DrainedFirst, Limits, OneLaunch, OwnedMachines
from nodewright.sim.checkers.pods import FairEvictions, Verdicts
from nodewright.sim.checkers.replicas import LastReplicas
from nodewright.sim.cloud.ec2 import Ec2, Ec2Settings
from nodewright.sim.cloud.market import Market, MarketSettings
from nodewright.sim.cluster import Cluster
from nodewright.sim.faults import Fault, Faults
from nodewright.sim.ground import START_MS, Ground
from nodewright.sim.kubelet import Pace
from nodewright.sim.machines import Machines
from nodewright.sim.process import Autoscaler, Process
from nodewright.sim.requests import Requests

LOOK_MS: Final = 60_000
_COLLECT_EVERY: Final = 2_000_000
CHECKERS: Final[tuple[type[Checker], ...]] = (
    OwnedMachines, OneLaunch, Limits, DrainedFirst, FairEvictions, Verdicts, ClaimsEnd, Settled,
    NodeBudgets, LastReplicas, HeededWarnings, CostTotal,
)  # fmt: skip


class Settings(msgspec.Struct, frozen=True):
    """What a run is made of."""

    seed: int = 0
    start_ms: int = START_MS
    speed: float = 0.0
    types: tuple[InstanceType, ...] = ()
    zones: tuple[str, ...] = ("zone-a", "zone-b", "zone-c")
    market: MarketSettings = MarketSettings()
    ec2: Ec2Settings = Ec2Settings()
    pace: Pace = Pace()
    faults: tuple[Fault, ...] = ()
    checkers: tuple[type[Checker], ...] = CHECKERS
    history_lines_max: int = 200_000


class Result(msgspec.Struct, frozen=True):
    """What came of a run."""

    seed: int
    ended_ms: int
    digest: str
    step_count: int
    life_count: int
    violations: tuple[Violation, ...] = ()


class Simulation:
    """A world in virtual time."""

    def __init__(self, settings: Settings, autoscaler: Autoscaler | None = None) -> None:
        self.settings = settings
        self.ground = Ground(
            settings.seed, settings.start_ms, settings.speed, settings.history_lines_max
        )
        self.loop = self.ground.loop
        self.api = self.ground.api
        self.faults = Faults(self.ground, settings.faults)
        self.market = Market(settings.types, settings.market, self.ground.chance, settings.start_ms)
        self.ec2 = Ec2(self.ground, self.market, self.faults, settings.ec2)
        self.cluster = Cluster(self.ground, settings.pace, settings.zones, self.ec2.is_gone)
        self.machines = Machines(self.cluster, self.ec2, self.faults)
        self.requests = Requests(self.api, self.cluster.evictions)
        self.violations: list[Violation] = []
        self.process: Process | None = None
        self._halt: asyncio.Future[None] | None = None
        if autoscaler is not None:
            self.process = Process(self.ground, self.requests, self.ec2, self.faults, autoscaler)
            self.loop.call_soon(self.process.begin)
        scene = Scene(self.ground, self.cluster, self.ec2, self._complain)
        self._checkers = [kind(scene) for kind in settings.checkers] if autoscaler else []
        self.loop.after_ms(LOOK_MS, self._look)

    def run_for(self, duration_ms: int) -> bool:
        """Let time pass; tell whether every promise still holds."""
        if not self.violations:
            self._halt = self.loop.create_future()
            timer = self.loop.after_ms(duration_ms, self._end_wait)
            with _seldom_collecting():
                self.loop.run_until_complete(self._halt)
            timer.cancel()
        return not self.violations

    def run_until(self, holds: Callable[[], bool], limit_ms: int, step_ms: int = 1_000) -> bool:
        """Let time pass until something holds, or a limit is reached; tell whether it does."""
        end_ms = self.loop.now_ms() + limit_ms
        while not holds() and self.loop.now_ms() < end_ms and not self.violations:
            self.run_for(step_ms)
        return holds()

    def conclude(self) -> Result:
        """End the run: the checkers look at how it ended, and everything is stopped."""
        if not self.violations:
            for checker in self._checkers:
                checker.conclude()
        if self.process is not None:
            for crash in self.process.crashes:
                self._complain("no-crash", f"the controller crashed: {crash!r}", ())
        return self.close()

    def close(self) -> Result:
        """Stop everything and give what is known."""
        life_count = 0
        if self.process is not None:
            life_count = self.process.life_count
            self.process.stop()
            self.loop.run_until_complete(self.loop.sleep_ms(1))
        result = Result(
            seed=self.settings.seed,
            ended_ms=self.loop.now_ms(),
            digest=self.ground.history.digest(),
            step_count=self.ground.history.count,
            life_count=life_count,
            violations=tuple(self.violations),
        )
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()
        return result

    def _look(self) -> None:
        for checker in self._checkers:
            checker.look()
        if self.process is not None and self.process.crashes:
            crash = self.process.crashes[0]
            self._complain("no-crash", f"the controller crashed: {crash!r}", ())
        self.loop.after_ms(LOOK_MS, self._look)

    def _complain(self, checker: str, sentence: str, subjects: tuple[str, ...]) -> None:
        violation = Violation(checker, self.loop.now_ms(), sentence, subjects)
        self.violations.append(violation)
        self.ground.note("checker", "VIOLATION", checker, sentence)
        self._end_wait()

    def _end_wait(self) -> None:
        if self._halt is not None and not self._halt.done():
            self._halt.set_result(None)


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Look for garbage seldom: a world is large, lives long, and leaves little behind."""
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT_EVERY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
