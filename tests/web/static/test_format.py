"""Values as people read them."""

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")

READ = """async ([name, ...given]) => (await import("/format.js"))[name](...given)"""


CASES = [
    ("?", ["money", None]),
    ("$0", ["money", 0]),
    ("~$0.113", ["money", 0.113, {"estimated": True}]),
    ("\N{MINUS SIGN}$1,653", ["money", -1653.4]),
    ("?", ["perHour", None]),
    ("$9.84/h", ["perHour", 9.84]),
    ("?", ["count", None]),
    ("1 pod", ["counted", 1, "pod"]),
    ("5,000 pods", ["counted", 5000, "pod"]),
    ("3d 4h", ["span", 3 * 86_400 + 4 * 3_600 + 59]),
    ("0s", ["span", 0]),
    ("?", ["age", None, "2026-11-15T09:00:00Z"]),
    ("14.75", ["quantity", "14750m"]),
    ("30.6Gi", ["quantity", "30.6Gi"]),
]


async def test_numbers_carry_units_and_unknown_is_never_zero(tabs, snapshot):
    tab = await tabs(snapshot)
    said = [await tab.page.evaluate(READ, given) for _, given in CASES]

    assert said == [expected for expected, _ in CASES]
