"""Pending: one card a cause, with the funnel."""

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_cause_has_its_code_its_funnel_and_its_help(tabs, snapshot):
    tab = await tabs(snapshot, "pending")
    card = tab.page.get_by_role("article")
    await expect(card).to_have_count(1)
    await expect(card).to_contain_text("NW-1203")
    await expect(card).to_contain_text("data/report-1")

    funnel = card.get_by_label("Instance types of general left after each rule")
    await expect(funnel.locator("li").last).to_contain_text("✕ team")
    await expect(card).to_contain_text("let the pod tolerate taint batch=only:NoSchedule")

    await tab.page.get_by_role("searchbox").fill("transcode")
    await expect(card).to_have_count(0)
    await expect(tab.page.get_by_label("Pods that get a place")).to_contain_text("transcode-1")
