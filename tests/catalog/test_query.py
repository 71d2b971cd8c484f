"""Questions to the table: ranges, filters and orders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.shapes import a_shape, a_sheet
from nodewright.catalog.query import Query, Range, find, read_count, read_memory
from nodewright.catalog.table import Gpu, Source, read_table, write_table
from nodewright.model.errors import UserError
from nodewright.model.quantity import parse_quantity

SHAPES = (
    a_shape("c9.xlarge", vcpu=4, memory_mib=8192, arch="arm64"),
    a_shape("g9.large", vcpu=2, memory_mib=16384, gpus=(Gpu("X", "NVIDIA", 1, 1),)),
    a_shape("m9.2xlarge", vcpu=8, memory_mib=32768, usage_classes=("on-demand",)),
    a_shape("m9.large", vcpu=2, memory_mib=8192),
)
PRICES = (300, 200, -1, 100)
SPOT = ((90, 50), (-1, 80), (-1, -1), (70, 60))


def found(order="name", **conditions):
    sheet = a_sheet(*SHAPES, prices=PRICES, zone_masks=(3, 2, 3, 3), spot_prices=SPOT)
    table = read_table(write_table((Source("", "", "", ""),), SHAPES, [sheet]), "here")
    return find(table, "xx-test-1", Query(**conditions), order)


def names(order="name", **conditions):
    return [entry.shape.name for entry in found(order, **conditions)]


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({}, ["c9.xlarge", "g9.large", "m9.large", "m9.2xlarge"]),
        ({"vcpu": Range(4)}, ["c9.xlarge", "m9.2xlarge"]),
        ({"vcpu": Range(2, 4)}, ["c9.xlarge", "g9.large", "m9.large"]),
        ({"memory": Range(high=parse_quantity("8Gi"))}, ["c9.xlarge", "m9.large"]),
        ({"arch": "arm64"}, ["c9.xlarge"]),
        ({"families": ("m9", "g9")}, ["g9.large", "m9.large", "m9.2xlarge"]),
        ({"needs_gpu": True}, ["g9.large"]),
        ({"capacity_type": "spot"}, ["c9.xlarge", "g9.large", "m9.large"]),
        ({"zone": "xx-test-1a"}, ["c9.xlarge", "m9.large", "m9.2xlarge"]),
    ],
)
def test_a_condition_keeps_what_meets_it(conditions, expected):
    assert names(**conditions) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("name", ["c9.xlarge", "g9.large", "m9.large", "m9.2xlarge"]),
        ("price", ["m9.large", "g9.large", "c9.xlarge", "m9.2xlarge"]),
        ("cpu", ["m9.large", "g9.large", "c9.xlarge", "m9.2xlarge"]),
        ("memory", ["m9.large", "c9.xlarge", "g9.large", "m9.2xlarge"]),
    ],
)
def test_an_order_puts_small_first_and_unknown_prices_last(order, expected):
    assert names(order) == expected


def test_who_asks_for_spot_gets_the_order_of_spot_prices():
    assert names("price", capacity_type="spot") == ["c9.xlarge", "m9.large", "g9.large"]


def test_the_spot_price_is_that_of_the_zone_asked_for():
    spot = {entry.shape.name: entry.spot for entry in found(zone="xx-test-1a")}
    assert (spot["c9.xlarge"].price, spot["m9.large"].price) == (90, 70)
    assert spot["m9.2xlarge"] is None


def test_an_unknown_zone_is_refused_and_the_known_ones_are_named():
    with pytest.raises(UserError, match="has no zone 'b'") as caught:
        found(zone="b")
    assert "xx-test-1a" in caught.value.advice


def test_an_unknown_family_is_refused_and_its_kin_is_named():
    with pytest.raises(UserError, match="no instance family is named 'm1000'") as caught:
        found(families=("m1000",))
    assert caught.value.advice == "families like it: m9"


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("4..", (4, 10**9), (3,)),
        ("..16", (0, 16), (17,)),
        ("4..8", (4, 8), (3, 9)),
        ("8", (8,), (7, 9)),
    ],
)
def test_a_range_holds_both_of_its_ends(text, inside, outside):
    read = Range.read(text, "--cpu", read_count)
    assert all(number in read for number in inside)
    assert not any(number in read for number in outside)


@pytest.mark.parametrize(
    "text", ["..", "x", "8..4", "4...8", "-1..", "1.5", "4..x", "²", "9" * 400]
)
def test_a_bad_range_is_refused_naming_its_option(text):
    with pytest.raises(UserError, match="--cpu"):
        Range.read(text, "--cpu", read_count)


@pytest.mark.parametrize("text", ["64", "..64", "6x", "Gi", "64Gi..8Gi"])
def test_a_bad_amount_of_memory_is_refused_naming_its_option(text):
    with pytest.raises(UserError, match="--memory"):
        Range.read(text, "--memory", read_memory)


def _said(text, number):
    try:
        return Range.read(text, "--it", number)
    except UserError as error:
        return error.message


@given(st.text(max_size=12))
def test_any_text_is_a_range_or_a_sentence(text):
    for number in (read_count, read_memory):
        said = _said(text, number)
        assert "--it" in said if isinstance(said, str) else said.low <= said.high
