"""Nodes: the map, the table, and one node."""

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

NODE = "ip-10-0-3-77.eu-west-1.compute.internal"


async def test_the_map_is_walked_by_keys_and_opens_a_node(tabs, snapshot):
    tab = await tabs(snapshot, "nodes")
    page = tab.page
    board = page.get_by_role("application")
    await expect(board).to_have_attribute("aria-label", "Map of 3 nodes by pool. "
        "Arrow keys move, Enter opens. The same is in the table.")  # fmt: skip
    await board.focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.locator("#spoken")).to_contain_text("requested")
    await page.keyboard.press("Enter")

    panel = page.get_by_label("Node", exact=True)
    await expect(panel).to_contain_text("Why it")
    await expect(panel).to_contain_text("requested")
    await page.keyboard.press("Escape")
    await expect(panel).to_be_hidden()


async def test_the_table_shows_the_same_nodes_sorted_and_filtered(tabs, snapshot):
    tab = await tabs(snapshot, "nodes")
    page = tab.page
    await page.get_by_role("radio", name="Table").check()
    table = page.get_by_role("table", name="Nodes")
    await expect(table.get_by_role("rowheader")).to_have_count(3)

    await table.get_by_role("button", name="Node").click()
    head = table.get_by_role("columnheader", name="Node")
    await expect(head).to_have_attribute("aria-sort", "ascending")
    await expect(table.get_by_role("rowheader").last).to_have_text(NODE)

    await page.keyboard.press("/")
    await page.keyboard.type("general")
    await expect(table.get_by_role("rowheader")).to_have_text([NODE])
    await table.get_by_role("link", name=NODE).click()
    await expect(page.get_by_label("Node", exact=True)).to_contain_text("m7i.xlarge")


async def test_a_node_that_is_not_there_is_one_sentence(tabs, snapshot):
    tab = await tabs(snapshot, "nodes/nobody")
    panel = tab.page.get_by_label("Node", exact=True)

    await expect(panel).to_contain_text("there is no node nobody")
    await expect(panel).to_contain_text("NW-9606")
    assert len(tab.faults) == 1
    assert "404" in tab.faults.pop()
