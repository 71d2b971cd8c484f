"""A fleet that never changes: so many machines of one type, launched at the start and kept.

Where nobody says how many, there are as many as the busiest moment of the workload needs: its pods are planned
for all at once, on machines of that type only. A machine that is taken back or cannot be had is asked for again.
"""

from typing import Final

from nodewright.forecast.policies.fleet import Fleet
from nodewright.forecast.policies.node_groups import Group
from nodewright.sim.process import Ports

_LOOK_MS: Final = 30_000


async def keep(ports: Ports, groups: tuple[Group, ...]) -> None:
    """Keep every group at its size until the process ends."""
    while ports.mirror.waiting_for():
        await ports.clock.sleep_ms(100)
    fleet = Fleet(ports)
    while True:
        fleet.forget_lost()
        for group in groups:
            for _ in range(group.min - fleet.count(group)):
                if not await fleet.launch(group):
                    break
        await ports.clock.sleep_ms(_LOOK_MS)
