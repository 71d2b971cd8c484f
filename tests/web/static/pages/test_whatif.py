"""What-if: an edited NodePool, and what it would do."""

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_change_is_computed_and_two_runs_stand_side_by_side(tabs, snapshot):
    tab = await tabs(snapshot, "what-if")
    page = tab.page
    editor = page.get_by_label("Manifest in YAML")
    text = await editor.input_value()
    assert "kind: NodePool" in text
    await page.get_by_label("Forecast").select_option("0")
    await editor.fill(text.replace("weight: 10", "weight: 33"))
    await page.get_by_role("button", name="Run").click()

    await expect(page.get_by_label("Run 1: NodePool/general")).to_contain_text("spec.weight")
    await expect(page.get_by_label("Side by side")).to_contain_text("waiting pods placed")


async def test_what_cannot_be_read_is_one_sentence(tabs, snapshot):
    tab = await tabs(snapshot, "what-if")
    await tab.page.get_by_label("Manifest in YAML").fill("kind: [")
    await tab.page.get_by_role("button", name="Run").click()

    await expect(tab.page.get_by_role("alert")).to_contain_text("NW-")
    assert len(tab.faults) == 1
    assert "400" in tab.faults.pop()
