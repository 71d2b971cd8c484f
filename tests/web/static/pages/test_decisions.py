"""Decisions: the timeline, and one of them."""

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_decision_is_found_and_opened_from_its_cause_to_its_effects(tabs, simulation):
    tab = await tabs(simulation, "decisions")
    page = tab.page
    await page.get_by_role("radio", name="Up").check()
    line = page.locator("a.decision").first
    await expect(line).to_contain_text("Launch")
    name = await line.locator(".id").text_content()
    await line.click()

    await expect(page.locator("main .head")).to_contain_text(name)
    for step in ("Cause", "Alternatives", "Price", "Effects"):
        await expect(page.get_by_label(step, exact=True)).to_be_visible()
    await expect(page.get_by_label("Cause", exact=True)).to_contain_text("cheapest")
    await expect(page.get_by_label("Before and after")).to_contain_text("comes")
    await expect(page.get_by_label("Alternatives", exact=True)).to_contain_text("chosen")
    await page.keyboard.press("Escape")
    await expect(page.locator("main h1")).to_have_text("Decisions")
