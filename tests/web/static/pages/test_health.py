"""Health: findings, what is sold out, versions."""

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_snapshot_says_that_nobody_examined_it_and_what_is_sold_out(tabs, snapshot):
    tab = await tabs(snapshot, "health")
    page = tab.page
    await expect(page.get_by_label("Findings")).to_contain_text("nodewright doctor")
    await expect(page.get_by_label("Versions")).to_contain_text("nodewright")

    table = page.get_by_role("table", name="Types that are sold out")
    rows = int(await table.get_attribute("aria-rowcount"))
    shown = await table.get_by_role("rowheader").count()
    assert 0 < shown < rows
