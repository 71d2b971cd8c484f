"""What a region sells, from answers of different age."""

import msgspec

from nodewright.aws.market import bundled_market, sheet_of
from nodewright.catalog.resolve import instance_types_for, resolve_type
from nodewright.catalog.settings import DEFAULT

REGION = "us-west-2"
MARKET = bundled_market(REGION)


def types(market, region=REGION):
    shapes = [market.shapes[name] for name in sorted(market.shapes)]
    sheet = sheet_of(region, market, shapes)
    return {
        shapes[number].name: resolve_type(shapes[number], sheet, row, DEFAULT)
        for row, number in enumerate(sheet.types)
    }


def prices(kind, capacity_type):
    return {
        one.zone: (one.price, one.available)
        for one in kind.offerings
        if one.capacity_type == capacity_type
    }


def test_without_answers_it_is_the_bundled_table():
    ours, bundled = types(MARKET), {one.name: one for one in instance_types_for(REGION)}

    assert set(ours) == set(bundled)
    assert ours["m5.large"].capacity == bundled["m5.large"].capacity
    assert prices(ours["m5.large"], "on-demand") == prices(bundled["m5.large"], "on-demand")


def test_a_price_that_aws_told_beats_the_bundled_one():
    market = msgspec.structs.replace(MARKET, prices={"m5.large": 123})
    found = types(market)

    assert {price for price, _ in prices(found["m5.large"], "on-demand").values()} == {123}
    assert not found["m5.large"].offerings[0].price_is_estimate


def test_after_the_first_spot_prices_a_zone_without_one_sells_none():
    market = msgspec.structs.replace(MARKET, spot={("m5.large", "us-west-2a"): 50})
    found = prices(types(market)["m5.large"], "spot")

    assert found["us-west-2a"] == (50, True)
    assert found["us-west-2b"][1] is False


def test_zones_are_those_that_aws_told():
    market = msgspec.structs.replace(MARKET, zones={"m5.large": ("us-west-2c",)})
    found = types(market)

    assert set(found) == {"m5.large"}
    assert set(prices(found["m5.large"], "on-demand")) == {"us-west-2c"}


def test_a_region_that_the_table_does_not_know_has_prices_near_it():
    market = bundled_market("xx-new-1")
    assert types(market, "xx-new-1") == {}
    told = msgspec.structs.replace(market, zones={"m5.large": ("xx-new-1a",)})
    [offering] = [
        one
        for one in types(told, "xx-new-1")["m5.large"].offerings
        if one.capacity_type == "on-demand"
    ]

    assert offering.available
    assert offering.price_is_estimate
