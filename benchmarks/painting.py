"""How soon a browser shows a large cluster: 5,000 nodes, 50,000 pods, in a real Chromium.

    python benchmarks/painting.py [NODES] [LOADS]

Each load is a new browser context with nothing cached. Two moments are taken, from the start of the navigation by
the page's own clock: the first contentful paint, and the moment at which the cluster is on the screen, which is the
later and the one that is promised. The middle of all loads counts.
"""

import asyncio
import shutil
import statistics
import sys

from dashboard import NOW_MS, make_world
from playwright.async_api import Browser, async_playwright

from nodewright.app.viewing import Studio
from nodewright.kube.machine import this_machine
from nodewright.view.values import Origin
from nodewright.view.viewer import Known
from nodewright.web.answers.health import Health
from nodewright.web.clerk import Given
from nodewright.web.gate import Rules
from nodewright.web.opening import open_dashboard
from nodewright.web.server import serve

LIMIT_MS = 1500
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()"
FILLED = "() => document.querySelector('{part}') && performance.now()"
PAGES = {"": ".figure .value", "nodes": "main:not([aria-busy]) canvas", "money": "tbody tr"}


async def load(browser: Browser, address: str, part: str) -> tuple[float, float]:
    """Load a page anew; give the first paint and when it was filled, in milliseconds."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    page = await context.new_page()
    await page.goto(address, wait_until="commit")
    filled = await page.wait_for_function(FILLED.format(part=part), polling=10, timeout=120_000)
    taken = await page.evaluate(PAINT), await filled.json_value()
    await context.close()
    return taken


async def measure(count: int, loads: int) -> bool:
    """Measure, print, and tell whether the promise was kept."""
    studio = Studio(Origin("live", "benchmark", "us-east-1"), NOW_MS)
    await studio.look(Known(make_world(count), studio.origin))

    async def nothing(*_: object) -> bytes:
        return b""

    async def no_health(*_: object) -> Health:
        raise NotImplementedError

    given = Given(studio, nothing, no_health, nothing)  # type: ignore[arg-type]
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        sys.exit(f"Chromium is needed: install one of {', '.join(CHROMIUM)}")
    kept = True
    async with (
        open_dashboard(given, this_machine().clock) as shown,
        serve(shown.app(Rules()), 0) as port,
        async_playwright() as playwright,
    ):
        browser = await playwright.chromium.launch(executable_path=program)
        for path, part in PAGES.items():
            address = f"http://127.0.0.1:{port}/#/{path}"
            taken = [await load(browser, address, part) for _ in range(loads)]
            paint, filled = (statistics.median(column) for column in zip(*taken, strict=True))
            print(f"{path or 'overview'} with {count} nodes: first paint {paint:.0f} ms, "
                  f"shown after {filled:.0f} ms, limit {LIMIT_MS}")  # fmt: skip
            kept = kept and filled <= LIMIT_MS
        await browser.close()
    return kept


if __name__ == "__main__":
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    sys.exit(0 if asyncio.run(measure(nodes, times)) else 1)
