"""How long `top` takes on 5,000 nodes: a first look, a later one, and a redraw of the whole screen.

A redraw filters and sorts all rows, lays the screen out and draws it; what is promised is 100 ms of it.
Times are of the processor, the best of several, so that a busy machine says the same.
"""

import asyncio
import json
import time
from collections.abc import Callable

from fragmented import fragmented
from msgspec.structs import replace
from rich.text import Text

from nodewright.app.viewing import Studio
from nodewright.state.snapshot import read_snapshot
from nodewright.tui.app import TopApp
from nodewright.view.values import Origin
from nodewright.view.viewer import Known, Viewer

NODES = 5_000
TRIES = 7


class _Still(Studio):
    async def run(self) -> None:
        """Show nothing more."""


def best(act: Callable[[], object], tries: int = TRIES) -> float:
    """Give the least milliseconds of the processor that something took."""
    times = []
    for _ in range(tries):
        start = time.process_time()
        act()
        times.append(time.process_time() - start)
    return min(times) * 1000


async def redraw(known: Known) -> dict[str, float]:
    """Measure what a new view and a key cost on a screen of 200 columns and 60 lines."""
    source = _Still(known.origin, known.world.now_ms)
    source.known = known
    source.desk.lay(source.viewer.view(known))
    app = TopApp(source, lambda _, target: Text(target))
    found: dict[str, float] = {}
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()

        def draw() -> None:
            app._take()  # noqa: SLF001 - what is measured
            app.screen._compositor.render_strips()  # noqa: SLF001

        found["redraw"] = best(draw)
        app.page = replace(app.page, filter="spot keep")
        found["redraw, filtered"] = best(draw)
    return found


def main() -> None:
    """Measure, and print."""
    document = fragmented(NODES, spot=0.6, guarded=0.2, kept=0.25)
    world = read_snapshot(json.dumps(document).encode(), "fragmented").world
    known = Known(world, Origin("snapshot"))
    viewer = Viewer()
    print(f"{len(world.nodes)} nodes, {len(world.pods)} pods; milliseconds of the processor")
    print(f"{'first look':<20}{best(lambda: Viewer().look(known), 3):8.0f}")
    viewer.look(known)
    print(f"{'later look':<20}{best(lambda: viewer.look(known)):8.0f}")
    print(f"{'judging':<20}{best(lambda: viewer.judge(known), 3):8.0f}")
    for name, found in asyncio.run(redraw(known)).items():
        print(f"{name:<20}{found:8.0f}")


if __name__ == "__main__":
    main()
