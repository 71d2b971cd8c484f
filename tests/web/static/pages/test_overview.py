"""Overview: numbers, charts, what goes on and what comes next."""

import re

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_simulation_is_followed_as_it_goes_on(tabs, simulation):
    tab = await tabs(simulation)
    page = tab.page
    figures = page.get_by_label("The cluster in numbers")
    await expect(figures).to_contain_text(re.compile(r"Cost~?\$[\d.,]+ /h"))
    await expect(page.locator(".chart canvas")).to_have_count(2)
    await expect(page.get_by_label("Decisions", exact=True)).to_contain_text("Launch")

    said = await page.locator("#live-text").text_content()
    assert said.startswith("simulated")
    await expect(page.locator("#live-text")).not_to_have_text(said)


async def test_what_is_not_measured_is_a_question_mark(tabs, snapshot):
    tab = await tabs(snapshot)
    figures = tab.page.get_by_label("The cluster in numbers")

    await expect(figures).to_contain_text("used ?")
    await expect(figures).to_contain_text("2 nodes without a price")


async def test_a_sentence_leads_to_its_page(tabs, snapshot):
    tab = await tabs(snapshot)
    await tab.page.get_by_label("Now", exact=True).get_by_role("link").first.click()
    await expect(tab.page.locator("main h1")).not_to_have_text("Overview")
