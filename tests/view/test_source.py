"""A desk holds the latest view, and wakes everybody who waits for another one."""

import asyncio

from nodewright.view.source import Desk
from nodewright.view.values import Origin, View

FIRST, SECOND, THIRD = (View(now_ms, Origin("snapshot")) for now_ms in range(3))


async def test_everybody_who_waits_is_woken_by_the_next_view():
    desk = Desk(FIRST)
    waiting = [asyncio.create_task(desk.wait(0)) for _ in range(3)]
    await asyncio.sleep(0)
    desk.lay(SECOND)

    assert await asyncio.gather(*waiting) == [1, 1, 1]
    assert desk.view is SECOND


async def test_whoever_comes_late_skips_what_is_old():
    desk = Desk(FIRST)
    desk.lay(SECOND)
    desk.lay(THIRD)

    assert await desk.wait(0) == 2
    assert desk.view is THIRD


async def test_whoever_gives_up_leaves_nothing_behind():
    desk = Desk(FIRST)
    waiting = asyncio.create_task(desk.wait(0))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    assert desk._waiting == set()
    desk.lay(SECOND)
