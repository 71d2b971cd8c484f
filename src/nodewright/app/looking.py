"""What is to be looked at, by the words of a command line: a snapshot, a simulation, else the live cluster.

Each brings half of the house with it (a client, a simulator), so only the one that is meant is imported.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from nodewright.app.journals import Source as JournalSource
from nodewright.app.live import Place
from nodewright.app.sources import open_snapshot
from nodewright.model.errors import UserError
from nodewright.ports.witness import Witness
from nodewright.view.source import Source
from nodewright.view.values import View

DEMO: Final = "demo"
"""The scenario that needs no file."""


class Wanted(msgspec.Struct, frozen=True):
    """What is to be looked at; a scenario without a speed is shown at its end."""

    snapshot: str = ""
    scenario: str = ""
    seed: int = 0
    speed: float = 0.0
    stays: bool = False
    place: Place = Place()
    journal: JournalSource = JournalSource()


def open_source(wanted: Wanted, environment: Mapping[str, str], *witnesses: Witness) -> Source:
    """Give the source that is meant; naming two is one sentence.

    Witnesses are told of what a simulation decides; elsewhere nothing is decided.
    """
    if wanted.snapshot and wanted.scenario:
        raise UserError(
            "only one of SNAPSHOT and --scenario can say what to look at", code="NW-9401"
        )
    if wanted.scenario:
        return _open_simulation(wanted, witnesses)
    if wanted.snapshot:
        return _open_snapshot(wanted.snapshot)
    from nodewright.app.viewing_live import LiveSource

    return LiveSource(wanted.place, wanted.journal, environment)


def _open_simulation(wanted: Wanted, witnesses: tuple[Witness, ...]) -> Source:
    """Read a scenario file, or take the demo's by its name."""
    from nodewright.app.viewing_simulation import Act, SimulationSource
    from nodewright.sim.scenario import parse_scenario, read_scenario

    if wanted.scenario == DEMO:
        from nodewright.app.demo import SHOP

        scenario = parse_scenario(SHOP, DEMO)
    else:
        scenario = read_scenario(Path(wanted.scenario))
    return SimulationSource(Act(scenario, wanted.seed, wanted.speed, wanted.stays), *witnesses)


def _open_snapshot(path: str) -> Source:
    from nodewright.app.viewing_snapshot import SnapshotSource

    if path == "-":
        return SnapshotSource(lambda: open_snapshot(path), "")
    if not Path(path).exists():
        # Said before any screen is there; whatever else is wrong with it is said when it is read.
        open_snapshot(path)
    return SnapshotSource(lambda: open_snapshot(path), Path(path).stem)


async def look_once(source: Source) -> View:
    """Wait until a source knows everything it will, and give that view."""
    running = asyncio.create_task(source.run())
    try:
        seen = source.desk.revision
        while not source.desk.view.is_complete:
            coming = asyncio.create_task(source.desk.wait(seen))
            await asyncio.wait({coming, running}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                coming.cancel()
                await running
                break
            seen = coming.result()
        return source.desk.view
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
