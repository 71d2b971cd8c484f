"""The node map's boxes."""

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")

LAY_OUT = """async (weights) => {
  const { layOut } = await import("/parts/treemap.js");
  return layOut(weights, { x: 0, y: 0, w: 400, h: 300 }, (weight) => weight).map(({ x, y, w, h }) => [x, y, w, h]);
}"""


async def test_areas_are_as_prices_and_boxes_fill_the_map_without_overlap(tabs, snapshot):
    tab = await tabs(snapshot)
    weights = [9, 5, 5, 3, 2, 1, 1, 0.5]
    boxes = await tab.page.evaluate(LAY_OUT, weights)
    unit = 400 * 300 / sum(weights)

    for weight, (_, _, w, h) in zip(weights, boxes, strict=True):
        assert w * h == pytest.approx(weight * unit)
    for at, (x, y, w, h) in enumerate(boxes):
        for ox, oy, ow, oh in boxes[:at]:
            across = min(x + w, ox + ow) - max(x, ox)
            down = min(y + h, oy + oh) - max(y, oy)
            assert across < 1e-6 or down < 1e-6


async def test_nothing_to_show_has_no_boxes(tabs, snapshot):
    tab = await tabs(snapshot)

    assert await tab.page.evaluate(LAY_OUT, []) == []
