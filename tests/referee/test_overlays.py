"""Overlays correct the catalog before a plan is judged."""

import pytest

from builders import a_type, a_world, an_offering, want
from nodewright.model.labels import ZONE
from nodewright.model.metadata import ObjectMeta
from nodewright.model.overlay import NodeOverlay, NodeOverlaySpec
from referee.overlays import corrected


def an_overlay(name="o", zone="", **spec):
    wanted = (want(ZONE, "In", zone),) if zone else ()
    return NodeOverlay(
        metadata=ObjectMeta(name=name), spec=NodeOverlaySpec(requirements=wanted, **spec)
    )


KIND = a_type(offerings=[an_offering("zone-a", price=1), an_offering("zone-b", price=2)])


def prices(*overlays, **options):
    world = corrected(a_world(KIND, *overlays, **options))
    return [one.price / 1e9 for one in world.instance_types["default"][0].offerings]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"price": "0.5"}, [0.5, 0.5]),
        ({"price_adjustment": "+0.25"}, [1.25, 2.25]),
        ({"price_adjustment": "-10%"}, [0.9, 1.8]),
        ({"price_adjustment": "-1.5"}, [0, 0.5]),
    ],
)
def test_a_price_is_set_or_changed(spec, told):
    assert prices(an_overlay(**spec)) == told


def test_only_matching_offerings_change():
    assert prices(an_overlay(zone="zone-b", price="9")) == [1, 9]
    assert prices(an_overlay(zone="zone-z", price="9")) == [1, 2]


def test_the_heavier_overlay_has_its_way():
    light, heavy = an_overlay("z", price="9", weight=1), an_overlay("a", price="5", weight=2)
    assert prices(light, heavy) == [5, 5]


def test_of_two_equal_overlays_on_one_price_the_later_is_left_out():
    assert prices(an_overlay("a", price="5"), an_overlay("b", price="6", zone="zone-a")) == [6, 2]


def test_resources_are_added():
    world = corrected(a_world(KIND, an_overlay(capacity={"example.com/card": "2"})))
    assert world.instance_types["default"][0].allocatable["example.com/card"] == 2000


def test_nothing_changes_where_the_gate_is_shut():
    assert prices(an_overlay(price="9"), feature_gates={"NodeOverlay": False}) == [1, 2]
