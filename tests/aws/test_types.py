"""Types and prices as AWS tells them, else as we know them."""

import pytest

from nodewright.aws.types import REFRESH_MS, RETRY_MS, TypeBook
from nodewright.catalog.resolve import instance_types_for
from nodewright.catalog.settings import DEFAULT
from nodewright.sandbox.aws.faults import Switch

REGION = "us-west-2"


def a_book(gateway, **more):
    return TypeBook(gateway, gateway._clock, REGION, **more)


def asked(standin):
    return {one.name for one in standin.account.calls.named()}


def by_name(types):
    return {one.name: one for one in types}


async def test_live_types_are_those_of_the_table_with_live_prices(standin, gateway):
    book = a_book(gateway)
    live, bundled = by_name(await book.types(DEFAULT)), by_name(instance_types_for(REGION))

    assert asked(standin) == {
        "ec2.DescribeInstanceTypes",
        "ec2.DescribeInstanceTypeOfferings",
        "ec2.DescribeSpotPriceHistory",
        "pricing.GetProducts",
    }
    assert live["c5.large"].capacity == bundled["c5.large"].capacity
    assert live["c5.large"].allocatable == bundled["c5.large"].allocatable
    assert live["m6g.large"].requirements == bundled["m6g.large"].requirements
    spot = {one.price for one in live["m5.large"].offerings if one.capacity_type == "spot"}
    assert max(spot) < next(
        one.price for one in live["m5.large"].offerings if one.capacity_type == "on-demand"
    )
    assert book.shapes()["m5.large"].vcpu == 2

    standin.account.calls.clear()
    assert await book.types(DEFAULT) is await book.types(DEFAULT)
    assert asked(standin) == set()


async def test_everything_is_asked_for_again_after_half_a_day(standin, gateway):
    book = a_book(gateway)
    book._due_ms = gateway._clock.now_ms() + REFRESH_MS
    standin.account.faults.set("*", Switch("deny"))
    await book.types(DEFAULT)
    assert asked(standin) == set()
    gateway._clock.now += REFRESH_MS
    await book.types(DEFAULT)
    assert "ec2.DescribeInstanceTypes" in asked(standin)


@pytest.mark.parametrize("kind", ["deny", "throttle"])
async def test_nothing_that_is_down_stops_us(standin, gateway, kind):
    standin.account.faults.set("*", Switch(kind))
    book = a_book(gateway)
    types = by_name(await book.types(DEFAULT))

    assert set(types) == set(by_name(instance_types_for(REGION)))
    standin.account.calls.clear()
    await book.types(DEFAULT)
    assert asked(standin) == set()
    gateway._clock.now += RETRY_MS
    await book.types(DEFAULT)
    assert "ec2.DescribeInstanceTypes" in asked(standin)


async def test_without_the_internet_on_demand_prices_are_not_asked_for(standin, gateway):
    standin.account.faults.set("*", Switch("deny"))
    await a_book(gateway, is_isolated=True).types(DEFAULT)

    assert "pricing.GetProducts" not in asked(standin)
