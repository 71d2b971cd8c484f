"""The frame around every page."""

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAGES = {
    "o": "Overview",
    "n": "Nodes",
    "e": "Pending",
    "d": "Decisions",
    "p": "Pools",
    "m": "Money",
    "w": "What-if",
    "h": "Health",
}


async def test_keys_go_to_every_page_and_its_title_follows(tabs, snapshot):
    tab = await tabs(snapshot)
    for key, title in PAGES.items():
        await tab.page.keyboard.press("g")
        await tab.page.keyboard.press(key)
        await expect(tab.page).to_have_title(f"{title} · Nodewright")
        await expect(tab.page.locator("main h1")).to_have_text(title)
        current = tab.page.locator("nav [aria-current=page]")
        await expect(current).to_contain_text(title)


async def test_the_keys_are_listed_and_the_skip_link_leads_to_the_page(tabs, snapshot):
    tab = await tabs(snapshot)
    await tab.page.keyboard.press("Tab")
    await tab.page.keyboard.press("Enter")
    await expect(tab.page.locator("main")).to_be_focused()

    await tab.page.keyboard.press("?")
    dialog = tab.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("filter this page")
    await tab.page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()


async def test_the_theme_is_remembered(tabs, snapshot):
    tab = await tabs(snapshot, color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = await tab.page.evaluate(ground)
    for _ in range(2):
        await tab.page.keyboard.press("t")
    dark = await tab.page.evaluate(ground)
    assert dark != light

    await tab.page.reload()
    await expect(tab.page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert await tab.page.evaluate(ground) == dark


async def test_a_snapshot_says_what_it_is_and_pause_says_so_too(tabs, snapshot):
    tab = await tabs(snapshot)
    await expect(tab.page.locator("#live-text")).to_contain_text("snapshot of")
    await tab.page.get_by_role("button", name="Pause").click()
    await expect(tab.page.locator("#live-text")).to_contain_text("paused")


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_every_page_can_be_used_without_eyes_or_mouse(tabs, snapshot, theme):
    tab = await tabs(snapshot, color_scheme=theme)
    found = {}
    for title in PAGES.values():
        await tab.page.locator("nav").get_by_text(title).click()
        await expect(tab.page.locator("main h1")).to_have_text(title)
        await tab.settle()
        result = await Axe().run(tab.page)
        found[title] = [one["id"] for one in result.response["violations"]]

    assert found == {title: [] for title in PAGES.values()}


async def test_no_page_is_wider_than_the_smallest_screen(tabs, snapshot):
    tab = await tabs(snapshot, viewport={"width": 360, "height": 800})
    wide = {}
    for title in PAGES.values():
        await tab.page.locator("nav").get_by_text(title).click()
        await expect(tab.page.locator("main h1")).to_have_text(title)
        await tab.settle()
        over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        wide[title] = await tab.page.evaluate(over)

    assert wide == dict.fromkeys(PAGES.values(), 0)
