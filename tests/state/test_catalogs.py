"""Catalogs: types as written and as worked with, with what they repeat kept once."""

import msgspec
import pytest

from builders import a_type, an_offering
from builders.snapshots import a_type_value
from nodewright.model.instance import NANO
from nodewright.model.quantity import BadQuantity
from nodewright.model.requirements import BadRequirement
from nodewright.state.catalogs import CatalogReader, WrittenType, write_type


def read(*values):
    return CatalogReader().read(msgspec.convert(values, list[WrittenType]))


def the_type(**fields):
    (one,) = read(a_type_value(**fields))
    return one


def test_amounts_and_prices_become_whole_numbers():
    one = the_type(
        overhead={"kubeReserved": {"cpu": "90m"}, "evictionThreshold": {"memory": "1Gi"}}
    )
    assert one.capacity["cpu"] == 4000
    assert one.allocatable["cpu"] == 3910
    assert one.allocatable["memory"] == 15 * 1024**3 * 1000
    assert one.offerings[0].price == NANO // 5
    assert one.offerings[0].zone == "zone-a"
    assert one.offerings[0].available


def test_what_types_repeat_is_kept_once():
    first, second = read(a_type_value("a"), a_type_value("b"))
    assert first.offerings[0].requirements is second.offerings[0].requirements
    assert first.requirements is second.requirements


def test_reserved_offerings_say_how_many_are_left():
    one = the_type(offerings=[{"price": 1, "reservationCapacity": 3, "available": False}])
    assert one.offerings[0].reservation_capacity == 3
    assert not one.offerings[0].available


def test_a_wrong_amount_and_a_wrong_operator_are_told():
    with pytest.raises(BadQuantity):
        the_type(cpu="many")
    with pytest.raises(BadRequirement):
        the_type(requirements=[{"key": "a", "operator": "Near"}])


def test_a_written_type_reads_back_the_same():
    one = a_type(
        "r",
        overhead={"cpu": "100m"},
        offerings=[an_offering(reservation="cr", left=2), an_offering("zone-b", price=0.123456789)],
    )
    (again,) = read(write_type(one))
    assert again == one


def test_no_price_is_below_nothing_and_a_price_beyond_all_bounds_is_cut():
    offering = a_type_value()["offerings"][0]
    with pytest.raises(msgspec.ValidationError, match=r"\$\[0\].offerings\[0\].price"):
        the_type(offerings=[{**offering, "price": -1}])
    huge = the_type(offerings=[{**offering, "price": 1e308}])
    assert huge.offerings[0].price == NANO * 10**9
