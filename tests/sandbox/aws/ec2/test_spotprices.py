"""Spot prices: below on-demand, different by zone, the same in every run."""

from decimal import Decimal


def test_each_type_and_zone_has_one_price(ec2):
    rows = ec2.describe_spot_price_history(
        InstanceTypes=["m5.large"], ProductDescriptions=["Linux/UNIX"]
    )["SpotPriceHistory"]

    assert len(rows) == len({row["AvailabilityZone"] for row in rows}) == 4
    assert len({row["SpotPrice"] for row in rows}) > 1
    assert all(Decimal("0.02") < Decimal(row["SpotPrice"]) < Decimal("0.05") for row in rows)


def test_all_prices_come_in_pages(ec2):
    pages = list(ec2.get_paginator("describe_spot_price_history").paginate())
    rows = [row for page in pages for row in page["SpotPriceHistory"]]

    assert len(pages) > 1
    assert len({(row["InstanceType"], row["AvailabilityZone"]) for row in rows}) == len(rows)


def test_windows_has_none(ec2):
    assert (
        ec2.describe_spot_price_history(ProductDescriptions=["Windows"])["SpotPriceHistory"] == []
    )
