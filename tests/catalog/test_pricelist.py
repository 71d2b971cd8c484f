"""Prices as AWS tells them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.catalog.pricelist import (
    currency_of,
    nano_price,
    pricing_region_of,
    read_on_demand,
    read_spot,
)
from nodewright.model.errors import UserError


def a_document(name, price, currency="USD"):
    dimension = {"unit": "Hrs", "pricePerUnit": {currency: price}}
    return json.dumps(
        {
            "product": {"productFamily": "Compute Instance", "attributes": {"instanceType": name}},
            "serviceCode": "AmazonEC2",
            "terms": {"OnDemand": {"A.B": {"priceDimensions": {"A.B.C": dimension}}}},
        }
    )


def test_hourly_prices_are_read_exactly():
    documents = [a_document("m5.large", "0.0960000000"), a_document("t4g.nano", "0.0042")]
    assert read_on_demand(documents, "USD") == {"m5.large": 96_000_000, "t4g.nano": 4_200_000}


def test_free_and_foreign_and_nameless_entries_are_no_prices():
    documents = [
        a_document("m5.large", "0.0000000000"),
        a_document("m5.xlarge", "1.5", currency="CNY"),
        a_document("", "1.5"),
        '{"product": {}, "terms": {}}',
    ]
    assert read_on_demand(documents, "USD") == {}


def test_china_is_priced_in_its_own_currency():
    assert currency_of("cn-north-1") == "CNY"
    assert read_on_demand([a_document("m5.large", "1.5", "CNY")], "CNY") == {
        "m5.large": 1_500_000_000
    }


def test_a_document_that_is_no_json_is_refused_in_a_sentence():
    with pytest.raises(UserError, match="price list cannot be read"):
        read_on_demand(["<html>"], "USD")


@pytest.mark.parametrize(
    ("region", "endpoint"),
    [
        ("us-west-2", "us-east-1"),
        ("ap-northeast-2", "ap-south-1"),
        ("eu-west-3", "eu-central-1"),
        ("cn-north-1", "cn-northwest-1"),
    ],
)
def test_each_part_of_the_world_has_its_pricing_endpoint(region, endpoint):
    assert pricing_region_of(region) == endpoint


def test_the_newest_spot_price_of_a_zone_counts():
    def row(zone, price, hour):
        return {
            "InstanceType": "m5.large",
            "AvailabilityZone": zone,
            "SpotPrice": price,
            "Timestamp": hour,
        }

    rows = [row("a", "0.03", 1), row("a", "0.04", 2), row("a", "0.05", 0), row("b", "0.02", 1)]
    assert read_spot(rows) == {("m5.large", "a"): 40_000_000, ("m5.large", "b"): 20_000_000}


@given(st.integers(0, 10**15))
def test_a_price_in_nano_units_survives_being_written(nano):
    assert nano_price(f"{nano // 10**9}.{nano % 10**9:09}") == nano


@given(st.text())
def test_any_text_is_a_price_or_none(text):
    assert isinstance(nano_price(text), int)
