"""Offerings: where a type is sold, how, and at a price that says whether it is known."""

from builders.shapes import a_shape, a_sheet
from nodewright.catalog.offerings import offerings_of
from nodewright.catalog.settings import DEFAULT, NodeSettings, Reservation, SubnetZone


def offered(sheet, settings=DEFAULT, shape=None, *, compatible=True):
    return [
        (offer.zone[-1:], offer.capacity_type, offer.price, offer.available)
        for offer in offerings_of(shape or a_shape(), sheet, 0, settings, compatible=compatible)
    ]


def test_every_zone_has_both_ways_to_buy():
    assert offered(a_sheet(a_shape())) == [
        ("a", "on-demand", 100_000_000, True),
        ("a", "spot", 100_000_000, True),
        ("b", "on-demand", 100_000_000, True),
        ("b", "spot", 100_000_000, True),
    ]


def test_a_type_is_offered_only_where_it_is_sold():
    sheet = a_sheet(a_shape(), zone_masks=(0b10,))
    assert {zone for zone, *_ in offered(sheet)} == {"b"}


def test_only_zones_with_subnets_count():
    settings = NodeSettings(zones=(SubnetZone("xx-test-1b", "id-b"),))
    found = list(offerings_of(a_shape(), a_sheet(a_shape()), 0, settings, compatible=True))
    assert {offer.zone for offer in found} == {"xx-test-1b"}
    assert found[0].requirements.labels()["topology.k8s.aws/zone-id"] == "id-b"


def test_a_type_that_is_not_sold_as_spot_has_no_spot_offering():
    shape = a_shape(usage_classes=("capacity-block", "on-demand"))
    assert {kind for _, kind, *_ in offered(a_sheet(shape), shape=shape)} == {"on-demand"}


def test_without_spot_prices_the_on_demand_price_stands_in_and_is_marked():
    by_kind = {
        offer.capacity_type: offer.price_is_estimate
        for offer in offerings_of(a_shape(), a_sheet(a_shape()), 0, DEFAULT, compatible=True)
    }
    assert by_kind == {"on-demand": False, "spot": True}


def test_a_zone_without_a_spot_price_sells_no_spot_once_prices_are_known():
    sheet = a_sheet(a_shape(), spot_prices=((30_000_000, -1),))
    spot = [entry for entry in offered(sheet) if entry[1] == "spot"]
    assert spot == [("a", "spot", 30_000_000, True), ("b", "spot", 0, False)]


def test_an_unknown_price_makes_an_offering_unavailable():
    sheet = a_sheet(a_shape(), prices=(-1,))
    assert not any(available for *_, available in offered(sheet))


def test_what_cannot_start_as_wanted_is_unavailable():
    sheet = a_sheet(a_shape())
    assert not any(available for *_, available in offered(sheet, compatible=False))


def test_an_estimated_price_is_marked():
    sheet = a_sheet(a_shape(), price_is_estimate=(True,))
    found = offerings_of(a_shape(), sheet, 0, DEFAULT, compatible=True)
    assert all(offer.price_is_estimate for offer in found)


def test_a_reservation_is_an_offering_with_a_count_and_the_on_demand_price():
    settings = NodeSettings(
        reservations=(
            Reservation("cr-1", "m5.large", "xx-test-1a", 3),
            Reservation("cr-2", "m5.large", "xx-test-1b", 0),
            Reservation("cr-3", "m5.large", "xx-test-1b", 1, is_expiring=True),
            Reservation("cr-4", "c5.large", "xx-test-1b", 1),
        )
    )
    found = [
        (offer.requirements.labels()["karpenter.k8s.aws/capacity-reservation-id"], offer)
        for offer in offerings_of(a_shape(), a_sheet(a_shape()), 0, settings, compatible=True)
        if offer.is_reserved
    ]
    assert [(name, offer.reservation_capacity, offer.available) for name, offer in found] == [
        ("cr-1", 3, True),
        ("cr-2", 0, False),
        ("cr-3", 1, False),
    ]
    assert found[0][1].price == 100_000_000
