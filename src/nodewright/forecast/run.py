"""One run: a workload, a setup, a policy and a seed; what it came to comes out.

The policy is a coroutine on the ports of a process, as the controllers are: it sees the cluster through
watches and the cloud through calls that take their time. Machines are launched by nobody else.
"""

from collections.abc import Callable
from typing import Final

from nodewright.forecast.measured import Measured
from nodewright.forecast.meter import Meter
from nodewright.forecast.player import Player
from nodewright.forecast.setup import Setup, Shortages, settings_of, types_on_sale
from nodewright.model.errors import UserError
from nodewright.ports.cloud import Cloud, Launched, LaunchFailed, LaunchFault, LaunchRequest
from nodewright.sim.process import Autoscaler, Ports
from nodewright.sim.simulation import Simulation
from nodewright.trace.entry import Trace

SLICE_MS: Final = 3_600_000
LENGTH_MAX_MS: Final = 366 * 24 * SLICE_MS
_TAIL_MS: Final = SLICE_MS
WARM_MS: Final = 30 * 60_000
"""How long before its start what a workload begins with is there, so that no empty cluster is measured."""

type Progress = Callable[[float], None]


def run_policy(
    policy: tuple[str, Autoscaler],
    setup: Setup,
    trace: Trace,
    seed: int,
    progress: Progress = lambda _: None,
) -> Measured:
    """Play a workload under a policy; the same arguments give the same answer, to the last digit."""
    name, autoscaler = policy
    counted = _Counted(autoscaler)
    sim = Simulation(settings_of(setup, types_on_sale(setup), seed), counted)
    length_ms = trace.length_ms
    meter = Meter(sim, length_ms or LENGTH_MAX_MS)
    player = Player(sim, trace, setup.zones, WARM_MS)
    for manifest in setup.objects:
        player.create(manifest)
    Shortages(sim, setup.cloud.sold_out_share)
    player.begin()
    sim.run_for(WARM_MS)
    meter.begin()
    counted.shortages = 0
    _let_pass(sim, player, length_ms, progress)
    meter.shortages = counted.shortages
    measured = meter.conclude(name, sim.ground.history.digest())
    crashes = sim.process.crashes if sim.process is not None else []
    sim.close()
    if crashes:
        raise crashes[0]
    return measured


def _let_pass(sim: Simulation, player: Player, length_ms: int | None, progress: Progress) -> None:
    """Let time pass until the end, or where nobody knows it until an hour after the last entry."""
    start_ms = sim.loop.now_ms()
    while True:
        passed_ms = sim.loop.now_ms() - start_ms
        end_ms = length_ms if length_ms is not None else player.last_ms + _TAIL_MS
        if passed_ms >= end_ms or (sim.process is not None and sim.process.crashes):
            return
        if passed_ms > LENGTH_MAX_MS:
            raise UserError("a workload of more than a year is not run", code="NW-9404")
        sim.run_for(min(SLICE_MS, end_ms - passed_ms))
        progress((sim.loop.now_ms() - start_ms) / max(1, end_ms))


class _Counted:
    """A policy whose launches are watched for what could not be had."""

    def __init__(self, autoscaler: Autoscaler) -> None:
        self._autoscaler = autoscaler
        self.shortages = 0

    async def __call__(self, ports: Ports) -> None:
        launch = ports.cloud.launch

        async def counted(request: LaunchRequest) -> Launched | LaunchFailed:
            answer = await launch(request)
            if isinstance(answer, LaunchFailed) and answer.fault is LaunchFault.NO_CAPACITY:
                self.shortages += 1
            return answer

        cloud: Cloud = ports.cloud
        cloud.launch = counted  # type: ignore[method-assign]
        await self._autoscaler(ports)
