"""The price list, read back by the reader that the controller uses."""

import json

from nodewright.catalog.pricelist import read_on_demand

FIELDS = {
    "regionCode": "us-west-2",
    "serviceCode": "AmazonEC2",
    "preInstalledSw": "NA",
    "operatingSystem": "Linux",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}


def products(standin, **more):
    filters = [
        {"Type": "TERM_MATCH", "Field": field, "Value": value}
        for field, value in {**FIELDS, **more}.items()
    ]
    pages = (
        standin.client("pricing")
        .get_paginator("get_products")
        .paginate(ServiceCode="AmazonEC2", Filters=filters)
    )
    return [one for page in pages for one in page["PriceList"]]


def test_shared_machines_have_the_catalogs_prices(standin):
    found = products(standin, tenancy="Shared", productFamily="Compute Instance")
    prices = read_on_demand(found, "USD")

    assert len(prices) > 1_000
    assert prices["m5.large"] == 96_000_000
    assert not any(".metal" in name for name in prices)


def test_bare_metal_is_a_family_of_its_own(standin):
    found = products(standin, tenancy="Dedicated", productFamily="Compute Instance (bare metal)")

    assert found
    assert all("metal" in json.loads(one)["product"]["attributes"]["instanceType"] for one in found)


def test_one_type_can_be_asked_for(standin):
    [one] = products(standin, instanceType="c5.large")

    assert json.loads(one)["serviceCode"] == "AmazonEC2"


def test_the_service_is_listed(standin):
    [service] = standin.client("pricing").describe_services(ServiceCode="AmazonEC2")["Services"]

    assert "instanceType" in service["AttributeNames"]


def test_an_unknown_region_has_no_products(standin):
    assert products(standin, regionCode="xx-nowhere-1") == []
