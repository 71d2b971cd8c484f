"""NodeOverlays: corrected prices and extra resources, the heaviest correction first."""

from builders import a_pod, a_type, a_world, an_overlay, want
from builders.solving import codes_of, home_of, plan_of
from nodewright.core.scheduling.overlays import apply_overlays, find_contradictions
from nodewright.model.instance import NANO
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, ZONE

M, L = a_type("m", price=1), a_type("l", cpu=8, price=2)


def priced(*overlays, types=(M, L)):
    applied = apply_overlays(a_world(types, overlays))
    return {
        one.name: [offering.price / NANO for offering in one.offerings]
        for one in applied["default"]
    }


def on(name):
    return want(INSTANCE_TYPE, "In", name)


def test_without_overlays_everything_stays():
    assert apply_overlays(a_world(M))["default"] == (M,)


def test_a_price_replaces_the_real_one():
    assert priced(an_overlay("o", on("m"), price="0.25")) == {"m": [0.25] * 3, "l": [2] * 3}


def test_an_adjustment_adds_or_scales():
    assert priced(an_overlay("o", on("m"), adjust="+0.5"))["m"] == [1.5] * 3
    assert priced(an_overlay("o", on("m"), adjust="-10%"))["m"] == [0.9] * 3
    assert priced(an_overlay("o", on("m"), adjust="-100%"))["m"] == [0] * 3
    assert priced(an_overlay("o", on("m"), adjust="-5"))["m"] == [0] * 3


def test_an_overlay_touches_only_the_offerings_it_names():
    changed = priced(an_overlay("o", want(ZONE, "In", "zone-b"), price="9"))
    assert changed["m"] == [1, 9, 1]
    assert priced(an_overlay("o", want(CAPACITY_TYPE, "In", "spot"), price="9"))["m"] == [1] * 3


def test_the_heaviest_overlay_wins():
    light = an_overlay("light", on("m"), price="5", weight=1)
    heavy = an_overlay("heavy", on("m"), price="7", weight=9)
    assert priced(light, heavy)["m"] == [7] * 3


def test_of_two_equal_ones_that_contradict_the_later_is_not_used_at_all():
    one, other = an_overlay("a", on("m"), price="5"), an_overlay("z", on("m"), price="7")
    assert priced(one, other)["m"] == [7] * 3
    apart = an_overlay("a", on("l"), price="5")
    assert priced(apart, other) == {"m": [7] * 3, "l": [5] * 3}


def test_an_overlay_that_cannot_be_read_changes_nothing():
    assert priced(an_overlay("o", want(INSTANCE_TYPE, "Near", "m"), price="5"))["m"] == [1] * 3
    assert priced(an_overlay("o", on("m"), price="cheap"))["m"] == [1] * 3


def test_capacity_that_only_an_overlay_knows_makes_room():
    pod = a_pod(requests={"example.com/fpga": 1})
    assert codes_of(plan_of(pod, M, L))
    fpga = an_overlay("o", on("l"), capacity={"example.com/fpga": 2})
    assert home_of(plan_of(pod, M, L, fpga), pod).instance_types == ("l",)


def test_a_corrected_price_changes_the_choice():
    pod = a_pod(cpu=1)
    assert home_of(plan_of(pod, M, L), pod).offering.instance_type == "m"
    cheaper = an_overlay("o", on("l"), price="0.1")
    home = home_of(plan_of(pod, M, L, cheaper), pod)
    assert (home.offering.instance_type, home.offering.price) == ("l", NANO // 10)


def test_overlays_are_not_looked_at_where_the_gate_is_shut():
    pod = a_pod(cpu=1)
    cheaper = an_overlay("o", on("l"), price="0.1")
    plan = plan_of(pod, M, L, cheaper, feature_gates={"NodeOverlay": False})
    assert home_of(plan, pod).offering.instance_type == "m"


def test_an_overlay_that_is_not_used_is_told_with_the_one_that_it_contradicts():
    one, other = an_overlay("a", on("m"), price="5"), an_overlay("z", on("m"), price="7")
    assert find_contradictions(a_world(a_type("m"), one, other)) == (("a", "z"),)
    assert find_contradictions(a_world(a_type("m"), one)) == ()
