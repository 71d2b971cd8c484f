"""What could not be had a moment ago."""

from builders.types import a_type
from nodewright.aws.faults import NO_ADDRESSES, NO_SPOT_ROLE, FleetError
from nodewright.aws.soldout import SOLD_OUT_MS, SoldOut
from nodewright.catalog.settings import Reservation
from nodewright.model.ec2nodeclass import SubnetStatus
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, RESERVATION_ID, ZONE

KEY = ("m", "zone-a", "on-demand")
SUBNETS = tuple(
    SubnetStatus(id=name, zone=zone)
    for name, zone in (("s-1", "zone-a"), ("s-2", "zone-a"), ("s-3", "zone-b"))
)
TYPES = (a_type("m", capacity_types=("on-demand", "spot")), a_type("n"))


def left(book, now_ms=0, types=TYPES):
    return {
        (one.name, offering.zone, offering.capacity_type)
        for one in book.apply(types, SUBNETS, now_ms)
        for offering in one.offerings
        if offering.available
    }


EVERYTHING = left(SoldOut())


def test_nothing_is_out_at_first():
    assert SoldOut().apply(TYPES, SUBNETS, 0) is TYPES


def test_an_offering_is_out_for_three_minutes():
    book = SoldOut()
    book.mark(KEY, 0)

    assert left(book) == EVERYTHING - {KEY}
    assert left(book, SOLD_OUT_MS - 1) == EVERYTHING - {KEY}
    assert left(book, SOLD_OUT_MS) == EVERYTHING


def test_marking_again_begins_the_time_anew():
    book = SoldOut()
    book.mark(KEY, 0)
    book.mark(KEY, 1000)

    assert book.has(KEY, SOLD_OUT_MS)
    assert not book.has(KEY, SOLD_OUT_MS + 1000)


def test_errors_of_a_fleet_are_taken_note_of():
    book = SoldOut()
    errors = [
        FleetError("InsufficientInstanceCapacity", "", "m", "zone-b"),
        FleetError("UnauthorizedOperation", "", "n", "zone-a"),
    ]
    book.note(errors, "spot", 0)

    assert left(book) == EVERYTHING - {("m", "zone-b", "spot")}


def test_spot_without_its_role_is_out_as_a_whole():
    book = SoldOut()
    book.note([FleetError(NO_SPOT_ROLE)], "spot", 0)

    assert {key[2] for key in left(book)} == {"on-demand"}


def test_a_zone_is_out_when_all_its_subnets_are():
    book = SoldOut()
    book.note([FleetError(NO_ADDRESSES, "", "x", "zone-a", "s-1")], "on-demand", 0)
    assert book.has_subnet("s-1", 0)
    assert left(book) == EVERYTHING

    book.note([FleetError(NO_ADDRESSES, "", "x", "zone-a", "s-2")], "on-demand", 0)
    assert {key[1] for key in left(book)} == {"zone-b", "zone-c"}


def test_a_full_spread_group_closes_a_zone_for_every_type():
    book = SoldOut()
    words = "the maximum for a spread placement group"
    book.note([FleetError("InstanceLimitExceeded", words, "m", "zone-a")], "on-demand", 0)

    assert {key[1] for key in left(book)} == {"zone-b", "zone-c"}
    assert left(book, SOLD_OUT_MS) == EVERYTHING


def test_what_a_machine_was_taken_back_from_is_out():
    book = SoldOut()
    labels = {INSTANCE_TYPE: "m", ZONE: "zone-b", CAPACITY_TYPE: "spot"}
    book.mark_like(labels, 0)
    book.mark_like({**labels, CAPACITY_TYPE: "on-demand"}, 0)
    book.mark_like({}, 0)

    assert left(book) == EVERYTHING - {("m", "zone-b", "spot")}


def test_a_reservation_whose_machine_was_taken_back_has_nothing_left():
    book = SoldOut()
    labels = {INSTANCE_TYPE: "m", ZONE: "zone-b", CAPACITY_TYPE: "reserved", RESERVATION_ID: "cr-1"}
    book.mark_like(labels, 0)
    found = tuple(Reservation(name, "m", "zone-b", 3) for name in ("cr-1", "cr-2"))

    assert left(book) == EVERYTHING
    assert [one.count for one in book.spend(found, 1)] == [0, 3]
    assert book.spend(found, SOLD_OUT_MS) == found


def test_of_reserved_capacity_the_reservation_is_out_and_nothing_else():
    book = SoldOut()
    errors = [FleetError("ReservationCapacityExceeded", "", "m", "zone-b", "s-3")]
    book.note(errors, "reserved", 0)
    book.note_reserved(["cr-1"], 0)
    found = tuple(Reservation(name, "m", "zone-b", 3) for name in ("cr-1", "cr-2"))

    assert not book.has(("m", "zone-b", "reserved"), 1)
    assert [one.count for one in book.spend(found, 1)] == [0, 3]
