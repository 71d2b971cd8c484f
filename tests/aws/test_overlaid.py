"""Corrections of types: the user's prices and resources, with what we know can be had."""

import msgspec

from builders.types import a_type
from nodewright.aws.overlaid import find_repriced, lay_over

PLAIN, OTHER = a_type("m"), a_type("n")


def cheaper(kind, price=1):
    offerings = tuple(msgspec.structs.replace(one, price=price) for one in kind.offerings)
    return msgspec.structs.replace(kind, offerings=offerings)


def test_without_corrections_types_stay_as_they_are():
    types = (PLAIN, OTHER)

    assert lay_over(types, ()) is types
    assert find_repriced(types, ()) == frozenset()


def test_prices_are_the_user_s_and_availability_is_ours():
    sold_out = tuple(msgspec.structs.replace(one, available=False) for one in PLAIN.offerings)
    known = msgspec.structs.replace(PLAIN, offerings=sold_out)
    corrected, other = lay_over((known, OTHER), [cheaper(PLAIN)])

    assert {one.price for one in corrected.offerings} == {1}
    assert not any(one.available for one in corrected.offerings)
    assert other is OTHER
    assert find_repriced((known, OTHER), [cheaper(PLAIN)]) == {"m"}


def test_resources_of_the_user_can_be_used():
    capacity = {**PLAIN.capacity, "example.com/fuse": 2000}
    [corrected] = lay_over((PLAIN,), [msgspec.structs.replace(PLAIN, capacity=capacity)])

    assert corrected.allocatable["example.com/fuse"] == 2000
    assert find_repriced((PLAIN,), [corrected]) == frozenset()
