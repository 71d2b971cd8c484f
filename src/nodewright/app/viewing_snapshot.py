"""A snapshot as a source: one instant, looked at at once and judged in the background."""

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from nodewright.app.consolidating import consolidate_world
from nodewright.app.viewing import Studio, date_prices
from nodewright.core.scheduling.solve import solve
from nodewright.model.plan import Plan
from nodewright.model.world import World
from nodewright.state.snapshot import Snapshot
from nodewright.view.values import Origin
from nodewright.view.viewer import Known


class SnapshotSource(Studio):
    """Shows a snapshot; nothing of it changes but what is known about its nodes and waiting pods."""

    def __init__(self, load: Callable[[], Snapshot], name: str) -> None:
        super().__init__(Origin("snapshot", name), 0)
        self._load = load

    async def run(self) -> None:
        """Read the snapshot, show it, then say what becomes of its nodes and pods."""
        self.say("reading the snapshot")
        taken = await asyncio.to_thread(self._load)
        known = Known(taken.world, self._describe(taken), is_complete=False)
        known = replace(known, problems=(*taken.warnings, "judging every node"))
        await self.look(known)
        decided = await asyncio.to_thread(consolidate_world, taken.world)
        plan = await asyncio.to_thread(_plan, taken.world)
        known = replace(known, decided=decided.decided, plan=plan, problems=taken.warnings)
        known = await self.judge(replace(known, is_complete=True))
        await self.look(known)

    def _describe(self, taken: Snapshot) -> Origin:
        region = taken.metadata.region
        source, at_ms = "prices of the snapshot", taken.world.now_ms
        if not taken.world.instance_types:
            source, at_ms = date_prices(region)[0], date_prices(region)[1] or at_ms
        name = taken.metadata.name or self.origin.name
        return Origin("snapshot", name, region, price_source=source, priced_at_ms=at_ms)


def _plan(world: World) -> Plan | None:
    """Plan for the pods that wait, where there are any."""
    waits = any(not pod.spec.node_name for pod in world.pods)
    return solve(world) if waits else None
