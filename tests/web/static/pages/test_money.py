"""Money: the bill by pool, namespace and workload."""

import pytest
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_bill_is_told_by_pool_namespace_and_workload(tabs, snapshot):
    tab = await tabs(snapshot, "money")
    page = tab.page
    bill = page.get_by_role("table", name="The bill")
    await expect(page.get_by_label("The bill in numbers")).to_contain_text(
        "usage is not measured here"
    )
    await expect(bill).to_contain_text("general")

    await page.get_by_role("radio", name="Namespaces").check()
    await expect(bill).to_contain_text("shop")
    await page.get_by_role("radio", name="Workloads").check()
    await page.get_by_role("searchbox").fill("nothing of the kind")
    await expect(bill.get_by_role("rowheader")).to_have_count(0)
