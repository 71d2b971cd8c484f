"""What sources of views share: looking in a thread, and the facts around a cluster.

A look at a large cluster takes longer than a frame of a screen, so it is taken beside the event loop; one
at a time, since a viewer remembers.
"""

import asyncio
from datetime import UTC, datetime

from msgspec.structs import replace

from nodewright.catalog.table import bundled_table
from nodewright.model.instant import parse_instant
from nodewright.model.world import World
from nodewright.view.source import Desk
from nodewright.view.values import Origin, PodRow, View
from nodewright.view.viewer import Known, Viewer


class Studio:
    """Makes views of what is known, and lays them on a desk."""

    def __init__(self, origin: Origin, now_ms: int) -> None:
        self.origin = origin
        self.viewer = Viewer()
        self.known: Known | None = None
        self.desk = Desk(View(now_ms, origin, is_complete=False))

    def world(self) -> World | None:
        """Give what explanations are made on; nothing while it is not known."""
        return None if self.known is None else self.known.world

    def pods_of(self, node: str) -> tuple[PodRow, ...]:
        """Give the pods of a node."""
        return () if self.known is None else self.viewer.pods_of(self.known, node)

    def set_pace(self, speed: float) -> bool:
        """Tell that time passes here as it does."""
        del speed
        return False

    async def look(self, known: Known) -> None:
        """Look at what is known, and lay the view on the desk."""
        view = await asyncio.to_thread(self.viewer.look, known)
        self.known = known
        self.desk.lay(view)

    async def judge(self, known: Known) -> Known:
        """Give what is known together with what becomes of every node."""
        return replace(known, nexts=await asyncio.to_thread(self.viewer.judge, known))

    def say(self, *problems: str) -> None:
        """Lay the same view on the desk with what is to be said about it."""
        if self.desk.view.problems != problems:
            self.desk.lay(replace(self.desk.view, problems=problems))


def day_began_ms(now_ms: int) -> int:
    """Give when the day began in which an instant lies, in the zone of whoever looks."""
    moment = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone()
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return int(midnight.timestamp() * 1000)


def date_prices(region: str) -> tuple[str, int | None]:
    """Say where the built-in prices of a region are from, and from when the oldest of them is."""
    table = bundled_table()
    if region not in table.regions:
        return "built-in table", None
    sheet = table.sheet(region)
    used = {*sheet.price_sources, *((sheet.spot_source,) if sheet.spot_source is not None else ())}
    dates = sorted(table.sources[number].date for number in used)
    return "built-in table", parse_instant(dates[0]) if dates else None
