"""The door of an exposed dashboard."""

import os

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def guarded(serving, example):
    with serving(os.fspath(example), "--token", "a-secret-of-ours") as address:
        yield address


async def test_a_token_is_asked_for_kept_in_the_tab_and_sent(tabs, guarded):
    tab = await tabs(guarded, "nodes", until_filled=False)
    page = tab.page
    await page.get_by_label("Token").fill("wrong")
    await page.get_by_role("button", name="Open").click()
    await expect(page.get_by_label("Token")).to_have_value("")
    await page.get_by_label("Token").fill("a-secret-of-ours")
    await page.get_by_role("button", name="Open").click()
    await expect(page.locator("main h1")).to_have_text("Nodes")

    await page.reload()
    await expect(page.locator("main h1")).to_have_text("Nodes")
    await expect(page.locator("#live-text")).to_contain_text("snapshot of")
    assert all("401" in fault for fault in tab.faults)
    tab.faults.clear()
