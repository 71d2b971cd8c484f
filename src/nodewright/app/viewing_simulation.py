"""A simulation as a source: a scenario in virtual time with the real controllers, at any pace.

It runs in a thread of its own, because its event loop is its own too. Views are made there between two
steps, when nothing moves, and handed over to whoever looks.
"""

import asyncio
import threading
from typing import Final

import msgspec
from msgspec.structs import replace

from nodewright.app.run import run_controllers
from nodewright.app.viewing import Studio
from nodewright.kube.machine import this_machine
from nodewright.ports.witness import Witness
from nodewright.sim.furnish import Furnisher
from nodewright.sim.process import Ports
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import Scenario, read_ms
from nodewright.sim.simulation import Simulation
from nodewright.state.live import find_pools, take_snapshot
from nodewright.state.mirror import Mirror
from nodewright.view.notebook import Notebook
from nodewright.view.values import Next, Origin, View
from nodewright.view.viewer import Known

FRAME_MS: Final = 250
"""How long a step takes for whoever looks."""

JUDGE_MS: Final = 2_000
SPEED_DEFAULT: Final = 16.0
_DAY_MS: Final = 86_400_000


class Act(msgspec.Struct, frozen=True):
    """What is played: a scenario, whose chance, and how fast; without a speed only the end is shown."""

    scenario: Scenario
    seed: int = 0
    speed: float = SPEED_DEFAULT
    stays: bool = False


class SimulationSource(Studio):
    """Plays a scenario and shows it; it ends by itself unless it is to stay."""

    def __init__(self, act: Act, *witnesses: Witness) -> None:
        super().__init__(Origin("simulation", f"{act.scenario.name}, seed {act.seed}"), 0)
        self._act = act
        self._speed = act.speed
        self._go = threading.Event()
        self._go.set()
        self._is_over = False
        self._mirror: Mirror | None = None
        self._notebook = Notebook()
        self._witnesses = (self._notebook, *witnesses)
        self._clock = this_machine().clock

    def set_pace(self, speed: float) -> bool:
        """Let time pass so much faster; 0 holds it."""
        if speed > 0:
            self._speed = speed
            self._go.set()
        else:
            self._go.clear()
        return True

    async def run(self) -> None:
        """Play until the end."""
        loop = asyncio.get_running_loop()
        self.say("furnishing the cluster")
        try:
            await asyncio.to_thread(self._play, loop)
        finally:
            self._is_over = True
            self._go.set()

    def _play(self, loop: asyncio.AbstractEventLoop) -> None:
        act = self._act
        sim = Simulation(settings_of(act.scenario, act.seed), self._autoscale)
        Furnisher(sim, act.scenario).furnish()
        region = act.scenario.catalog.region
        source = replace(self.origin, region=region, price_source="price list of the scenario")
        end_ms = sim.loop.now_ms() + read_ms(act.scenario.duration)
        nexts: dict[str, Next] = {}
        judged_ticks_ms = -JUDGE_MS
        if act.speed <= 0:
            sim.run_for(end_ms - sim.loop.now_ms())
        while not self._is_over and _goes_on(sim, act, end_ms):
            began_ms = self._clock.ticks_ms()
            if not sim.run_for(max(1, int(self._speed * FRAME_MS))):
                break
            known = self._know(sim, source)
            if known is not None:
                if began_ms - judged_ticks_ms >= JUDGE_MS:
                    nexts, judged_ticks_ms = dict(self.viewer.judge(known)), began_ms
                self._hand_over(loop, replace(known, nexts=nexts))
            self._rest(began_ms)
        known = self._know(sim, source)
        if known is not None:
            problems = tuple(f"broken: {one.sentence}" for one in sim.violations)
            ended = problems or ("the scenario is over",)
            known = replace(known, nexts=self.viewer.judge(known), problems=ended)
            self._hand_over(loop, known)
        sim.close()

    def _rest(self, began_ms: int) -> None:
        """Wait until a frame is over, and for as long as time is held."""
        left_ms = FRAME_MS - (self._clock.ticks_ms() - began_ms)
        if left_ms > 0:
            threading.Event().wait(left_ms / 1000)
        while not self._go.wait(FRAME_MS / 1000):
            if self._is_over:
                return

    async def _autoscale(self, ports: Ports) -> None:
        self._mirror = ports.mirror
        await run_controllers(ports._replace(witnesses=self._witnesses), is_strict=True)

    def _know(self, sim: Simulation, origin: Origin) -> Known | None:
        mirror = self._mirror
        if mirror is None or mirror.waiting_for():
            return None
        types = {pool.metadata.name: sim.settings.types for pool in find_pools(mirror)}
        now_ms = sim.loop.now_ms()
        return Known(
            world=take_snapshot(mirror, now_ms, types),
            origin=origin,
            told=self._notebook.page(),
            today_ms=now_ms // _DAY_MS * _DAY_MS,
        )

    def _hand_over(self, loop: asyncio.AbstractEventLoop, known: Known) -> None:
        view = self.viewer.look(known)

        def lay(made: View) -> None:
            self.known = known
            self.desk.lay(made)

        # Whoever looks may have left meanwhile; then nobody is there to show it to.
        if not loop.is_closed():
            loop.call_soon_threadsafe(lay, view)


def _goes_on(sim: Simulation, act: Act, end_ms: int) -> bool:
    return not sim.violations and (act.stays or sim.loop.now_ms() < end_ms)
