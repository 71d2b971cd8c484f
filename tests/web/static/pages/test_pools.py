"""Pools: limits, budgets and drift."""

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_pool_has_limits_a_week_of_budgets_and_its_drift(tabs, snapshot):
    tab = await tabs(snapshot, "pools")
    pool = tab.page.get_by_label("Pool general")
    await expect(pool.get_by_label("Limits")).to_contain_text("396 left")
    week = pool.get_by_label("Budgets of general")
    await expect(week.locator(".lane")).to_have_count(8)

    await pool.get_by_text("Drift: 1 node not as wanted").click()
    table = pool.get_by_label("Drift of general").get_by_role("table")
    await expect(table).to_contain_text("ip-10-0-3-77")


async def test_the_filter_comes_from_a_link_to_one_pool(tabs, snapshot):
    tab = await tabs(snapshot, "pools/batch")

    await expect(tab.page.get_by_role("article")).to_have_count(1)
    await expect(tab.page.get_by_role("article")).to_contain_text("no node is there that could go")
