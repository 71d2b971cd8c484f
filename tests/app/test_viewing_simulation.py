"""A simulation is watched while it runs: it can be held, hurried, and left."""

import asyncio

from nodewright.app.demo import SHOP
from nodewright.app.viewing_simulation import Act, SimulationSource
from nodewright.sim.scenario import parse_scenario

FAST = 2_000.0


def source(**act):
    return SimulationSource(Act(parse_scenario(SHOP, "demo"), **act))


async def test_it_shows_nodes_decisions_and_savings_and_ends():
    shop = source(speed=FAST)
    await asyncio.wait_for(shop.run(), 120)
    await asyncio.sleep(0)
    view = shop.desk.view

    assert view.problems == ("the scenario is over",)
    assert view.head.nodes > 0
    assert view.money.saved_today_nanousd > 0
    assert any(row.verb == "Launch" for row in view.decisions)
    assert all(row.next.code for row in view.nodes)
    assert shop.pods_of(view.nodes[0].name)


async def test_time_stands_still_while_it_is_held_and_it_can_be_left_then():
    shop = source(speed=4.0, stays=True)
    running = asyncio.create_task(shop.run())
    seen = 0
    while shop.desk.view.now_ms == 0:
        seen = await asyncio.wait_for(shop.desk.wait(seen), 60)
    assert shop.set_pace(0.0)
    running.cancel()
    await asyncio.wait_for(asyncio.gather(running, return_exceptions=True), 60)

    assert shop.world() is not None
