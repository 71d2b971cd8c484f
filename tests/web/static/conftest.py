"""The dashboard as people have it: the command serves it, Chromium shows it.

A tab remembers what the console said and where requests went; when it closes, nothing may have gone wrong and
nothing may have left this machine.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from tidy import tree

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
WIDE = {"width": 1280, "height": 800}
PATIENCE_MS = 90_000

expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def serve(*words: str) -> Iterator[str]:
    """Run `nodewright web` with these words, and give the address that it prints."""
    command = [sys.executable, "-m", "nodewright", "web", *words, "--port", "0", "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        said = []
        for line in process.stderr:
            said.append(line)
            if found := ADDRESS.search(line):
                break
        else:
            pytest.fail("nodewright web ended: " + "".join(said))
        try:
            yield found[0]
        finally:
            process.terminate()
            process.communicate()


@pytest.fixture(scope="session", name="serving")
def give_server():
    """Runs the command with words of one's own, for the length of a block."""
    return serve


@pytest.fixture(scope="session")
def example() -> Path:
    """The first example of a cluster."""
    return tree.SOURCE / "examples" / "first-cluster.json"


@pytest.fixture(scope="session")
def snapshot(serving, example) -> Iterator[str]:
    """The address of a dashboard on the first example."""
    with serving(os.fspath(example)) as address:
        yield address


@pytest.fixture(scope="session")
def simulation(serving) -> Iterator[str]:
    """The address of a dashboard on the demo's simulation."""
    with serving("--scenario", "demo", "--speed", "60", "--stay") as address:
        yield address


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """A real Chromium, found by its name."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        pytest.fail(f"the pages are tested in Chromium: install one of {', '.join(CHROMIUM)}")
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=program)
        yield launched
        await launched.close()


class Tab:
    """One open page, and what it complained about."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._hear)
        page.on("request", self._follow)

    def _hear(self, message) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    def _follow(self, request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.faults.append(f"asked {request.url}")

    async def go(self, path: str, *, until_filled=True) -> None:
        """Open a page of the dashboard and wait until it is filled."""
        await self.page.goto(f"{self.address}/#/{path}")
        if until_filled:
            await self.settle()

    async def settle(self) -> None:
        """Wait until the page shows what it asked for."""
        await self.page.locator("main:not([aria-busy]) h1").first.wait_for(state="attached")


@pytest_asyncio.fixture(loop_scope="session")
async def tabs(browser) -> AsyncIterator:
    """Give new tabs; each has its own settings, and none may have complained in the end."""
    opened = []

    async def open_tab(address: str, path: str = "", *, until_filled=True, **settings) -> Tab:
        context = await browser.new_context(viewport=settings.pop("viewport", WIDE), **settings)
        context.set_default_timeout(PATIENCE_MS)
        tab = Tab(await context.new_page(), address)
        opened.append((context, tab))
        await tab.go(path, until_filled=until_filled)
        return tab

    yield open_tab
    for context, _ in opened:
        await context.close()
    assert [fault for _, tab in opened for fault in tab.faults] == []
