"""The scripts that make the table: generated Go source, regional prices, and AWS itself."""

import datetime as dt
import importlib
import json
from pathlib import Path

import pytest

from nodewright.catalog.resolve import resolve
from nodewright.catalog.settings import DEFAULT
from nodewright.catalog.table import read_table

TOOLS = Path(__file__).parents[2] / "tools" / "catalog"
NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)

GO_PRICES = """package pricing
// generated at 2026-07-06T14:20:29Z for us-east-1
var Prices = map[string]map[Type]float64{
\t// us-east-1
\t"us-east-1": {
\t\t// m5 family
\t\t"m5.large": 0.096000, "u-6tb1.112xlarge": 54.600000,
\t},
\t"us-gov-east-1": {
\t\t"m5.large": 0.121000,
\t},
}
"""

GO_LIMITS = """// This file was generated at 2026-05-18T17:08:55Z
var Limits = map[string]*VPCLimits{
\t"m5.large": {
\t\tInterface:               3,
\t\tIsTrunkingCompatible:    true,
\t\tBranchInterface:         9,
\t},
\t"t3.micro": {
\t\tIsTrunkingCompatible:    false,
\t\tBranchInterface:         5,
\t},
}
"""


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module


def test_prices_are_read_from_go_source_by_region(tool):
    gotables = tool("gotables")
    assert gotables.read_prices(GO_PRICES) == {
        "us-east-1": {"m5.large": 96_000_000, "u-6tb1.112xlarge": 54_600_000_000},
        "us-gov-east-1": {"m5.large": 121_000_000},
    }
    assert gotables.read_date(GO_PRICES) == "2026-07-06"
    assert gotables.read_date("no date here") == ""


def test_branch_interfaces_count_only_where_a_trunk_is_taken(tool):
    assert tool("gotables").read_branches(GO_LIMITS) == {"m5.large": 9, "t3.micro": 0}


def test_vague_bandwidth_is_no_bandwidth(tool):
    source = '\t\t// c1.medium has vague bandwidth information\n\t\t"m5.large": 750,\n'
    assert tool("gotables").read_bandwidth(source) == {"m5.large": 750}


def an_estimator(tool):
    new = {"us-east-1": {"m5.large": 100, "m5.metal": 5500, "m9g.large": 90_000, "z9.x": 10_000}}
    old = {
        "us-east-1": {"m5.large": 100, "m5.metal": 5000},
        "eu-test-1": {"m5.large": 120, "m5.metal": 6000, "only.here": 700},
        "eu-test-2": {"m5.large": 150},
    }
    return tool("prices").Estimator(new, old), tool("prices").Quote


def test_a_new_price_is_quoted_and_a_gap_in_its_region_stays_a_gap(tool):
    estimator, quote = an_estimator(tool)
    assert estimator.quote("m5.large", "us-east-1") == quote(100, is_new=True)
    assert estimator.quote("only.here", "us-east-1") is None


def test_an_old_regional_price_holds_while_its_home_price_stands(tool):
    estimator, quote = an_estimator(tool)
    assert estimator.quote("m5.large", "eu-test-1") == quote(120)


def test_a_moved_home_price_moves_the_regional_one_as_an_estimate(tool):
    estimator, quote = an_estimator(tool)
    assert estimator.quote("m5.metal", "eu-test-1") == quote(7000, is_estimate=True)


def test_a_newer_type_is_priced_by_the_ratio_of_its_kin(tool):
    estimator, quote = an_estimator(tool)
    assert estimator.quote("m9g.large", "eu-test-1") == quote(108_000, is_estimate=True)
    assert estimator.quote("z9.x", "eu-test-2") == quote(15_000, is_estimate=True)


def test_a_type_known_in_one_region_only_is_carried_over_as_an_estimate(tool):
    estimator, _ = an_estimator(tool)
    assert estimator.quote("only.here", "eu-test-1").price == 700
    assert estimator.quote("only.here", "eu-test-2").is_estimate
    assert estimator.quote("nowhere.large", "eu-test-1") is None


def test_local_zones_are_no_regions(tool):
    entry = {
        "instance_type": "m5.large",
        "pricing": {
            region: {"linux": {"ondemand": "0.1"}}
            for region in ("us-east-1", "us-east-1-bos-1", "us-gov-west-1", "us-west-2-wl1")
        },
    }
    assert set(tool("bundle").read_regional([entry])) == {"us-east-1", "us-gov-west-1"}


class Recorded:
    """A boto3 session whose answers were written down; it writes down what it is asked."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    def client(self, service, region_name):
        return Client(self, service, region_name)


class Client:
    def __init__(self, session, service, region):
        self.session, self.service, self.region = session, service, region

    def get_paginator(self, call):
        return Paginator(self, call)


class Paginator:
    def __init__(self, client, call):
        self.client, self.call = client, call

    def paginate(self, **arguments):
        session = self.client.session
        session.asked.append((self.client.service, self.client.region, self.call, arguments))
        return session.answers[self.call]


def recorded(spot):
    description = {
        "InstanceType": "m5.large",
        "SupportedUsageClasses": ["on-demand", "spot"],
        "SupportedVirtualizationTypes": ["hvm"],
        "ProcessorInfo": {"SupportedArchitectures": ["x86_64"], "Manufacturer": "Intel"},
        "VCpuInfo": {"DefaultVCpus": 2},
        "MemoryInfo": {"SizeInMiB": 8192},
        "NetworkInfo": {
            "NetworkCards": [{"NetworkCardIndex": 0, "MaximumNetworkInterfaces": 3}],
            "Ipv4AddressesPerInterface": 10,
        },
    }
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": "0.1234"}}
    product = {
        "product": {"attributes": {"instanceType": "m5.large"}},
        "terms": {"OnDemand": {"A": {"priceDimensions": {"B": dimension}}}},
    }
    return Recorded(
        {
            "describe_instance_types": [{"InstanceTypes": [description]}, {"InstanceTypes": []}],
            "describe_instance_type_offerings": [
                {
                    "InstanceTypeOfferings": [
                        {"InstanceType": "m5.large", "Location": f"xx-live-1{letter}"}
                        for letter in "ab"
                    ]
                }
            ],
            "describe_spot_price_history": [{"SpotPriceHistory": spot}],
            "get_products": [{"PriceList": [json.dumps(product)]}],
        }
    )


SPOT = [
    {
        "InstanceType": "m5.large",
        "AvailabilityZone": "xx-live-1b",
        "SpotPrice": "0.0311",
        "Timestamp": NOW,
    }
]


def live_types(tool, spot):
    content = tool("account").gather(recorded(spot), ["xx-live-1"], NOW)
    table = read_table(content, "live")
    return table, resolve(table, "xx-live-1", DEFAULT)


def test_a_table_from_aws_has_live_prices_and_no_estimates(tool):
    table, (found,) = live_types(tool, SPOT)
    offers = {
        (offer.zone[-1], offer.capacity_type): (offer.price, offer.available)
        for offer in found.offerings
    }
    assert offers == {
        ("a", "on-demand"): (123_400_000, True),
        ("a", "spot"): (0, False),
        ("b", "on-demand"): (123_400_000, True),
        ("b", "spot"): (31_100_000, True),
    }
    assert not any(offer.price_is_estimate for offer in found.offerings)
    assert table.sources[0].date == "2026-11-15"


def test_what_aws_does_not_tell_is_taken_from_the_bundled_table(tool):
    _, (found,) = live_types(tool, SPOT)
    assert found.capacity["vpc.amazonaws.com/pod-eni"] == 9000
    assert found.requirements["karpenter.k8s.aws/instance-network-bandwidth"].values == {"750"}


def test_no_spot_answer_leaves_the_on_demand_price_as_an_estimate(tool):
    _, (found,) = live_types(tool, [])
    spot = [offer for offer in found.offerings if offer.capacity_type == "spot"]
    assert [offer.price for offer in spot] == [123_400_000, 123_400_000]
    assert all(offer.price_is_estimate for offer in spot)


def test_prices_are_asked_of_the_regions_endpoint_for_shared_and_bare_metal(tool):
    session = recorded(SPOT)
    tool("account").gather(session, ["ap-live-1"], NOW)
    asked = [
        (region, {entry["Field"]: entry["Value"] for entry in arguments["Filters"]})
        for service, region, _, arguments in session.asked
        if service == "pricing"
    ]
    assert {region for region, _ in asked} == {"ap-south-1"}
    assert [wanted["tenancy"] for _, wanted in asked] == ["Shared", "Dedicated"]
    assert {wanted["regionCode"] for _, wanted in asked} == {"ap-live-1"}
